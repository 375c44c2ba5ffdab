//! The prices of the models of a run: built-in, of the environment and command, and of the files that are run.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use serde_json::Value;

use super::request::priced;
use crate::prompt::PriceList;
use lmthing_base::{
    chat::{BATCH_TIER, Tier, Usage},
    cost::{Estimate, InvalidPrices, OwnPrices, PRICES_VARIABLE, PricedModel, Prices, similar_model, tokens_of},
    diagnostic::Diagnostic,
};
use lmthing_providers::ModelIdentity;

const PLACE: &str = "config.prices";

pub(super) struct PriceBook {
    prices: RefCell<Prices>,
    of_files: RefCell<Vec<Rc<OwnPrices>>>,
    /// The longest input so far; estimates the next one where the price depends on the length.
    longest_input: Cell<u64>,
    /// Whether the run is of no file, so that messages name what the command takes.
    pub(super) has_no_file: bool,
}

impl PriceBook {
    pub(super) fn new(own: OwnPrices) -> Self {
        PriceBook {
            prices: RefCell::new(Prices::new(own)),
            of_files: RefCell::default(),
            longest_input: Cell::new(0),
            has_no_file: false,
        }
    }

    /// They override those of the environment.
    pub(super) fn add_own(&self, prices: &Value) -> Result<(), InvalidPrices> {
        let own = OwnPrices::from_json(PLACE, prices)?;
        let mut prices = self.prices.borrow_mut();
        let own = own.over(prices.own().clone());
        prices.set_own_prices(own);
        Ok(())
    }

    /// Adds the prices of a file that is run from code; those of the file `outer` that runs it override them.
    pub(super) fn add_file(&self, prices: &Value, outer: Option<PriceList>) -> Result<PriceList, InvalidPrices> {
        let own = OwnPrices::from_json(PLACE, prices)?;
        // The file that runs another one decides on the prices.
        let own = match outer.and_then(|list| self.of_file(list)) {
            Some(outer) => (*outer).clone().over(own),
            None => own,
        };
        let mut lists = self.of_files.borrow_mut();
        // A file may run another one many times.
        let known = lists.iter().position(|list| **list == own);
        let index = known.unwrap_or_else(|| {
            lists.push(Rc::new(own));
            lists.len() - 1
        });
        Ok(PriceList(index))
    }

    pub(super) fn of_file(&self, list: PriceList) -> Option<Rc<OwnPrices>> {
        self.of_files.borrow().get(list.0).cloned()
    }

    pub(super) fn cost(&self, model: &PricedModel<'_>, usage: &Usage) -> Option<f64> {
        self.prices.borrow().cost(model, usage)
    }

    pub(super) fn record_usage(&self, usage: &Usage) {
        self.longest_input.set(self.longest_input.get().max(usage.input_tokens.unwrap_or(0)));
    }

    /// Fails if the price of a search of one of these models is unknown.
    pub(super) fn check_searches(
        &self,
        models: &[ModelIdentity],
        file_prices: Option<&OwnPrices>,
    ) -> Result<(), Box<Diagnostic>> {
        let prices = self.prices.borrow();
        let is_unknown = |model: &&ModelIdentity| prices.search_cost(&priced(model, file_prices), 1).is_none();
        models.iter().find(is_unknown).map_or(Ok(()), |model| Err(Box::new(unknown_search_price(model))))
    }

    /// Estimates the input and the price of an output token of a request with this many characters. Of several
    /// possible models the highest price counts.
    pub(super) fn estimate(
        &self,
        (length, is_batched): (u64, bool),
        model_identities: &[ModelIdentity],
        file_prices: Option<&OwnPrices>,
        tier: Option<Tier>,
    ) -> Result<Estimate, Box<Diagnostic>> {
        let mut estimate = Estimate { input_tokens: tokens_of(length), ..Estimate::default() };
        let prices = self.prices.borrow();
        let input = Usage::new(Some(estimate.input_tokens), Some(0));
        // Where the price depends on the length, the next input is probably not shorter.
        let length = self.longest_input.get().max(estimate.input_tokens);
        for answerer in model_identities {
            let tier = tier.filter(|tier| answerer.tiers.contains(tier));
            let model = PricedModel {
                tier: if is_batched { Some(BATCH_TIER) } else { tier.map(Tier::name) },
                ..priced(answerer, file_prices)
            };
            let (Some(cost), Some(price)) = (prices.cost(&model, &input), prices.output_token_price(&model, length))
            else {
                return Err(Box::new(unknown_price(answerer, tier, self.has_no_file)));
            };
            estimate.input_cost = estimate.input_cost.max(cost);
            estimate.output_token_price = estimate.output_token_price.max(price);
        }
        Ok(estimate)
    }
}

fn unknown_price(answerer: &ModelIdentity, tier: Option<Tier>, has_no_file: bool) -> Diagnostic {
    let (limit, prices) = match has_no_file {
        true => ("--max-cost", ""),
        false => ("--max-cost, config.limits.cost", "config.prices or in "),
    };
    let name = format!("{}:{}", answerer.provider, answerer.model_id);
    let tier = tier.filter(|tier| *tier != Tier::Standard).map(Tier::name);
    let in_tier = tier.map(|tier| format!(" in the tier '{tier}'")).unwrap_or_default();
    let message = format!("The price of {name}{in_tier} is not known, so a limit on cost ({limit}) cannot be kept");
    let mut entry = serde_json::json!({ "input": 1, "output": 4 });
    if let Some(tier) = tier {
        entry[tier] = entry.clone();
    }
    let entry = serde_json::json!({ name: entry });
    let meant =
        similar_model(&answerer.provider, &answerer.model_id, &jiff::Timestamp::now().strftime("%F").to_string());
    let meant = meant.map(|id| format!("Did you mean {}:{id}? ", answerer.provider)).unwrap_or_default();
    let hint = format!(
        "{meant}Say what it costs in US dollars per million tokens, in {prices}{PRICES_VARIABLE}, such as {entry}."
    );
    Diagnostic::new(message).with_hint(hint)
}

fn unknown_search_price(model: &ModelIdentity) -> Diagnostic {
    let name = format!("{}:{}", model.provider, model.model_id);
    let message = format!(
        "The price of a web search of {name} is not known, so a limit on cost (--max-cost, config.limits.cost) cannot be kept"
    );
    let entry = serde_json::json!({ name: { "webSearch": 10 } });
    let hint = format!(
        "Say what 1000 searches cost in US dollars, in config.prices or in {PRICES_VARIABLE}, such as {entry}."
    );
    Diagnostic::new(message).with_hint(hint)
}
