//! Anthropic's Messages API.

mod cache;
mod citations;
mod decode;
mod encode;
mod format;
mod messages;
pub(super) mod models;
mod options;
pub(super) mod thinking;
mod tools;
mod unsigned;
mod whole;

pub(super) use format::{has_structured_outputs, schema_form, takes_format};

use super::{CacheForm, EncodedRequest, KnownOptions, TierForm, UnsupportedContent, WireDecoder, WireFormat, tier};
use crate::identifiers::Identifiers;
use lmthing_base::{
    cache::{CacheCertainty, CacheRules},
    chat::{CallSettings, ModelRequest},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct AnthropicWire;

impl WireFormat for AnthropicWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        let mut encoded = encode::encode(request, model_id)?;
        unsigned::leave_out(&mut encoded, None);
        Ok(encoded)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::AnthropicDecoder::default())
    }

    fn whole_answer(&self, answer: &str) -> Option<Vec<String>> {
        Some(whole::events(answer))
    }

    fn identifiers(&self, _model_id: &str) -> Identifiers {
        Identifiers::ANTHROPIC
    }

    fn tiers(&self) -> &'static [TierForm] {
        tier::ANTHROPIC
    }

    fn cache_form(&self, _model_id: &str) -> CacheForm {
        CacheForm::MARKS
    }

    fn cache_rules(&self, model_id: &str, settings: &CallSettings) -> CacheRules {
        cache::rules(model_id, settings)
    }

    fn known_options(&self) -> Option<KnownOptions> {
        let others = &[
            "thinking",
            "effort",
            "metadata",
            "toolStreaming",
            "disableParallelToolUse",
            "sendReasoning",
            "structuredOutputMode",
            "taskBudget",
            "anthropicBeta",
        ];
        Some(KnownOptions { names: &["anthropic"], tables: &[&options::OPTIONS], others })
    }
}

/// The same at another address: a gateway to Anthropic, or another service, whose thinking may lack a signature and has
/// to come back all the same.
#[derive(Clone, Debug)]
pub(crate) struct CompatibleWire {
    /// The origin of its URL.
    pub server: String,
}

impl WireFormat for CompatibleWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        let mut encoded = encode::encode(request, model_id)?;
        unsigned::leave_out(&mut encoded, Some(&self.server));
        Ok(encoded)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::AnthropicDecoder::of(&self.server))
    }

    fn whole_answer(&self, answer: &str) -> Option<Vec<String>> {
        AnthropicWire.whole_answer(answer)
    }

    fn identifiers(&self, model_id: &str) -> Identifiers {
        AnthropicWire.identifiers(model_id)
    }

    fn tiers(&self) -> &'static [TierForm] {
        AnthropicWire.tiers()
    }

    fn cache_form(&self, model_id: &str) -> CacheForm {
        AnthropicWire.cache_form(model_id)
    }

    fn cache_rules(&self, model_id: &str, settings: &CallSettings) -> CacheRules {
        let rules = AnthropicWire.cache_rules(model_id, settings);
        if model_id.contains("claude") { rules } else { CacheRules { certainty: CacheCertainty::Unknown, ..rules } }
    }

    fn known_options(&self) -> Option<KnownOptions> {
        AnthropicWire.known_options()
    }
}
