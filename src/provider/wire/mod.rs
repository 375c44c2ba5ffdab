//! Wire formats: pure translation between `chat` types and what each provider's service takes and sends.
//!
//! Owns: one [`WireFormat`] a vendor, tested without a network. Must not know: HTTP, keys, retries, clocks. Framing (how
//! events are cut out of bytes) is in `provider/framing.rs`.

mod answer_schema;
pub(super) mod anthropic;
pub(super) mod bedrock;
mod blocks;
pub(super) mod chat;
pub(super) mod cohere;
mod effort;
pub(super) mod google;
mod lenient;
mod media;
mod openai_format;
mod openai_models;
mod openai_reasoning;
mod output;
pub(super) mod responses;
mod result_pictures;
mod settings;
pub(super) mod values;

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::chat::{CallWarning, ModelRequest};
pub(crate) use output::{Decoded, Output};

/// A request ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EncodedRequest {
    /// Path and query below the provider's base URL, with a leading slash.
    pub path: String,
    /// Headers of the wire format itself; authentication comes on top.
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
    /// Settings and parts that were dropped or changed.
    pub warnings: Vec<CallWarning>,
}

/// How events are cut out of the answer's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Sse,
    /// `application/vnd.amazon.eventstream`.
    AwsEventStream,
}

/// One event of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WireEvent<'a> {
    /// The data of a server-sent event; its name is never needed, the type stands inside the JSON.
    Data(&'a str),
    /// A frame of an AWS event stream.
    Frame {
        /// `event`, `exception` or `error`.
        message_type: &'a str,
        /// `:event-type`, `:exception-type` or `:error-code`.
        event_type: &'a str,
        payload: &'a [u8],
    },
}

/// The options under `providerOptions` that a wire format reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownOptions {
    /// The names they are found under.
    pub names: &'static [&'static str],
    /// JavaScript name and wire name; either is accepted.
    pub tables: &'static [&'static [(&'static str, &'static str)]],
    /// Those that have no wire name of their own.
    pub others: &'static [&'static str],
}

impl KnownOptions {
    /// Whether an option is read.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.others.contains(&key)
            || self.tables.iter().copied().flatten().any(|(name, wire)| key == *name || key == *wire)
    }

    /// Their JavaScript names.
    pub(crate) fn keys(&self) -> Vec<&'static str> {
        let named = self.tables.iter().copied().flatten().map(|(name, _)| *name);
        named.chain(self.others.iter().copied()).collect()
    }
}

/// One provider's wire format.
pub(crate) trait WireFormat {
    /// Translates a request. `model_id` is what stands behind the colon of the model string.
    ///
    /// # Errors
    /// A sentence, when the conversation holds something the provider cannot be sent.
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, String>;

    /// A decoder for one answer.
    fn decoder(&self) -> Box<dyn WireDecoder>;

    /// The provider options that the format reads; `None` when it passes all on, known or not.
    fn known_options(&self) -> Option<KnownOptions> {
        None
    }

    /// How the answer is framed.
    fn framing(&self) -> Framing {
        Framing::Sse
    }
}

/// Translates the events of one answer.
pub(crate) trait WireDecoder {
    /// Takes one event. A failure does not end the decoding: later events are still read (text that follows is shown).
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output);

    /// `data: [DONE]` was read. Only chat completions need it; elsewhere it is skipped.
    fn done_marker(&mut self) {}

    /// Whether the provider said that the answer is over. From then on a lost connection does no harm.
    fn complete(&self) -> bool;

    /// Whether, besides, nothing more is to be expected, so that the end of the stream is not waited for.
    fn is_ending(&self) -> bool {
        self.complete()
    }

    /// The bytes are over: closes what is open and says `Finish`, or a failure when the answer was cut short.
    fn finish(&mut self, out: &mut Output);
}
