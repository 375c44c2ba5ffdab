//! Amazon Bedrock's ConverseStream.

mod cache;
mod decode;
mod encode;
mod messages;
mod reasoning;
mod thinking;

use super::{CacheForm, EncodedRequest, Framing, TierForm, UnsupportedContent, WireDecoder, WireFormat, tier};
use crate::identifiers::Identifiers;
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct BedrockWire;

impl WireFormat for BedrockWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        encode::encode(request, model_id)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::BedrockDecoder::default())
    }

    fn identifiers(&self, model_id: &str) -> Identifiers {
        if model_id.contains("mistral.") { Identifiers::MISTRAL } else { Identifiers::BEDROCK }
    }

    fn tiers(&self) -> &'static [TierForm] {
        tier::BEDROCK
    }

    fn cache_form(&self, _model_id: &str) -> CacheForm {
        CacheForm::MARKS
    }

    fn cache_rules(&self, model_id: &str, settings: &CallSettings) -> CacheRules {
        cache::rules(model_id, settings)
    }

    fn framing(&self) -> Framing {
        Framing::AwsEventStream
    }
}
