//! The bundled price table. The section of a provider is loaded on first use, as most runs need one or none.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use genai_prices::{Calculator, PriceRequest, UsageKey};
use serde_json::Value;

use super::{archive, priced_model::PricedModel};
use crate::chat::Usage;

/// Ids of the table and the names of their providers in lmthing, the usual one first. Other providers have the same name.
const NAMES: [(&str, &[&str]); 9] = [
    ("google", &["google", "vertex"]),
    ("aws", &["bedrock"]),
    ("x-ai", &["xai", "grok"]),
    ("moonshotai", &["moonshot", "kimi"]),
    ("zai", &["zai", "glm"]),
    ("zhipuai", &["zhipu"]),
    ("together", &["together", "togetherai"]),
    ("github-copilot", &["github-copilot", "copilot"]),
    ("voyageai", &["voyageai", "voyage"]),
];

pub(super) fn usual_name(id: &str) -> &str {
    NAMES.iter().find(|(theirs, _)| *theirs == id).and_then(|(_, ours)| ours.first()).copied().unwrap_or(id)
}

#[derive(Default)]
pub(super) struct PriceTable {
    providers: RefCell<HashMap<String, Option<Rc<Provider>>>>,
    index: RefCell<Option<Rc<Index>>>,
}

struct Provider {
    prices: Calculator,
    /// Providers whose models this one offers at their price.
    fallbacks: Vec<String>,
}

/// What is known without loading a provider.
struct Index {
    addresses: Option<Calculator>,
}

thread_local! {
    /// Shared by all runs of the thread: loading a provider takes milliseconds, and `map` has thousands of runs.
    static THREAD_TABLE: Rc<PriceTable> = Rc::default();
}

impl PriceTable {
    pub(super) fn for_thread() -> Rc<Self> {
        THREAD_TABLE.with(Rc::clone)
    }

    pub(super) fn cost(&self, model: &PricedModel<'_>, usage: &Usage) -> Option<f64> {
        let counts = counts(usage)?;
        self.price(model, &counts)
    }

    fn price(&self, model: &PricedModel<'_>, counts: &genai_prices::Usage) -> Option<f64> {
        let id = self.provider_id(model)?;
        let names = [Some(model.model_id), model.answered_by].into_iter().flatten();
        names.into_iter().find_map(|name| self.price_at(&id, name, counts))
    }

    fn price_at(&self, id: &str, model_id: &str, counts: &genai_prices::Usage) -> Option<f64> {
        // Google's own lists write ids with this prefix.
        let model_id = model_id.strip_prefix("models/").unwrap_or(model_id);
        let provider = self.provider(id)?;
        let ask = |id: &str, provider: &Provider| {
            let request = PriceRequest::new(model_id, counts).with_provider_id(id);
            provider.prices.calculate(&request).ok().map(|price| price.total_price)
        };
        let others = || provider.fallbacks.iter().find_map(|other| ask(other, &*self.provider(other)?));
        ask(id, &provider).or_else(others)
    }

    /// The table's id of the provider: by its name, else by its address.
    fn provider_id(&self, model: &PricedModel<'_>) -> Option<String> {
        // `openai.chat` is another API of `openai`.
        let name = model.provider.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let known =
            NAMES.iter().find(|(_, ours)| ours.contains(&name.as_str())).map_or(name.as_str(), |(theirs, _)| theirs);
        if archive::providers().any(|id| id == known) {
            return Some(known.to_owned());
        }
        let index = self.index();
        let found = index.addresses.as_ref()?.find_provider(None, Some(model.base_url?)).ok()??;
        Some(found.id().to_owned())
    }

    fn provider(&self, id: &str) -> Option<Rc<Provider>> {
        self.providers.borrow_mut().entry(id.to_owned()).or_insert_with(|| read_provider(id).map(Rc::new)).clone()
    }

    fn index(&self) -> Rc<Index> {
        self.index.borrow_mut().get_or_insert_with(|| Rc::new(read_index())).clone()
    }
}

fn read_provider(id: &str) -> Option<Provider> {
    let text = archive::read(id)?;
    let section: Value = serde_json::from_str(&text).ok()?;
    let fallbacks = section[0]["fallback_model_providers"].as_array().into_iter().flatten();
    let fallbacks = fallbacks.filter_map(|id| id.as_str().map(str::to_owned)).collect();
    Some(Provider { prices: Calculator::from_json(text).ok()?, fallbacks })
}

fn read_index() -> Index {
    let text = archive::read("index").unwrap_or_default();
    let index: Value = serde_json::from_str(&text).unwrap_or_default();
    Index { addresses: Calculator::from_json(index["providers"].to_string()).ok() }
}

/// The counts in the table's form, limited so that parts do not exceed the whole, which would be an error.
#[allow(clippy::cast_precision_loss)]
fn counts(usage: &Usage) -> Option<genai_prices::Usage> {
    let (input, output) = usage.input_tokens.zip(usage.output_tokens)?;
    let cached = usage.cached_input_tokens.unwrap_or(0).min(input);
    let written = usage.cache_write_tokens.unwrap_or(0).min(input - cached);
    let long = usage.long_cache_write_tokens.unwrap_or(0).min(written);
    let reasoning = usage.reasoning_tokens.unwrap_or(0).min(output);
    let counts = [
        (UsageKey::INPUT_TOKENS, input),
        (UsageKey::CACHE_READ_TOKENS, cached),
        (UsageKey::CACHE_WRITE_TOKENS, written),
        (UsageKey::CACHE_WRITE_1H_TOKENS, long),
        (UsageKey::OUTPUT_TOKENS, output),
        (UsageKey::OUTPUT_REASONING_TOKENS, reasoning),
    ];
    // A part that is 0 may have no price for this model.
    Some(counts.into_iter().filter(|(_, count)| *count > 0).map(|(key, count)| (key, count as f64)).collect())
}
