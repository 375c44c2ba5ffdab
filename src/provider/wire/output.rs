//! What decoders produce, and the small state machines they share.

use std::collections::VecDeque;

use serde::de::DeserializeOwned;

use crate::{
    chat::{FinishReason, ProviderOptions, StreamPart, Usage, read_json},
    provider::ProviderErrorKind,
};

/// A decoded piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decoded {
    Part(StreamPart),
    Failure(Failure),
}

/// A failure found inside an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub kind: ProviderErrorKind,
    pub message: String,
    /// The HTTP status the provider would have used, where it says so.
    pub status: Option<u16>,
}

/// Decoded pieces waiting to be taken.
#[derive(Debug, Default)]
pub(crate) struct Output(VecDeque<Decoded>);

impl Output {
    /// Takes the oldest piece.
    pub(crate) fn pop(&mut self) -> Option<Decoded> {
        self.0.pop_front()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Puts a part back, to be taken next.
    pub(crate) fn push_front(&mut self, part: StreamPart) {
        self.0.push_front(Decoded::Part(part));
    }

    pub(crate) fn part(&mut self, part: StreamPart) {
        self.0.push_back(Decoded::Part(part));
    }

    pub(crate) fn failure(&mut self, kind: ProviderErrorKind, message: impl Into<String>) {
        self.0.push_back(Decoded::Failure(Failure { kind, message: message.into(), status: None }));
    }

    pub(crate) fn failure_with_status(&mut self, kind: ProviderErrorKind, message: impl Into<String>, status: u16) {
        self.0.push_back(Decoded::Failure(Failure { kind, message: message.into(), status: Some(status) }));
    }

    /// The stream ended before the provider said that the answer is over.
    pub(crate) fn truncated(&mut self) {
        self.failure(
            ProviderErrorKind::Protocol,
            "The answer ended before it was complete (the stream was cut short).",
        );
    }

    /// Parses the JSON of an event; a fault becomes a failure that shows the beginning of the text.
    pub(crate) fn parse<T: DeserializeOwned>(&mut self, data: &str) -> Option<T> {
        // An event that says nothing, as some servers send to keep the connection alive.
        if matches!(data.trim(), "" | "null") {
            return None;
        }
        match read_json(data) {
            Ok(value) => Some(value),
            Err(error) => {
                // Enough to recognise it by; an event may hold a whole file.
                let shown: String = data.chars().take(200).collect();
                let message = format!("The provider sent an event that is not the JSON expected ({error}): {shown}");
                self.failure(ProviderErrorKind::Protocol, message);
                None
            }
        }
    }

    /// A complete tool call; empty arguments mean `{}`, and so does `null`.
    pub(crate) fn tool_call(&mut self, id: String, name: String, input: String, metadata: Option<ProviderOptions>) {
        // A tool without parameters is called with no text at all by most.
        let input = if matches!(input.trim(), "" | "null") { "{}".to_owned() } else { input };
        self.part(StreamPart::ToolInputEnd { id: id.clone() });
        let (tool_call_id, tool_name) = (id, name);
        self.part(StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata: metadata });
    }

    pub(crate) fn finish(&mut self, finish_reason: FinishReason, usage: Usage) {
        self.part(StreamPart::Finish { finish_reason, usage, provider_metadata: None });
    }
}

/// Which kind of text is streaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
}

/// Opens and closes text and reasoning blocks for wires that send bare deltas without block markers.
#[derive(Debug, Default)]
pub(crate) struct TextBlocks {
    open: Option<(Kind, String, Option<ProviderOptions>)>,
    count: usize,
}

impl TextBlocks {
    /// A piece of visible text; an empty piece opens nothing.
    pub(crate) fn text(&mut self, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        self.delta(Kind::Text, delta, metadata, out);
    }

    /// A piece of reasoning.
    pub(crate) fn reasoning(&mut self, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        self.delta(Kind::Reasoning, delta, metadata, out);
    }

    fn delta(&mut self, kind: Kind, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        if delta.is_empty() && (metadata.is_none() || self.open.is_none()) {
            return;
        }
        // An empty piece only brings metadata, for the block that is open.
        let kind = if delta.is_empty() { self.open.as_ref().map_or(kind, |open| open.0) } else { kind };
        // A change of kind is the only mark of a new block on these wires.
        if self.open.as_ref().is_none_or(|open| open.0 != kind) {
            self.close(out);
            let id = format!("{}-{}", if kind == Kind::Text { "text" } else { "reasoning" }, self.count);
            self.count += 1;
            out.part(match kind {
                Kind::Text => StreamPart::TextStart { id: id.clone(), provider_metadata: metadata.clone() },
                Kind::Reasoning => StreamPart::ReasoningStart { id: id.clone(), provider_metadata: metadata.clone() },
            });
            self.open = Some((kind, id, None));
        }
        let Some((_, id, kept)) = self.open.as_mut() else { return };
        if metadata.is_some() {
            *kept = metadata.clone();
        }
        let id = id.clone();
        out.part(match kind {
            Kind::Text => StreamPart::TextDelta { id, delta, provider_metadata: metadata },
            Kind::Reasoning => StreamPart::ReasoningDelta { id, delta, provider_metadata: metadata },
        });
    }

    /// Whether reasoning is what is open.
    pub(crate) fn in_reasoning(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.0 == Kind::Reasoning)
    }

    /// A block of reasoning without text, for what has to go back all the same.
    pub(crate) fn carrier(&mut self, metadata: ProviderOptions, out: &mut Output) {
        self.close(out);
        let id = format!("reasoning-{}", self.count);
        self.count += 1;
        out.part(StreamPart::ReasoningStart { id: id.clone(), provider_metadata: None });
        out.part(StreamPart::ReasoningEnd { id, provider_metadata: Some(metadata) });
    }

    /// Ends the open block, if any; the end carries the last metadata of the block.
    pub(crate) fn close(&mut self, out: &mut Output) {
        match self.open.take() {
            None => {}
            Some((Kind::Text, id, provider_metadata)) => out.part(StreamPart::TextEnd { id, provider_metadata }),
            Some((Kind::Reasoning, id, provider_metadata)) => {
                out.part(StreamPart::ReasoningEnd { id, provider_metadata });
            }
        }
    }
}

/// Usage from what a provider reports: the total is the sum of the counts that are known.
pub(crate) fn usage(input: Option<u64>, output: Option<u64>, cached: Option<u64>, reasoning: Option<u64>) -> Usage {
    let total_tokens = match (input, output) {
        (None, None) => None,
        (input, output) => Some(input.unwrap_or(0).saturating_add(output.unwrap_or(0))),
    };
    Usage {
        input_tokens: input,
        output_tokens: output,
        total_tokens,
        reasoning_tokens: reasoning,
        cached_input_tokens: cached,
        cache_write_tokens: None,
    }
}
