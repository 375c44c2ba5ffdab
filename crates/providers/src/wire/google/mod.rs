//! Gemini, at Google's Generative Language API and at Vertex AI.

mod contents;
mod decode;
mod encode;
mod format;
mod grounding;
mod model_name;
mod schema;
mod server_calls;
mod thinking;
mod tools;

use super::{EncodedRequest, KnownOptions, TierForm, UnsupportedContent, WireDecoder, WireFormat, cache::rules, tier};
use crate::identifiers::Identifiers;
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct GoogleWire {
    option_names: &'static [&'static str],
}

impl GoogleWire {
    pub(crate) fn generative_language() -> Self {
        GoogleWire { option_names: &["google"] }
    }

    pub(crate) fn vertex() -> Self {
        GoogleWire { option_names: &["vertex", "google"] }
    }
}

impl WireFormat for GoogleWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        encode::encode(request, model_id, self.option_names)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::GoogleDecoder::new(self.option_names[0]))
    }

    fn whole_answer(&self, answer: &str) -> Option<Vec<String>> {
        Some(vec![answer.to_owned()])
    }

    fn identifiers(&self, _model_id: &str) -> Identifiers {
        Identifiers::GEMINI
    }

    fn tiers(&self) -> &'static [TierForm] {
        if self.option_names.contains(&"vertex") { tier::VERTEX } else { tier::GEMINI }
    }

    fn cache_rules(&self, model_id: &str, _settings: &CallSettings) -> CacheRules {
        let name = model_name::bare_name(model_id);
        rules::gemini(model_name::version(&name), name.contains("flash"))
    }

    fn known_options(&self) -> Option<KnownOptions> {
        Some(encode::known_options(self.option_names))
    }
}
