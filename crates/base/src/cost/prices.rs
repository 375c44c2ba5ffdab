//! Computes what an answer costs: by the user's own prices, as free on this machine, or by the price table.

use std::rc::Rc;

use super::{
    own_prices::OwnPrices,
    price_entry::{BatchPrice, PriceEntry},
    price_table::PriceTable,
    priced_model::PricedModel,
};
use crate::chat::{BATCH_TIER, Tier, Usage};

pub struct Prices {
    own: OwnPrices,
    table: Rc<PriceTable>,
}

impl Default for Prices {
    fn default() -> Self {
        Prices::new(OwnPrices::default())
    }
}

impl Prices {
    pub fn new(own: OwnPrices) -> Self {
        Prices { own, table: PriceTable::for_thread() }
    }

    pub fn own(&self) -> &OwnPrices {
        &self.own
    }

    /// Replaces the user's prices; the loaded parts of the table stay loaded.
    pub fn set_own_prices(&mut self, own: OwnPrices) {
        self.own = own;
    }

    /// The cost of an answer in US dollars; `None` if the price or the token counts are unknown.
    pub fn cost(&self, model: &PricedModel<'_>, usage: &Usage) -> Option<f64> {
        let tokens = match model.tier {
            Some(BATCH_TIER) => self.batch_cost(model, usage),
            None => self.token_cost(model, Some(Tier::Standard), usage),
            Some(tier) => self.token_cost(model, Tier::of_answer(tier), usage),
        };
        // The cost of any search stands for that of an unknown number.
        let uncounted = u64::from(usage.has_uncounted_searches);
        let searches = self.search_cost(model, usage.web_searches.unwrap_or(uncounted))?;
        (uncounted == 0 || searches == 0.0).then_some(tokens? + searches)
    }

    /// The part of an entry that the user has set.
    fn own_part<'a, T>(&'a self, model: &PricedModel<'a>, part: impl Fn(&'a PriceEntry) -> Option<T>) -> Option<T> {
        let of = |prices: &'a OwnPrices| prices.get(model.provider, model.model_id).and_then(&part);
        of(&self.own).or_else(|| model.file_prices.and_then(of))
    }

    fn token_cost(&self, model: &PricedModel<'_>, tier: Option<Tier>, usage: &Usage) -> Option<f64> {
        match self.own_part(model, |entry| entry.tokens.as_ref()) {
            Some(tokens) => tokens.rates(tier?)?.cost(usage),
            None if model.is_local => Some(0.0),
            // The table has the prices of the standard tier only.
            None => self.table.cost(model, usage).filter(|_| tier == Some(Tier::Standard)),
        }
    }

    fn batch_cost(&self, model: &PricedModel<'_>, usage: &Usage) -> Option<f64> {
        match self.own_part(model, |entry| entry.batch).unwrap_or(BatchPrice::USUAL) {
            BatchPrice::Rates(rates) => rates.cost(usage),
            BatchPrice::Factor(factor) => Some(factor * self.token_cost(model, Some(Tier::Standard), usage)?),
        }
    }

    /// The cost of searches that the provider has made; `None` if their price is unknown.
    #[allow(clippy::cast_precision_loss)]
    pub fn search_cost(&self, model: &PricedModel<'_>, searches: u64) -> Option<f64> {
        match self.own_part(model, |entry| entry.web_search) {
            Some(price) => Some(searches as f64 * price / 1000.0),
            None => (searches == 0 || model.is_local).then_some(0.0),
        }
    }

    /// The price of one output token after so many input tokens, which determine the rate of some models.
    pub fn output_token_price(&self, model: &PricedModel<'_>, input_tokens: u64) -> Option<f64> {
        // The table takes only whole tokens, so the price of many is divided.
        const MANY: u64 = 1_000_000;
        let with = |output| self.cost(model, &Usage::new(Some(input_tokens), Some(output)));
        #[allow(clippy::cast_precision_loss)]
        Some((with(MANY)? - with(0)?) / MANY as f64)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn million(provider: &str, model_id: &str) -> Option<f64> {
        let model = PricedModel { provider, model_id, ..PricedModel::default() };
        let prices = Prices::default();
        prices.output_token_price(&model, 10).map(|price| (price * 1e9).round() / 1e3)
    }

    #[test]
    fn searches_have_a_price_of_their_own_or_make_the_cost_unknown() {
        let model = PricedModel { provider: "openai", model_id: "gpt-4o", ..PricedModel::default() };
        let usage = |searches| Usage { web_searches: searches, ..Usage::new(Some(0), Some(0)) };
        assert_eq!(Prices::default().cost(&model, &usage(Some(0))), Some(0.0));
        assert_eq!(Prices::default().cost(&model, &usage(Some(2))), None);
        let table = json!({ "openai:gpt-4o": { "webSearch": 10 } });
        let prices = Prices::new(OwnPrices::from_json("config.prices", &table).unwrap());
        assert_eq!(prices.cost(&model, &usage(Some(2))), Some(0.02));
        // Tokens are priced by the table.
        assert_eq!(prices.cost(&model, &Usage::new(Some(0), Some(1_000_000))), Some(10.0));
        let local = PricedModel { is_local: true, ..PricedModel::default() };
        assert_eq!(prices.cost(&local, &usage(Some(2))), Some(0.0));
    }

    #[test]
    fn the_names_of_models_lead_to_their_prices() {
        for (provider, model_id, output) in [
            ("openai", "gpt-4o", 10.0),
            ("openai.chat", "gpt-4o-2024-08-06", 10.0),
            ("azure", "gpt-4o", 10.0),
            ("anthropic", "claude-sonnet-4-5-20250929", 15.0),
            ("vertex", "claude-sonnet-4-5@20250929", 15.0),
            ("google", "models/gemini-2.5-pro", 10.0),
            ("vertex", "gemini-2.5-pro", 10.0),
            ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 16.5),
            ("bedrock", "amazon.nova-pro-v1:0", 3.2),
            ("mistral", "mistral-large-latest", 6.0),
            ("groq", "openai/gpt-oss-120b", 0.6),
            ("cohere", "command-a-03-2025", 10.0),
            ("xai", "grok-4", 15.0),
            ("openrouter", "anthropic/claude-sonnet-4.5", 15.0),
        ] {
            assert_eq!(million(provider, model_id), Some(output), "{provider}:{model_id}");
        }
        for (provider, model_id) in [("openai", "gpt-x"), ("azure", "my-deployment"), ("lab", "gpt-4o"), ("mock", "")] {
            assert_eq!(million(provider, model_id), None, "{provider}:{model_id}");
        }
    }

    #[test]
    fn long_contexts_and_cached_tokens_have_rates_of_their_own() {
        let prices = Prices::default();
        let model = PricedModel { provider: "google", model_id: "gemini-2.5-pro", ..PricedModel::default() };
        assert!(prices.output_token_price(&model, 300_000) > prices.output_token_price(&model, 1_000));
        let usage = Usage::new(Some(1_000), Some(0));
        let cached = Usage { cached_input_tokens: Some(1_000), ..usage };
        assert!(prices.cost(&model, &cached) < prices.cost(&model, &usage));
        let impossible = Usage { cached_input_tokens: Some(9_000), reasoning_tokens: Some(9), ..usage };
        assert_eq!(prices.cost(&model, &impossible), prices.cost(&model, &cached));
        assert_eq!(prices.cost(&model, &Usage::default()), None);
    }

    #[test]
    fn writes_for_an_hour_cost_more() {
        let prices = Prices::default();
        let written = |model: &PricedModel<'_>, long| {
            let usage = Usage::new(Some(100_000), Some(0));
            let usage = Usage { cache_write_tokens: Some(100_000), long_cache_write_tokens: long, ..usage };
            prices.cost(model, &usage).map(|cost| (cost * 1e6).round())
        };
        for provider in ["anthropic", "vertex"] {
            let claude = PricedModel { provider, model_id: "claude-sonnet-4-5", ..PricedModel::default() };
            let costs = [None, Some(0), Some(50_000), Some(100_000), Some(900_000)].map(|long| written(&claude, long));
            assert_eq!(costs, [375_000.0, 375_000.0, 487_500.0, 600_000.0, 600_000.0].map(Some), "{provider}");
        }
        // Without a price of their own they have that of other writes.
        let gemini = PricedModel { provider: "google", model_id: "gemini-2.5-pro", ..PricedModel::default() };
        assert_eq!(written(&gemini, Some(100_000)), written(&gemini, None));
        assert!(written(&gemini, None).is_some());
    }

    #[test]
    fn services_are_known_by_address_and_deployments_by_their_answers() {
        let prices = Prices::default();
        let usage = Usage::new(Some(1_000_000), Some(0));
        let lab = PricedModel { provider: "lab", model_id: "deepseek-chat", ..PricedModel::default() };
        assert_eq!(prices.cost(&lab, &usage), None);
        let lab = PricedModel { base_url: Some("https://api.deepseek.com/v1"), ..lab };
        assert!(prices.cost(&lab, &usage) > Some(0.0));
        let azure = PricedModel { provider: "azure", model_id: "mine", ..PricedModel::default() };
        let azure = PricedModel { answered_by: Some("gpt-4o-2024-08-06"), ..azure };
        assert_eq!(prices.cost(&azure, &usage), Some(2.5));
    }

    #[test]
    fn own_prices_win_and_local_models_are_free() {
        let own = json!({ "lab:m": { "input": 3, "output": 4 }, "openai:gpt-4o": { "input": 1, "output": 1 } });
        let prices = Prices::new(OwnPrices::from_json("config.prices", &own).unwrap());
        let usage = Usage::new(Some(1_000_000), Some(1_000_000));
        let lab = |model_id| PricedModel { provider: "lab", model_id, is_local: true, ..PricedModel::default() };
        assert_eq!(prices.cost(&lab("m"), &usage), Some(7.0));
        assert_eq!(prices.cost(&lab("n"), &usage), Some(0.0));
        assert_eq!(prices.cost(&lab("n"), &Usage::default()), Some(0.0));
        let openai = PricedModel { provider: "openai", model_id: "gpt-4o", ..PricedModel::default() };
        assert_eq!(prices.cost(&openai, &usage), Some(2.0));
    }

    #[test]
    fn the_tier_of_the_answer_has_a_price_of_its_own() {
        let own = json!({ "openai:gpt-4o": { "input": 3, "output": 4, "flex": { "input": 1, "output": 2 } } });
        let prices = Prices::new(OwnPrices::from_json("config.prices", &own).unwrap());
        let usage = Usage::new(Some(1_000_000), Some(1_000_000));
        let cost = |model_id, tier| {
            prices.cost(&PricedModel { provider: "openai", model_id, tier, ..PricedModel::default() }, &usage)
        };
        assert_eq!((cost("gpt-4o", None), cost("gpt-4o", Some("default"))), (Some(7.0), Some(7.0)));
        assert_eq!((cost("gpt-4o", Some("flex")), cost("gpt-4o", Some("priority"))), (Some(3.0), None));
        assert_eq!(cost("gpt-4o", Some("scale")), None);
        assert!(cost("gpt-4o-mini", Some("default")) > Some(0.0));
        assert_eq!(cost("gpt-4o-mini", Some("flex")), None);
    }

    #[test]
    fn answers_of_batches_cost_half_unless_set() {
        let own = json!({
            "openai:half": { "input": 3, "output": 4, "flex": { "input": 1, "output": 2 }, "webSearch": 10 },
            "openai:third": { "input": 3, "output": 6, "batch": 0.25 },
            "openai:rates": { "input": 3, "output": 6, "batch": { "input": 1, "cachedInput": 0, "output": 2 } },
            "openai:gpt-4o": { "batch": 0.1 },
            "lab:free": { "batch": 0.1 },
        });
        let prices = Prices::new(OwnPrices::from_json("config.prices", &own).unwrap());
        let model = |provider, model_id| PricedModel { provider, model_id, tier: Some("batch"), ..Default::default() };
        let usage = Usage::new(Some(1_000_000), Some(1_000_000));
        let cost = |model_id| prices.cost(&model("openai", model_id), &usage);
        assert_eq!(["half", "third", "rates"].map(cost), [3.5, 2.25, 3.0].map(Some));
        // The table has 2.5 and 10 for this one.
        assert_eq!(cost("gpt-4o").map(|cost| (cost * 1e6).round()), Some(1_250_000.0));
        assert_eq!(Prices::default().cost(&model("openai", "gpt-4o"), &usage), Some(6.25));
        assert_eq!(cost("unknown"), None);
        // Searches have no other price in batches.
        let searched = Usage { web_searches: Some(100), ..usage };
        assert_eq!(prices.cost(&model("openai", "half"), &searched), Some(4.5));
        let local = PricedModel { is_local: true, ..model("lab", "free") };
        assert_eq!(prices.cost(&local, &usage), Some(0.0));
        let cached = Usage { cached_input_tokens: Some(1_000_000), ..usage };
        assert_eq!(prices.cost(&model("openai", "rates"), &cached), Some(2.0));
    }
}
