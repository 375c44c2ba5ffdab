//! Gemini, at Google's Generative Language API and at Vertex AI.

mod contents;
mod decode;
mod encode;
mod format;
mod schema;
mod thinking;

use super::{EncodedRequest, KnownOptions, WireDecoder, WireFormat};
use lmthing_base::chat::ModelRequest;

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

const NEWEST: (u32, u32) = (u32::MAX, 0);

fn bare_name(model_id: &str) -> String {
    model_id.rsplit('/').next().unwrap_or(model_id).to_ascii_lowercase()
}

fn version(name: &str) -> Option<(u32, u32)> {
    let number = name.strip_prefix("gemini-")?.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => Some(NEWEST),
    }
}
