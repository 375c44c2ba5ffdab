//! OpenAI's Responses API, also on Azure.

mod annotations;
mod decode;
mod encode;
mod input;
mod items;
mod options;
mod summaries;
mod tools;
mod whole;

use super::{
    CacheForm, EncodedRequest, KnownOptions, TierForm, UnsupportedContent, WireDecoder, WireFormat, cache::rules, tier,
};
use crate::identifiers::Identifiers;
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest},
};

#[derive(Clone, Debug)]
pub(crate) struct ResponsesWire {
    path: String,
    option_names: &'static [&'static str],
}

impl ResponsesWire {
    pub(crate) fn openai() -> Self {
        ResponsesWire { path: "/responses".into(), option_names: &["openai"] }
    }

    pub(crate) fn xai() -> Self {
        ResponsesWire { path: "/responses".into(), option_names: &["xai"] }
    }

    pub(crate) fn azure(api_version: &str) -> Self {
        ResponsesWire { path: format!("/v1/responses?api-version={api_version}"), option_names: &["azure", "openai"] }
    }
}

impl WireFormat for ResponsesWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        encode::encode(request, model_id, &self.path, self.option_names)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::ResponsesDecoder::new(self.option_names[0]))
    }

    fn whole_answer(&self, answer: &str) -> Option<Vec<String>> {
        Some(whole::events(answer))
    }

    fn identifiers(&self, _model_id: &str) -> Identifiers {
        Identifiers::OPENAI
    }

    fn tiers(&self) -> &'static [TierForm] {
        if tools::is_xai(self.option_names) { tier::XAI } else { tier::OPENAI }
    }

    fn cache_form(&self, _model_id: &str) -> CacheForm {
        if tools::is_xai(self.option_names) { CacheForm::KEY } else { CacheForm::OPENAI }
    }

    fn cache_rules(&self, model_id: &str, settings: &CallSettings) -> CacheRules {
        if tools::is_xai(self.option_names) { rules::XAI } else { rules::openai(model_id, settings) }
    }

    fn known_options(&self) -> Option<KnownOptions> {
        Some(options::known(self.option_names))
    }
}
