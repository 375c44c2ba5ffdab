//! OpenAI's Responses API, which azure speaks too.

mod decode;
mod encode;
mod format;
mod input;

use super::{EncodedRequest, KnownOptions, WireDecoder, WireFormat};
use crate::chat::ModelRequest;

/// The Responses format.
#[derive(Clone, Debug)]
pub(crate) struct ResponsesWire {
    path: String,
    /// Names under which provider options and metadata are found, the provider's own first.
    option_names: &'static [&'static str],
}

impl ResponsesWire {
    /// As OpenAI serves it.
    pub(crate) fn openai() -> Self {
        ResponsesWire { path: "/responses".into(), option_names: &["openai"] }
    }

    /// As azure serves it; `api_version` is `v1` unless set.
    pub(crate) fn azure(api_version: &str) -> Self {
        ResponsesWire { path: format!("/v1/responses?api-version={api_version}"), option_names: &["azure", "openai"] }
    }
}

impl WireFormat for ResponsesWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, String> {
        encode::encode(request, model_id, &self.path, self.option_names)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::ResponsesDecoder::new(self.option_names[0]))
    }

    fn known_options(&self) -> Option<KnownOptions> {
        let others = &[
            "textVerbosity",
            "logprobs",
            "reasoningEffort",
            "reasoning_effort",
            "reasoningSummary",
            "forceReasoning",
            "strictJsonSchema",
        ];
        Some(KnownOptions { names: self.option_names, tables: &[&encode::OPTIONS], others })
    }
}
