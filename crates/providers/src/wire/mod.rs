//! Wire formats: conversion between `chat` types and the formats of services, without I/O.

pub(super) mod anthropic;
pub(super) mod bedrock;
mod blocks;
mod cache;
pub(super) mod chat;
pub(super) mod cohere;
mod effort;
mod encoded_request;
mod ending;
pub(super) mod google;
mod lenient;
mod media;
pub(super) mod ollama;
mod openai_format;
mod openai_models;
mod openai_reasoning;
mod output;
mod output_schema;
mod provider_calls;
mod provider_tools;
pub(super) mod responses;
mod settings;
mod sources;
mod surrogates;
mod tier;
mod tool_result_images;
mod tool_schema;
pub(super) mod values;

#[cfg(test)]
mod tests;

use crate::identifiers::Identifiers;
pub(crate) use cache::CacheForm;
pub(crate) use encoded_request::EncodedRequest;
pub use media::{Media, Source as MediaSource};
pub(crate) use media::{OFFICE_TYPES, UnsupportedContent};
pub(crate) use output::{Decoded, Output};
pub(crate) use tier::TierForm;

use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Sse,
    AwsEventStream,
    /// A JSON value a line.
    JsonLines,
}

#[derive(Clone, Copy, Debug)]
pub enum WireEvent<'a> {
    /// A line of JSON, or the data of a server-sent event, whose name is not needed, as the JSON contains the type.
    Data(&'a str),
    Frame {
        /// `event`, `exception` or `error`.
        message_type: &'a str,
        /// `:event-type`, `:exception-type` or `:error-code`.
        event_type: &'a str,
        payload: &'a [u8],
    },
}

#[derive(Clone, Copy, Debug)]
pub struct KnownOptions {
    pub names: &'static [&'static str],
    pub tables: &'static [&'static [(&'static str, &'static str)]],
    pub others: &'static [&'static str],
}

impl KnownOptions {
    pub fn has(&self, key: &str) -> bool {
        self.others.contains(&key)
            || self.tables.iter().copied().flatten().any(|(name, wire)| key == *name || key == *wire)
    }

    pub fn keys(&self) -> Vec<&'static str> {
        let named = self.tables.iter().copied().flatten().map(|(name, _)| *name);
        named.chain(self.others.iter().copied()).collect()
    }
}

pub trait WireFormat {
    /// Encodes a request.
    ///
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent>;

    fn decoder(&self) -> Box<dyn WireDecoder>;

    /// The events of the stream that a whole answer would have been; `None` if it is not read.
    fn whole_answer(&self, _answer: &str) -> Option<Vec<String>> {
        None
    }

    fn known_options(&self) -> Option<KnownOptions> {
        None
    }

    /// What the service accepts as names of tools and ids of calls.
    fn identifiers(&self, _model_id: &str) -> Identifiers {
        Identifiers::COMPATIBLE
    }

    /// The service tiers that the API has.
    fn tiers(&self) -> &'static [TierForm] {
        &[]
    }

    /// What the prompt cache of the model does.
    fn cache_rules(&self, _model_id: &str, _settings: &CallSettings) -> CacheRules {
        CacheRules::NONE
    }

    /// What of `options.cache` the API takes.
    fn cache_form(&self, _model_id: &str) -> CacheForm {
        CacheForm::NONE
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }
}

pub trait WireDecoder {
    /// Decodes an event. After a failure, later events are still decoded, so that their text is shown.
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output);

    fn done_marker(&mut self) {}

    /// Whether the provider announced the end of the response. A lost connection is no error then.
    fn complete(&self) -> bool;

    /// Whether no further event is expected, so that the end of the stream need not be awaited.
    fn is_ending(&self) -> bool {
        self.complete()
    }

    /// Called at the end of the stream. Closes open blocks and emits `Finish`, or a failure if the response was
    /// truncated.
    fn finish(&mut self, out: &mut Output);
}
