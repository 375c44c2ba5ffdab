//! The streamed answer of chat completions.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{
    dialect::Dialect,
    tool_calls::{ToolCallPiece, ToolCalls},
};
use crate::{
    chat::{FinishReason, ResponseMetadata, StreamPart, Usage, read_json},
    provider::{
        failure::kind_of_error,
        wire::{
            Output, WireDecoder, WireEvent,
            output::{TextBlocks, usage},
            values::metadata,
        },
        words::of_error,
    },
};

#[derive(Debug, Deserialize)]
struct Chunk {
    // Said again in every chunk and read once: kept as it stands in the text.
    #[serde(default)]
    id: Option<Box<RawValue>>,
    #[serde(default)]
    created: Option<Box<RawValue>>,
    #[serde(default)]
    model: Option<Box<RawValue>>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    x_groq: Option<GroqExtra>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    /// A string; mistral also sends a list of text and thinking pieces.
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    reasoning: Option<Value>,
    #[serde(default)]
    reasoning_content: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCallPiece>>,
}

#[derive(Debug, Deserialize)]
struct GroqExtra {
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Option<u64>,
}

/// Decodes one answer.
pub(super) struct ChatDecoder {
    dialect: Dialect,
    described: bool,
    blocks: TextBlocks,
    calls: ToolCalls,
    finish_reason: Option<FinishReason>,
    /// `[DONE]` was seen.
    done: bool,
    failed: bool,
    usage: Usage,
}

impl ChatDecoder {
    pub(super) fn new(dialect: Dialect) -> Self {
        ChatDecoder {
            dialect,
            described: false,
            blocks: TextBlocks::default(),
            calls: ToolCalls::default(),
            finish_reason: None,
            done: false,
            failed: false,
            usage: Usage::default(),
        }
    }

    fn chunk(&mut self, chunk: Chunk, out: &mut Output) {
        if let Some(error) = chunk.error.or_else(|| chunk.x_groq.as_ref().and_then(|extra| extra.error.clone())) {
            self.failed = true;
            return error_chunk(&error, out);
        }
        if !self.described && (chunk.id.is_some() || chunk.model.is_some()) {
            self.described = true;
            out.part(StreamPart::ResponseMetadata(ResponseMetadata {
                id: string(chunk.id.as_deref()),
                model_id: string(chunk.model.as_deref()),
                // Seconds with room to spare in an i64.
                #[allow(clippy::cast_possible_truncation)]
                timestamp: chunk.created.as_deref().and_then(read::<f64>).map(|seconds| (seconds * 1000.0) as i64),
                headers: None,
            }));
        }
        self.take_usage(chunk.usage, chunk.x_groq.and_then(|extra| extra.usage));
        // Only one answer is ever asked for.
        let Some(choice) = chunk.choices.into_iter().flatten().next() else { return };
        if let Some(delta) = choice.delta {
            self.delta(delta, out);
        }
        if let Some(reason) = choice.finish_reason {
            self.finish_reason = Some(finish_reason(&reason, &self.dialect));
        }
    }

    fn delta(&mut self, delta: Delta, out: &mut Output) {
        // Null or an empty string leave the place to the other name.
        let said = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        let reasoning = delta.reasoning_content.filter(said).or(delta.reasoning.filter(said));
        if let Some(Value::String(text)) = reasoning {
            self.blocks.reasoning(text, None, out);
        }
        match delta.content {
            Some(Value::String(text)) => self.blocks.text(text, None, out),
            Some(Value::Array(pieces)) => self.content_list(pieces, out),
            _ => {}
        }
        for mut piece in delta.tool_calls.into_iter().flatten() {
            self.blocks.close(out);
            let metadata = self.signature(&mut piece);
            self.calls.piece(piece, metadata, out);
        }
    }

    /// `[{type: "text", text}, {type: "thinking", thinking: [{type: "text", text}]}]`
    fn content_list(&mut self, pieces: Vec<Value>, out: &mut Output) {
        for piece in pieces {
            if let Some(text) = piece.get("text").and_then(Value::as_str) {
                self.blocks.text(text.to_owned(), None, out);
            }
            match piece.get("thinking") {
                Some(Value::Array(thoughts)) => {
                    for text in thoughts.iter().filter_map(|thought| thought.get("text")).filter_map(Value::as_str) {
                        self.blocks.reasoning(text.to_owned(), None, out);
                    }
                }
                Some(Value::String(text)) => self.blocks.reasoning(text.clone(), None, out),
                _ => {}
            }
        }
    }

    /// A thought signature of Gemini behind a compatible front is kept with the call.
    fn signature(&self, piece: &mut ToolCallPiece) -> Option<crate::chat::ProviderOptions> {
        // Gemini refuses a call that comes back without it.
        let Dialect::Compatible(provider) = &self.dialect else { return None };
        let signature = piece.extra_content.take()?.pointer("/google/thought_signature")?.clone();
        Some(metadata(provider, [("thoughtSignature", json!(signature))]))
    }

    fn take_usage(&mut self, plain: Option<WireUsage>, groq: Option<WireUsage>) {
        let Some(wire) = (if self.dialect == Dialect::Groq { groq.or(plain) } else { plain }) else { return };
        let cached = wire.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let reasoning = wire.completion_tokens_details.and_then(|details| details.reasoning_tokens);
        let (cached, reasoning) = match self.dialect {
            // Mistral and groq do not report cached tokens, and nought would be a claim.
            Dialect::Mistral => (None, None),
            Dialect::Groq => (None, reasoning),
            _ => (Some(cached.unwrap_or(0)), Some(reasoning.unwrap_or(0))),
        };
        self.usage = usage(wire.prompt_tokens, wire.completion_tokens, cached, reasoning);
    }
}

impl WireDecoder for ChatDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Data(data) = event else { return };
        if let Some(chunk) = out.parse::<Chunk>(data) {
            self.chunk(chunk, out);
        }
    }

    fn done_marker(&mut self) {
        self.done = true;
    }

    fn complete(&self) -> bool {
        self.done
    }

    fn finish(&mut self, out: &mut Output) {
        self.blocks.close(out);
        if self.failed {
            return;
        }
        // Either is enough: some servers leave out the marker, some the reason.
        if !self.done && self.finish_reason.is_none() {
            return out.truncated();
        }
        self.calls.finish(out);
        let reason =
            self.finish_reason.unwrap_or(if self.calls.any() { FinishReason::ToolCalls } else { FinishReason::Other });
        out.finish(reason, self.usage);
    }
}

fn read<T: DeserializeOwned>(raw: &RawValue) -> Option<T> {
    read_json(raw.get()).ok()
}

fn string(raw: Option<&RawValue>) -> Option<String> {
    raw.and_then(read::<String>).filter(|text| !text.is_empty())
}

/// `{error: {message, type, code}}`, or the error as a bare string.
fn error_chunk(error: &Value, out: &mut Output) {
    // An error without words is shown whole.
    let message = of_error(error).unwrap_or_else(|| error.to_string());
    out.failure(kind_of_error(error, &message), message);
}

fn finish_reason(reason: &str, dialect: &Dialect) -> FinishReason {
    match (reason, dialect) {
        ("stop", _) => FinishReason::Stop,
        ("length", _) | ("model_length", Dialect::Mistral) => FinishReason::Length,
        ("tool_calls", _) => FinishReason::ToolCalls,
        ("content_filter", dialect) if *dialect != Dialect::Mistral => FinishReason::ContentFilter,
        ("function_call", dialect) if *dialect != Dialect::Mistral => FinishReason::ToolCalls,
        _ => FinishReason::Other,
    }
}
