//! Anthropic's Messages API.

mod cache;
mod decode;
mod encode;
mod format;
mod messages;
pub(super) mod models;
pub(super) mod thinking;
mod tools;

pub(super) use format::{has_structured_outputs, schema_form};

use super::{EncodedRequest, KnownOptions, TierForm, UnsupportedContent, WireDecoder, WireFormat, tier};
use crate::identifiers::Identifiers;
use lmthing_base::chat::ModelRequest;

#[derive(Clone, Copy, Debug)]
pub(crate) struct AnthropicWire;

impl WireFormat for AnthropicWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        encode::encode(request, model_id)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::AnthropicDecoder::default())
    }

    fn identifiers(&self, _model_id: &str) -> Identifiers {
        Identifiers::ANTHROPIC
    }

    fn tiers(&self) -> &'static [TierForm] {
        tier::ANTHROPIC
    }

    fn known_options(&self) -> Option<KnownOptions> {
        let others = &["thinking", "effort", "metadata", "toolStreaming", "disableParallelToolUse", "sendReasoning"];
        Some(KnownOptions { names: &["anthropic"], tables: &[], others })
    }
}
