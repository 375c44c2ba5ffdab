//! The price table for people to read: every model, as `config.model` names it.

use serde_json::Value;

use super::{
    archive,
    priced_model::PricedModel,
    table::{Table, usual_name},
};
use crate::chat::Usage;

/// Where the prices come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The release of `genai-prices`.
    pub version: String,
    /// The last day that its notes say a price was looked up on.
    pub checked: Option<String>,
}

/// A model in the table, with US dollars per million tokens; `None` where it has no such price.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What stands before the colon of a model string.
    pub provider: String,
    /// The model's id.
    pub model_id: String,
    /// Input, cached input, cache writes, output.
    pub rates: [Option<f64>; 4],
    /// From so many tokens of input on it costs something else.
    pub changes_above: Option<u64>,
}

/// How the table spells the four prices.
const KEYS: [&str; 4] = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok"];

/// Where the prices come from.
pub fn source() -> Source {
    let index: Value = archive::read("index").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let text = |key: &str| index[key].as_str().map(str::to_owned);
    Source { version: text("version").unwrap_or_default(), checked: text("checked") }
}

/// All models of the table, provider by provider, with the prices of the day (`2026-11-21`). Ids under which the table itself
/// does not find their price are left out: they head a list of other names.
pub fn listed(today: &str) -> Vec<Listed> {
    let table = Table::default();
    archive::providers().flat_map(|id| entries(id, today)).filter(|model| model.is_found(&table)).collect()
}

/// The ids of a provider's models. Reads nothing of the others.
pub(super) fn model_ids(provider: &str, today: &str) -> Vec<String> {
    let sections = archive::providers().filter(|id| usual_name(id) == provider);
    sections.flat_map(|id| entries(id, today)).map(|model| model.model_id).collect()
}

fn entries(id: &str, today: &str) -> Vec<Listed> {
    let section: Value = archive::read(id).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let models = section[0]["models"].as_array().into_iter().flatten();
    models.filter_map(|model| entry(usual_name(id), model, today)).collect()
}

impl Listed {
    /// Whether a model string of these names leads to a price.
    fn is_found(&self, table: &Table) -> bool {
        let model = PricedModel { provider: &self.provider, model_id: &self.model_id, ..PricedModel::default() };
        let [input, _, _, output] = self.rates.map(|rate| Some(u64::from(rate.is_some())));
        table.cost(&model, &Usage::new(input, output)).is_some()
    }
}

fn entry(provider: &str, model: &Value, today: &str) -> Option<Listed> {
    let prices = current(&model["prices"], today)?;
    // A price that depends on the length of the input has a base and tiers.
    let rate = |key: &str| prices[key].as_f64().or_else(|| prices[key]["base"].as_f64());
    let starts = KEYS.iter().filter_map(|key| prices[*key]["tiers"][0]["start"].as_u64());
    Some(Listed {
        provider: provider.to_owned(),
        model_id: model["id"].as_str()?.to_owned(),
        rates: KEYS.map(rate),
        changes_above: starts.min(),
    })
}

/// Of prices that hold from a day on, those of today. Prices by the hour are left to the arithmetic: here stand the usual ones.
fn current<'a>(prices: &'a Value, today: &str) -> Option<&'a Value> {
    let Some(conditional) = prices.as_array() else { return Some(prices) };
    let holds = |entry: &&Value| match &entry["constraint"] {
        Value::Null => true,
        constraint => constraint["start_date"].as_str().is_some_and(|start| start <= today),
    };
    conditional.iter().rev().find(holds).map(|entry| &entry["prices"])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_table_is_listed_with_its_source() {
        let source = source();
        assert!(source.version.starts_with("0.2.") && source.checked.is_some(), "{source:?}");
        let all = listed("2026-11-21");
        let find = |provider: &str, id: &str| {
            all.iter().find(|model| model.provider == provider && model.model_id == id).expect(id)
        };
        assert_eq!(find("openai", "gpt-4o").rates, [Some(2.5), Some(1.25), None, Some(10.0)]);
        assert_eq!(find("bedrock", "amazon.nova-pro-v1:0").rates[0], Some(0.8));
        assert_eq!(find("google", "gemini-2.5-pro").changes_above, Some(200_000));
        assert!(all.iter().all(|model| model.rates.iter().any(Option::is_some)));
    }

    #[test]
    fn prices_change_on_their_day() {
        let prices = json!([
            { "prices": { "input_mtok": 1 } },
            { "constraint": { "start_date": "2026-10-01" }, "prices": { "input_mtok": 2 } },
            { "constraint": { "start_time": "00:30:00Z", "end_time": "16:30:00Z" }, "prices": { "input_mtok": 3 } },
        ]);
        let input = |today| current(&prices, today).map(|prices| prices["input_mtok"].clone());
        assert_eq!((input("2026-09-30"), input("2026-10-01")), (Some(json!(1)), Some(json!(2))));
    }
}
