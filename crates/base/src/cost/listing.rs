//! Lists the models of the price table.

use serde_json::Value;

use super::{
    archive,
    price_table::{PriceTable, usual_name},
    priced_model::PricedModel,
};
use crate::chat::Usage;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceSource {
    pub version: String,
    /// The last day on which a price was checked, according to its notes.
    pub checked: Option<String>,
}

/// A model of the table, with US dollars per million tokens; `None` where it has no such price.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedModel {
    pub provider: String,
    pub model_id: String,
    /// Input, cached input, cache writes, output.
    pub rates: [Option<f64>; 4],
    /// The number of input tokens above which another price applies.
    pub changes_above: Option<u64>,
}

const KEYS: [&str; 4] = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok"];

pub fn price_source() -> PriceSource {
    let index: Value = archive::read("index").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let text = |key: &str| index[key].as_str().map(str::to_owned);
    PriceSource { version: text("version").unwrap_or_default(), checked: text("checked") }
}

/// All models of the table, grouped by provider, with the prices of the day `today` (`2026-11-21`). Ids for which the table
/// itself finds no price are left out: they only group other names.
pub fn listed_models(today: &str) -> Vec<ListedModel> {
    let table = PriceTable::default();
    archive::providers().flat_map(|id| entries(id, today)).filter(|model| model.is_found(&table)).collect()
}

/// The ids of a provider's models. Loads only this provider.
pub(super) fn model_ids(provider: &str, today: &str) -> Vec<String> {
    let sections = archive::providers().filter(|id| usual_name(id) == provider);
    sections.flat_map(|id| entries(id, today)).map(|model| model.model_id).collect()
}

fn entries(id: &str, today: &str) -> Vec<ListedModel> {
    let section: Value = archive::read(id).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let models = section[0]["models"].as_array().into_iter().flatten();
    models.filter_map(|model| entry(usual_name(id), model, today)).collect()
}

impl ListedModel {
    fn is_found(&self, table: &PriceTable) -> bool {
        let model = PricedModel { provider: &self.provider, model_id: &self.model_id, ..PricedModel::default() };
        let [input, _, _, output] = self.rates.map(|rate| Some(u64::from(rate.is_some())));
        table.cost(&model, &Usage::new(input, output)).is_some()
    }
}

fn entry(provider: &str, model: &Value, today: &str) -> Option<ListedModel> {
    let prices = current(&model["prices"], today)?;
    // A price that depends on the length of the input has a base and tiers.
    let rate = |key: &str| prices[key].as_f64().or_else(|| prices[key]["base"].as_f64());
    let starts = KEYS.iter().filter_map(|key| prices[*key]["tiers"][0]["start"].as_u64());
    Some(ListedModel {
        provider: provider.to_owned(),
        model_id: model["id"].as_str()?.to_owned(),
        rates: KEYS.map(rate),
        changes_above: starts.min(),
    })
}

/// The prices that apply on the day `today`. Prices by the hour are ignored here.
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
        let source = price_source();
        assert!(source.version.starts_with("0.2.") && source.checked.is_some(), "{source:?}");
        let all = listed_models("2026-11-21");
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
