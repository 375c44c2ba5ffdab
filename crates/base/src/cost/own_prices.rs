//! The user's own prices: `config.prices` and `LMTHING_PRICES`, in the same JSON form (docs/reference/cost.md).

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use super::price_entry::{InvalidEntry, PriceEntry, shown};
use crate::diagnostic::{PathKey, path_suffix};

/// The variable that holds prices, as JSON or as the path of a JSON file.
pub const PRICES_VARIABLE: &str = "LMTHING_PRICES";

/// An example for messages.
const FORM: &str = "{\"openai:gpt-x\": {\"input\": 2.5, \"cachedInput\": 0.25, \"cacheWrite\": 2.5, \"output\": 10}}";

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{table}{} {problem}", in_table(.path))]
pub struct InvalidPrices {
    pub table: String,
    pub path: Vec<PathKey>,
    pub problem: String,
}

/// Prices by model string, `provider:model`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnPrices {
    models: BTreeMap<String, PriceEntry>,
}

impl OwnPrices {
    /// Reads a table; `place` names it in messages.
    pub fn from_json(place: &str, table: &Value) -> Result<Self, InvalidPrices> {
        let Value::Object(table) = table else {
            return Err(wrong(place, format!("must be an object such as {FORM}, got {}", shown(table))));
        };
        let entry = |(model, entry): (&String, &Value)| match entry_of(model, entry) {
            Ok(entry) => Ok((model.clone(), entry)),
            Err(InvalidEntry { fields, problem }) => {
                let path = std::iter::once(model.clone()).chain(fields).map(PathKey::Name).collect();
                Err(InvalidPrices { table: place.to_owned(), path, problem })
            }
        };
        Ok(OwnPrices { models: table.iter().map(entry).collect::<Result<_, _>>()? })
    }

    /// Reads the value of [`PRICES_VARIABLE`]: JSON text, or the path of a file (also as `@path`), which `read` returns.
    pub fn from_variable(
        value: &str,
        read: impl FnOnce(&str) -> std::io::Result<String>,
    ) -> Result<Self, InvalidPrices> {
        let value = value.trim();
        if value.is_empty() {
            return Ok(OwnPrices::default());
        }
        if value.starts_with(['{', '[', '"']) {
            return OwnPrices::from_text(PRICES_VARIABLE, value);
        }
        let path = value.strip_prefix('@').unwrap_or(value);
        let text = read(path).map_err(|error| {
            let problem =
                format!("must be JSON such as {FORM}, or the path of a JSON file; cannot read {path:?}: {error}");
            wrong(PRICES_VARIABLE, problem)
        })?;
        OwnPrices::from_text(&format!("{PRICES_VARIABLE} ({path})"), &text)
    }

    fn from_text(place: &str, text: &str) -> Result<Self, InvalidPrices> {
        // Windows' editors start a file with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let table = serde_json::from_str(text)
            .map_err(|error| wrong(place, format!("must be JSON such as {FORM}, and it cannot be read: {error}")))?;
        OwnPrices::from_json(place, &table)
    }

    /// Merges two tables; the prices of `self` override those of `others`.
    pub fn over(mut self, others: OwnPrices) -> Self {
        for (model, entry) in others.models {
            let own = self.models.remove(&model).unwrap_or_default();
            self.models.insert(model, own.or(entry));
        }
        self
    }

    pub(super) fn get(&self, provider: &str, model_id: &str) -> Option<&PriceEntry> {
        self.models.get(&format!("{provider}:{model_id}"))
    }

    /// The models by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PriceEntry)> {
        self.models.iter().map(|(model, entry)| (model.as_str(), entry))
    }

    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }
}

fn entry_of(model: &str, entry: &Value) -> Result<PriceEntry, InvalidEntry> {
    let is_model = model.split_once(':').is_some_and(|(provider, id)| !provider.is_empty() && !id.is_empty());
    if !is_model {
        let problem = "is no model: a key is \"provider:model\", such as \"openai:gpt-x\"";
        return Err(InvalidEntry::whole(problem.to_owned()));
    }
    PriceEntry::from_json(entry)
}

/// The path within a table. Model names contain colons and dots, so they are always written in brackets.
fn in_table(path: &[PathKey]) -> String {
    match path.split_first() {
        Some((PathKey::Name(model), rest)) => format!("[{}]{}", Value::from(model.as_str()), path_suffix(rest)),
        _ => path_suffix(path),
    }
}

fn wrong(table: &str, problem: String) -> InvalidPrices {
    InvalidPrices { table: table.to_owned(), path: Vec::new(), problem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{chat::Tier, cost::Rates};

    fn problem(table: &Value) -> String {
        OwnPrices::from_json("config.prices", table).unwrap_err().to_string()
    }

    #[test]
    fn tokens_without_a_price_of_their_own_cost_as_input() {
        let own = OwnPrices::from_json("config.prices", &json!({ "lab:m": { "input": 10, "output": 20 } })).unwrap();
        let expected = Rates { input: 10.0, cached_input: 10.0, cache_write: 10.0, output: 20.0 };
        let tokens = own.get("lab", "m").unwrap().tokens.as_ref().unwrap();
        assert_eq!(tokens.rates(Tier::Standard), Some(&expected));
        assert_eq!(own.get("lab", "n"), None);
    }

    #[test]
    fn invalid_tables_are_named() {
        for (table, words) in [
            (json!([]), "config.prices must be an object such as"),
            (json!({ "lab:m": 3 }), "config.prices[\"lab:m\"] must be an object with input, cachedInput"),
            (json!({ "gpt-x": {} }), "config.prices[\"gpt-x\"] is no model"),
            (json!({ "lab:m": { "input": -1, "output": 1 } }), "config.prices[\"lab:m\"].input is -1; expected US"),
            (json!({ "lab:m": { "input": "1", "output": 1 } }), "config.prices[\"lab:m\"].input is \"1\"; expected"),
            (json!({ "lab:m": { "input": 1 } }), "config.prices[\"lab:m\"].output is missing; expected"),
            (
                json!({ "lab:m": { "inptu": 1 } }),
                "config.prices[\"lab:m\"].inptu is not known; did you mean \"input\"?",
            ),
            (
                json!({ "lab:m": { "price": 1 } }),
                "price is not known; known are input, cachedInput, cacheWrite, output, flex, priority, fast, batch, webSearch",
            ),
            (json!({ "lab:m": { "webSearch": -1 } }), "webSearch is -1; expected US dollars per 1000 searches"),
            (json!({ "lab:m": {} }), "input is missing"),
            (json!({ "lab:m": { "batch": null } }), "input is missing"),
            (
                json!({ "lab:m": { "batch": 50 } }),
                "batch is 50; expected a factor from 0 to 1, such as 0.5, or an object",
            ),
            (json!({ "lab:m": { "batch": "half" } }), "config.prices[\"lab:m\"].batch is \"half\"; expected a factor"),
            (json!({ "lab:m": { "batch": { "input": 1 } } }), "config.prices[\"lab:m\"].batch.output is missing"),
            (json!({ "lab:m": { "batch": { "flex": 1 } } }), "batch.flex is not known; known are input, cachedInput"),
            (
                json!({ "lab:m": { "input": 1, "output": 1, "flex": { "input": 1 } } }),
                "config.prices[\"lab:m\"].flex.output is missing; expected",
            ),
            (
                json!({ "lab:m": { "input": 1, "output": 1, "fast": { "input": 1, "output": 1, "flex": {} } } }),
                "config.prices[\"lab:m\"].fast.flex is not known; known are input, cachedInput, cacheWrite, output",
            ),
            (json!({ "lab:m": { "input": 1, "output": 1, "fast": 2 } }), "[\"lab:m\"].fast must be an object with"),
        ] {
            assert!(problem(&table).contains(words), "{}", problem(&table));
        }
    }

    #[test]
    fn the_variable_holds_json_or_names_a_file() {
        let read = |path: &str| match path {
            "prices.json" => Ok("\u{feff}{\"lab:m\": {\"input\": 1, \"output\": 2}}".to_owned()),
            _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        };
        for value in ["{\"lab:m\": {\"input\": 1, \"output\": 2}}", "prices.json", " @prices.json "] {
            assert!(OwnPrices::from_variable(value, read).unwrap().get("lab", "m").is_some(), "{value}");
        }
        assert!(OwnPrices::from_variable("", read).unwrap().is_empty());
        for (value, words) in [
            ("{", "LMTHING_PRICES must be JSON such as"),
            ("nowhere.json", "cannot read \"nowhere.json\""),
            ("[1]", "LMTHING_PRICES must be an object"),
        ] {
            let error = OwnPrices::from_variable(value, read).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn tables_override_each_other() {
        let table = |input: u32| {
            let entry = json!({ "input": input, "output": 0 });
            OwnPrices::from_json("config.prices", &json!({ "lab:m": entry.clone(), format!("lab:{input}"): entry }))
        };
        let own = table(1).unwrap().over(table(2).unwrap());
        let input = |entry: &PriceEntry| entry.tokens.as_ref().map(|tokens| tokens.standard.input);
        let inputs: Vec<_> = own.iter().map(|(model, entry)| (model.to_owned(), input(entry))).collect();
        let expected = [("lab:1", 1.0), ("lab:2", 2.0), ("lab:m", 1.0)];
        assert_eq!(inputs, expected.map(|(model, input)| (model.to_owned(), Some(input))));
    }
}
