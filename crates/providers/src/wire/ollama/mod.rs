//! Ollama's own chat API: one JSON object a line.

mod decode;
mod encode;
mod messages;
mod options;
mod window;

use super::{EncodedRequest, Framing, KnownOptions, UnsupportedContent, WireDecoder, WireFormat};
use lmthing_base::chat::ModelRequest;

#[derive(Clone, Copy, Debug)]
pub(crate) struct OllamaWire;

impl WireFormat for OllamaWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        encode::encode(request, model_id)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::OllamaDecoder::default())
    }

    fn known_options(&self) -> Option<KnownOptions> {
        Some(options::KNOWN)
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }
}
