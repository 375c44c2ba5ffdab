//! The user's own prices: `config.prices` and `LMTHING_PRICES`, in the same JSON form (docs/reference/cost.md).

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use thiserror::Error;

use super::rates::Rates;
use crate::diagnostic::{PathKey, closest, path_suffix};

/// The variable that holds prices, as JSON or as the path of a JSON file.
pub const PRICES_VARIABLE: &str = "LMTHING_PRICES";

const FIELDS: [&str; 4] = ["input", "cachedInput", "cacheWrite", "output"];

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
pub struct OwnPrices(BTreeMap<String, Rates>);

impl OwnPrices {
    /// Reads a table; `place` names it in messages.
    pub fn from_json(place: &str, table: &Value) -> Result<Self, InvalidPrices> {
        let Value::Object(table) = table else {
            return Err(wrong(place, format!("must be an object such as {FORM}, got {}", shown(table))));
        };
        let entry = |(model, entry): (&String, &Value)| {
            let rates = rates(model, entry).map_err(|InvalidEntry { field, problem }| InvalidPrices {
                table: place.to_owned(),
                path: [Some(model), field.as_ref()]
                    .into_iter()
                    .flatten()
                    .map(|name| PathKey::Name(name.clone()))
                    .collect(),
                problem,
            })?;
            Ok((model.clone(), rates))
        };
        table.iter().map(entry).collect::<Result<_, _>>().map(OwnPrices)
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

    /// Merges two tables; the entries of `self` override those of `others`.
    pub fn over(mut self, others: OwnPrices) -> Self {
        others.0.into_iter().for_each(|(model, rates)| {
            self.0.entry(model).or_insert(rates);
        });
        self
    }

    pub(super) fn get(&self, provider: &str, model_id: &str) -> Option<&Rates> {
        self.0.get(&format!("{provider}:{model_id}"))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Rates)> {
        self.0.iter().map(|(model, rates)| (model.as_str(), rates))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct InvalidEntry {
    field: Option<String>,
    problem: String,
}

impl InvalidEntry {
    fn whole(problem: String) -> Self {
        InvalidEntry { field: None, problem }
    }

    fn field(name: &str, problem: String) -> Self {
        InvalidEntry { field: Some(name.to_owned()), problem }
    }
}

fn rates(model: &str, entry: &Value) -> Result<Rates, InvalidEntry> {
    let is_model = model.split_once(':').is_some_and(|(provider, id)| !provider.is_empty() && !id.is_empty());
    if !is_model {
        let problem = "is no model: a key is \"provider:model\", such as \"openai:gpt-x\"";
        return Err(InvalidEntry::whole(problem.to_owned()));
    }
    let Value::Object(entry) = entry else {
        let problem = format!("must be an object with {}, got {}", FIELDS.join(", "), shown(entry));
        return Err(InvalidEntry::whole(problem));
    };
    if let Some(unknown) = entry.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let advice = match closest(unknown, FIELDS) {
            Some(known) => format!("did you mean \"{known}\"?"),
            None => format!("known are {}", FIELDS.join(", ")),
        };
        return Err(InvalidEntry::field(unknown, format!("is not known; {advice}")));
    }
    let required = |field| match price(entry, field)? {
        Some(price) => Ok(price),
        None => Err(InvalidEntry::field(field, format!("is missing; {EXPECTED}"))),
    };
    let (input, output) = (required("input")?, required("output")?);
    Ok(Rates {
        input,
        // Without a price of their own, these tokens cost the same as other input.
        cached_input: price(entry, "cachedInput")?.unwrap_or(input),
        cache_write: price(entry, "cacheWrite")?.unwrap_or(input),
        output,
    })
}

const EXPECTED: &str = "expected US dollars per million tokens, a number of 0 or more";

fn price(entry: &Map<String, Value>, field: &str) -> Result<Option<f64>, InvalidEntry> {
    match entry.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|price| price.is_finite() && *price >= 0.0) {
            Some(price) => Ok(Some(price)),
            None => Err(InvalidEntry::field(field, format!("is {}; {EXPECTED}", shown(value)))),
        },
    }
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

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= 40 { text } else { text.chars().take(39).chain(['…']).collect() }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(table: &Value) -> String {
        OwnPrices::from_json("config.prices", table).unwrap_err().to_string()
    }

    #[test]
    fn tokens_without_a_price_of_their_own_cost_as_input() {
        let own = OwnPrices::from_json("config.prices", &json!({ "lab:m": { "input": 10, "output": 20 } })).unwrap();
        let expected = Rates { input: 10.0, cached_input: 10.0, cache_write: 10.0, output: 20.0 };
        assert_eq!(own.get("lab", "m"), Some(&expected));
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
                "price is not known; known are input, cachedInput, cacheWrite, output",
            ),
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
        let inputs: Vec<_> = own.iter().map(|(model, rates)| (model.to_owned(), rates.input)).collect();
        let expected = [("lab:1", 1.0), ("lab:2", 2.0), ("lab:m", 1.0)];
        assert_eq!(inputs, expected.map(|(model, input)| (model.to_owned(), input)));
    }
}
