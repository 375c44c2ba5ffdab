//! Output of decoders, and helpers that decoders share.

use std::{cell::Cell, collections::VecDeque};

use serde::de::{DeserializeOwned, IgnoredAny};

use super::surrogates::{Joiner, placeholder};
use crate::ProviderErrorKind;
use lmthing_base::chat::{
    FinishReason, ProviderOptions, ResponseMetadata, Source, SourceList, StreamPart, Usage, read_json, read_json_with,
};

#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    Part(StreamPart),
    Failure(Failure),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: ProviderErrorKind,
    pub message: String,
    pub status: Option<u16>,
}

#[derive(Debug, Default)]
pub struct Output {
    queue: VecDeque<Decoded>,
    joiner: Option<Joiner>,
    /// Calls whose input is no JSON, until the end shows whether the answer is refused or broken.
    incomplete_calls: Vec<StreamPart>,
}

impl Output {
    pub fn pop(&mut self) -> Option<Decoded> {
        self.queue.pop_front()
    }

    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn push_front(&mut self, part: StreamPart) {
        self.queue.push_front(Decoded::Part(part));
    }

    pub fn part(&mut self, part: StreamPart) {
        if let StreamPart::Finish { finish_reason, .. } = &part {
            let calls = std::mem::take(&mut self.incomplete_calls);
            if !matches!(finish_reason, FinishReason::ContentFilter | FinishReason::Error) {
                calls.into_iter().for_each(|call| self.emit_call(call));
            }
        }
        match &mut self.joiner {
            Some(joiner) => joiner.push(part, |part| self.queue.push_back(Decoded::Part(part))),
            None => self.queue.push_back(Decoded::Part(part)),
        }
    }

    pub fn failure(&mut self, kind: ProviderErrorKind, message: impl Into<String>) {
        self.queue.push_back(Decoded::Failure(Failure { kind, message: message.into(), status: None }));
    }

    pub fn failure_with_status(&mut self, kind: ProviderErrorKind, message: impl Into<String>, status: u16) {
        self.queue.push_back(Decoded::Failure(Failure { kind, message: message.into(), status: Some(status) }));
    }

    pub fn truncated(&mut self) {
        self.failure(
            ProviderErrorKind::Protocol,
            "The answer ended before it was complete (the stream was cut short).",
        );
    }

    pub fn parse<T: DeserializeOwned>(&mut self, data: &str) -> Option<T> {
        // Some servers send empty events for keep-alive.
        if matches!(data.trim(), "" | "null") {
            return None;
        }
        if let Ok(value) = serde_json::from_str(data) {
            return Some(value);
        }
        match read_json_with(data, placeholder) {
            Ok(value) => {
                self.joiner.get_or_insert_default();
                Some(value)
            }
            Err(error) => {
                // Limited, as an event may contain a whole file.
                let shown: String = data.chars().take(200).collect();
                let message = format!("The provider sent an event that is not the JSON expected ({error}): {shown}");
                self.failure(ProviderErrorKind::Protocol, message);
                None
            }
        }
    }

    pub fn tool_call(&mut self, id: String, name: String, input: String, metadata: Option<ProviderOptions>) {
        // Most providers send no arguments for a tool without parameters.
        let input = if matches!(input.trim(), "" | "null") { "{}".to_owned() } else { input };
        self.call(id, name, input, false, metadata);
    }

    /// The service tier that answered, in the provider's word.
    pub fn service_tier(&mut self, service_tier: Option<String>) {
        if service_tier.is_some() {
            self.part(StreamPart::ResponseMetadata(ResponseMetadata { service_tier, ..ResponseMetadata::default() }));
        }
    }

    /// A call that the provider runs, after its input.
    pub fn provider_call(&mut self, id: String, name: String, input: String, metadata: Option<ProviderOptions>) {
        let input = if input.trim().is_empty() { "{}".to_owned() } else { input };
        self.call(id, name, input, true, metadata);
    }

    fn call(
        &mut self,
        tool_call_id: String,
        tool_name: String,
        input: String,
        provider_executed: bool,
        provider_metadata: Option<ProviderOptions>,
    ) {
        let is_complete = read_json::<IgnoredAny>(&input).is_ok();
        let call = StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_metadata };
        if is_complete { self.emit_call(call) } else { self.incomplete_calls.push(call) }
    }

    fn emit_call(&mut self, call: StreamPart) {
        if let StreamPart::ToolCall { tool_call_id, .. } = &call {
            self.part(StreamPart::ToolInputEnd { id: tool_call_id.clone() });
        }
        self.part(call);
    }

    /// A call that the provider runs, whose input came at once.
    pub fn whole_provider_call(&mut self, id: String, name: String, input: String, metadata: Option<ProviderOptions>) {
        self.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
        self.part(StreamPart::ToolInputDelta { id: id.clone(), delta: input.clone() });
        self.provider_call(id, name, input, metadata);
    }

    /// Sources, each with all citations that are known.
    pub fn sources(&mut self, found: impl IntoIterator<Item = Source>) {
        let mut sources = SourceList::default();
        found.into_iter().for_each(|source| sources.add(source));
        sources.into_sources().into_iter().for_each(|source| self.part(StreamPart::Source(source)));
    }

    pub fn finish(&mut self, finish_reason: FinishReason, usage: Usage) {
        self.finish_or_pause(finish_reason, usage, false);
    }

    pub fn finish_or_pause(&mut self, finish_reason: FinishReason, usage: Usage, is_paused: bool) {
        self.part(StreamPart::Finish { finish_reason, usage, is_paused, provider_metadata: None });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
}

#[derive(Debug, Default)]
pub(super) struct TextBlocks {
    open: Option<(Kind, String, Option<ProviderOptions>)>,
    count: usize,
}

impl TextBlocks {
    pub(super) fn text(&mut self, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        self.delta(Kind::Text, delta, metadata, out);
    }

    pub(super) fn reasoning(&mut self, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        self.delta(Kind::Reasoning, delta, metadata, out);
    }

    fn delta(&mut self, kind: Kind, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        if delta.is_empty() && (metadata.is_none() || self.open.is_none()) {
            return;
        }
        // An empty delta with metadata belongs to the open block.
        let kind = if delta.is_empty() { self.open.as_ref().map_or(kind, |open| open.0) } else { kind };
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

    pub(super) fn in_reasoning(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.0 == Kind::Reasoning)
    }

    pub(super) fn empty_reasoning_with_metadata(&mut self, metadata: ProviderOptions, out: &mut Output) {
        self.close(out);
        let id = format!("reasoning-{}", self.count);
        self.count += 1;
        out.part(StreamPart::ReasoningStart { id: id.clone(), provider_metadata: None });
        out.part(StreamPart::ReasoningEnd { id, provider_metadata: Some(metadata) });
    }

    pub(super) fn close(&mut self, out: &mut Output) {
        match self.open.take() {
            None => {}
            Some((Kind::Text, id, provider_metadata)) => out.part(StreamPart::TextEnd { id, provider_metadata }),
            Some((Kind::Reasoning, id, provider_metadata)) => {
                out.part(StreamPart::ReasoningEnd { id, provider_metadata });
            }
        }
    }
}

pub(super) fn usage(input: Option<u64>, output: Option<u64>, cached: Option<u64>, reasoning: Option<u64>) -> Usage {
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
        ..Usage::default()
    }
}

thread_local! {
    // A counter instead of random numbers, so that recordings of equal runs are equal. A run uses a single thread.
    static NEXT_ID: Cell<u64> = const { Cell::new(0) };
}

pub(super) fn generated_id(prefix: &str) -> String {
    NEXT_ID.with(|counter| {
        counter.set(counter.get() + 1);
        format!("{prefix}_{}", counter.get())
    })
}
