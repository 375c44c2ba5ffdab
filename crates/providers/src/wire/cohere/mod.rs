//! Cohere's chat API, version 2.

mod citations;
mod decode;
mod encode;
mod format;
mod thinking;

use super::{EncodedRequest, KnownOptions, UnsupportedContent, WireDecoder, WireFormat};
use crate::identifiers::Identifiers;
use lmthing_base::chat::ModelRequest;

#[derive(Clone, Copy, Debug)]
pub(crate) struct CohereWire;

impl WireFormat for CohereWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        encode::encode(request, model_id)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::CohereDecoder::default())
    }

    fn identifiers(&self, _model_id: &str) -> Identifiers {
        Identifiers::COHERE
    }

    fn known_options(&self) -> Option<KnownOptions> {
        Some(KnownOptions { names: &["cohere"], tables: &[], others: &["thinking"] })
    }
}
