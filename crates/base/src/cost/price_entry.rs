//! The prices of one model, as the user writes them (docs/reference/cost.md).

use serde_json::{Map, Value};

use super::rates::Rates;
use crate::{chat::Tier, diagnostic::closest};

const RATES: [&str; 4] = ["input", "cachedInput", "cacheWrite", "output"];

/// US dollars for 1000 searches of the provider's own.
const WEB_SEARCH: &str = "webSearch";

/// Fields with the prices of a tier, which are objects of [`RATES`].
const TIERS: [Tier; 3] = [Tier::Flex, Tier::Priority, Tier::Fast];

/// The prices of requests that batches answer: a factor of the standard tier, or rates of their own.
const BATCH: &str = "batch";

/// The prices of one model. A part that is missing has its usual price.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceEntry {
    pub tokens: Option<TokenPrices>,
    /// US dollars for 1000 searches of the provider's own.
    pub web_search: Option<f64>,
    pub batch: Option<BatchPrice>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TokenPrices {
    pub standard: Rates,
    pub tiers: Vec<(Tier, Rates)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BatchPrice {
    Factor(f64),
    Rates(Rates),
}

impl BatchPrice {
    /// That of all providers with batches.
    pub const USUAL: BatchPrice = BatchPrice::Factor(0.5);
}

/// What is wrong in an entry; `fields` lead to the value.
#[derive(Debug)]
pub(super) struct InvalidEntry {
    pub(super) fields: Vec<String>,
    pub(super) problem: String,
}

impl PriceEntry {
    pub(super) fn from_json(entry: &Value) -> Result<Self, InvalidEntry> {
        let known: Vec<&str> = RATES.into_iter().chain(TIERS.map(Tier::name)).chain([BATCH, WEB_SEARCH]).collect();
        let entry = object(entry, &known)?;
        let (web_search, batch) = (price(entry, WEB_SEARCH)?, batch(entry)?);
        let is_without_tokens = entry.keys().all(|key| [BATCH, WEB_SEARCH].contains(&key.as_str()));
        let has_others = web_search.is_some() || batch.is_some();
        let tokens = if is_without_tokens && has_others { None } else { Some(TokenPrices::from_json(entry)?) };
        Ok(PriceEntry { tokens, web_search, batch })
    }

    /// The prices with those of another entry where these are missing.
    pub(super) fn or(self, other: PriceEntry) -> Self {
        PriceEntry {
            tokens: self.tokens.or(other.tokens),
            web_search: self.web_search.or(other.web_search),
            batch: self.batch.or(other.batch),
        }
    }
}

impl TokenPrices {
    fn from_json(entry: &Map<String, Value>) -> Result<Self, InvalidEntry> {
        let tier = |tier: Tier| {
            let given = entry.get(tier.name()).filter(|value| !value.is_null())?;
            let rates = object(given, &RATES).and_then(rates);
            Some(rates.map(|rates| (tier, rates)).map_err(|error| error.within(tier.name())))
        };
        let tiers = TIERS.into_iter().filter_map(tier).collect::<Result<_, _>>()?;
        Ok(TokenPrices { standard: rates(entry)?, tiers })
    }

    /// The rates of a tier, if they are known.
    pub fn rates(&self, tier: Tier) -> Option<&Rates> {
        match tier {
            Tier::Standard => Some(&self.standard),
            tier => self.tiers.iter().find(|(known, _)| *known == tier).map(|(_, rates)| rates),
        }
    }
}

impl InvalidEntry {
    pub(super) fn whole(problem: String) -> Self {
        InvalidEntry { fields: Vec::new(), problem }
    }

    fn field(name: &str, problem: String) -> Self {
        InvalidEntry { fields: vec![name.to_owned()], problem }
    }

    fn within(mut self, name: &str) -> Self {
        self.fields.insert(0, name.to_owned());
        self
    }
}

fn object<'a>(value: &'a Value, known: &[&str]) -> Result<&'a Map<String, Value>, InvalidEntry> {
    let Value::Object(object) = value else {
        let problem = format!("must be an object with {}, got {}", RATES.join(", "), shown(value));
        return Err(InvalidEntry::whole(problem));
    };
    let Some(unknown) = object.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(object) };
    let advice = match closest(unknown, known.iter().copied()) {
        Some(known) => format!("did you mean \"{known}\"?"),
        None => format!("known are {}", known.join(", ")),
    };
    Err(InvalidEntry::field(unknown, format!("is not known; {advice}")))
}

fn rates(entry: &Map<String, Value>) -> Result<Rates, InvalidEntry> {
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

fn batch(entry: &Map<String, Value>) -> Result<Option<BatchPrice>, InvalidEntry> {
    match entry.get(BATCH) {
        None | Some(Value::Null) => Ok(None),
        Some(own @ Value::Object(_)) => {
            let rates = object(own, &RATES).and_then(rates).map_err(|error| error.within(BATCH))?;
            Ok(Some(BatchPrice::Rates(rates)))
        }
        Some(value) => match value.as_f64().filter(|factor| (0.0..=1.0).contains(factor)) {
            Some(factor) => Ok(Some(BatchPrice::Factor(factor))),
            None => {
                let expected = "expected a factor from 0 to 1, such as 0.5, or an object with the prices of batches";
                Err(InvalidEntry::field(BATCH, format!("is {}; {expected}", shown(value))))
            }
        },
    }
}

const EXPECTED: &str = "expected US dollars per million tokens, a number of 0 or more";

const EXPECTED_SEARCH: &str = "expected US dollars per 1000 searches, a number of 0 or more";

fn price(entry: &Map<String, Value>, field: &str) -> Result<Option<f64>, InvalidEntry> {
    match entry.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|price| price.is_finite() && *price >= 0.0) {
            Some(price) => Ok(Some(price)),
            None => {
                let expected = if field == WEB_SEARCH { EXPECTED_SEARCH } else { EXPECTED };
                Err(InvalidEntry::field(field, format!("is {}; {expected}", shown(value))))
            }
        },
    }
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= 40 { text } else { text.chars().take(39).chain(['…']).collect() }
        }
    }
}
