//! Anthropic's Messages API.

mod decode;
mod encode;
mod messages;
mod models;

use super::{EncodedRequest, WireDecoder, WireFormat};
use crate::chat::ModelRequest;

/// The Messages format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnthropicWire;

impl WireFormat for AnthropicWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, String> {
        encode::encode(request, model_id)
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::AnthropicDecoder::default())
    }

    fn first_event_may_fail(&self) -> bool {
        true
    }
}
