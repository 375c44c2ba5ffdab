//! Gemini, at Google's Generative Language API and at Vertex AI.

mod contents;
mod decode;
mod encode;
mod format;
mod models;
mod schema;
mod thinking;

use super::{EncodedRequest, KnownOptions, WireDecoder, WireFormat};
use crate::chat::ModelRequest;

/// The Gemini format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GoogleWire {
    /// Names under which provider options and metadata are found, the provider's own first.
    option_names: &'static [&'static str],
}

impl GoogleWire {
    /// At the Generative Language API.
    pub(crate) fn generative_language() -> Self {
        GoogleWire { option_names: &["google"] }
    }

    /// At Vertex AI.
    pub(crate) fn vertex() -> Self {
        GoogleWire { option_names: &["vertex", "google"] }
    }
}

impl WireFormat for GoogleWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, String> {
        encode::encode(request, model_id, self.option_names)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::GoogleDecoder::new(self.option_names[0]))
    }

    fn known_options(&self) -> Option<KnownOptions> {
        let others = &["retrievalConfig", "structuredOutputs"];
        Some(KnownOptions { names: self.option_names, tables: encode::OPTION_TABLES, others })
    }
}
