//! Service tiers of each API: `options.tier` (docs/reference/model-settings.md).

use serde_json::{Map, Value, json};

use super::{encoded_request::EncodedRequest, settings::Warnings};
use lmthing_base::chat::{CallWarning, Tier};

/// How an API is asked for a tier.
#[derive(Clone, Copy, Debug)]
pub struct TierForm {
    pub tier: Tier,
    pub word: &'static str,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Field(&'static str),
    /// `{type: word}` in a field.
    TypeOf(&'static str),
    /// A field that needs a value of the header `anthropic-beta`.
    BetaField(&'static str, &'static str),
    Header(&'static str),
    /// The tier of requests that ask for none.
    Unsaid,
}

const fn form(tier: Tier, word: &'static str, place: Place) -> TierForm {
    TierForm { tier, word, place }
}

const SERVICE_TIER: Place = Place::Field("service_tier");

pub(super) const OPENAI: &[TierForm] = &[
    form(Tier::Flex, "flex", SERVICE_TIER),
    form(Tier::Standard, "default", SERVICE_TIER),
    form(Tier::Priority, "priority", SERVICE_TIER),
];

pub(super) const XAI: &[TierForm] =
    &[form(Tier::Standard, "default", SERVICE_TIER), form(Tier::Priority, "priority", SERVICE_TIER)];

pub(super) const GROQ: &[TierForm] = &[
    form(Tier::Flex, "flex", SERVICE_TIER),
    form(Tier::Standard, "on_demand", SERVICE_TIER),
    form(Tier::Priority, "performance", SERVICE_TIER),
];

pub(super) const ANTHROPIC: &[TierForm] = &[
    form(Tier::Standard, "standard_only", SERVICE_TIER),
    // Uses the account's priority capacity, if it has any left.
    form(Tier::Priority, "auto", SERVICE_TIER),
    form(Tier::Fast, "fast", Place::BetaField("speed", FAST_MODE_BETA)),
];

pub(super) const FAST_MODE_BETA: &str = "fast-mode-2026-02-01";

pub(super) const GEMINI: &[TierForm] = &[
    form(Tier::Flex, "flex", Place::Field("serviceTier")),
    form(Tier::Standard, "standard", Place::Field("serviceTier")),
    form(Tier::Priority, "priority", Place::Field("serviceTier")),
];

pub(super) const VERTEX_HEADER: &str = "x-vertex-ai-llm-shared-request-type";

pub(super) const VERTEX: &[TierForm] = &[
    form(Tier::Flex, "flex", Place::Header(VERTEX_HEADER)),
    form(Tier::Standard, "standard", Place::Unsaid),
    form(Tier::Priority, "priority", Place::Header(VERTEX_HEADER)),
];

pub(super) const BEDROCK: &[TierForm] = &[
    form(Tier::Flex, "flex", Place::TypeOf("serviceTier")),
    form(Tier::Standard, "default", Place::TypeOf("serviceTier")),
    form(Tier::Priority, "priority", Place::TypeOf("serviceTier")),
];

impl EncodedRequest {
    /// Asks for a tier, unless provider options have done so.
    pub(crate) fn put_tier(&mut self, tier: Tier, forms: &[TierForm]) {
        let Some(form) = forms.iter().find(|form| form.tier == tier) else {
            return self.warnings.extend(warn_unknown(tier, forms));
        };
        let Value::Object(body) = &mut self.body else { return };
        match form.place {
            Place::Field(name) => put(body, name, form.word.into()),
            Place::TypeOf(name) => put(body, name, json!({ "type": form.word })),
            Place::BetaField(name, beta) => {
                put(body, name, form.word.into());
                self.add_beta(beta);
            }
            Place::Header(name) => {
                if !self.headers.iter().any(|(known, _)| *known == name) {
                    self.headers.push((name, form.word.to_owned()));
                }
            }
            Place::Unsaid => {}
        }
    }
}

fn put(body: &mut Map<String, Value>, name: &str, value: Value) {
    body.entry(name).or_insert(value);
}

fn warn_unknown(tier: Tier, forms: &[TierForm]) -> Vec<CallWarning> {
    let mut warnings = Warnings::default();
    let known: Vec<&str> = forms.iter().map(|form| form.tier.name()).collect();
    let tiers = if known.is_empty() { "no tiers".to_owned() } else { format!("only '{}'", known.join("', '")) };
    warnings.changed("tier", format!("this provider has {tiers}; tier '{}' was left out", tier.name()));
    warnings.into_vec()
}
