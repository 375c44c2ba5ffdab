//! The streamed answer of chat completions.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{
    dialect::Dialect,
    echo::{Echo, thought_signature},
    tool_calls::{FunctionPiece, ToolCallPiece, ToolCalls},
    usage::WireUsage,
};
use crate::{
    chat::{FinishReason, ProviderOptions, ResponseMetadata, StreamPart, Usage, read_json},
    provider::{
        failure::kind_of_error,
        wire::{
            Output, WireDecoder, WireEvent,
            lenient::{self, Said},
            output::TextBlocks,
            values::metadata,
        },
        words::of_error,
    },
};

// What hardly ever comes is boxed: a chunk is moved about while it is read, and there is one for every word.
#[derive(Debug, Deserialize)]
struct Chunk {
    // Said again in every chunk and read once: kept as it stands in the text.
    #[serde(default)]
    id: Option<Box<RawValue>>,
    #[serde(default)]
    created: Option<Box<RawValue>>,
    #[serde(default)]
    model: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "lenient::list")]
    choices: Vec<Choice>,
    #[serde(default, deserialize_with = "lenient::object")]
    usage: Option<Box<WireUsage>>,
    #[serde(default, deserialize_with = "lenient::object")]
    x_groq: Option<Box<GroqExtra>>,
    #[serde(default, deserialize_with = "error_object")]
    error: Option<Box<Value>>,
    // An error that is the chunk itself.
    #[serde(default)]
    message: Option<Box<Value>>,
    #[serde(default)]
    detail: Option<Box<Value>>,
    #[serde(default, rename = "type")]
    kind: Option<Box<Value>>,
    #[serde(default)]
    code: Option<Box<Value>>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default, deserialize_with = "lenient::object")]
    delta: Option<Delta>,
    /// The whole message, where a server does not stream after all.
    #[serde(default, deserialize_with = "lenient::object")]
    message: Option<Box<Delta>>,
    #[serde(default, deserialize_with = "lenient::word")]
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    usage: Option<Box<WireUsage>>,
    #[serde(default, deserialize_with = "error_object")]
    error: Option<Box<Value>>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    /// A string; mistral also sends a list of text and thinking pieces.
    #[serde(default, deserialize_with = "lenient::said")]
    content: Said,
    #[serde(default, deserialize_with = "lenient::said")]
    reasoning: Said,
    #[serde(default, deserialize_with = "lenient::said")]
    reasoning_content: Said,
    #[serde(default)]
    reasoning_details: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::word")]
    refusal: Option<String>,
    #[serde(default, deserialize_with = "lenient::list")]
    tool_calls: Vec<ToolCallPiece>,
    /// What calls were before there could be several.
    #[serde(default, deserialize_with = "lenient::object")]
    function_call: Option<Box<FunctionPiece>>,
    #[serde(default)]
    extra_content: Option<Box<Value>>,
}

#[derive(Debug, Deserialize)]
struct GroqExtra {
    #[serde(default, deserialize_with = "lenient::object")]
    usage: Option<Box<WireUsage>>,
    #[serde(default, deserialize_with = "error_object")]
    error: Option<Box<Value>>,
}

/// An `error` that says something: some servers send an empty one along with a good answer.
fn error_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Value>>, D::Error> {
    let is_error = |error: &Value| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(object) => !object.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    Ok(Some(Value::deserialize(deserializer)?).filter(is_error).map(Box::new))
}

impl Chunk {
    /// What the chunk says went wrong, wherever it says so.
    fn take_error(&mut self) -> Option<Box<Value>> {
        let error = self.error.take();
        let error = error.or_else(|| self.x_groq.as_mut().and_then(|extra| extra.error.take()));
        let error = error.or_else(|| self.choices.iter_mut().find_map(|choice| choice.error.take()));
        if error.is_some() || !self.choices.is_empty() {
            return error;
        }
        let said =
            |value: Option<Box<Value>>| value.filter(|value| value.as_str().is_some_and(|text| !text.is_empty()));
        let message = said(self.message.take()).or_else(|| said(self.detail.take()))?;
        Some(Box::new(json!({ "message": message, "type": self.kind.take(), "code": self.code.take() })))
    }
}

/// Decodes one answer.
pub(super) struct ChatDecoder {
    dialect: Dialect,
    described: bool,
    blocks: TextBlocks,
    calls: ToolCalls,
    echo: Echo,
    finish_reason: Option<FinishReason>,
    /// The last chunk brought nothing to show.
    idle: bool,
    /// The first chunk of the answer was read, which often tells no more than the role.
    chosen: bool,
    /// Something of the answer came.
    begun: bool,
    refused: bool,
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
            echo: Echo::default(),
            finish_reason: None,
            idle: false,
            chosen: false,
            begun: false,
            refused: false,
            done: false,
            failed: false,
            usage: Usage::default(),
        }
    }

    fn chunk(&mut self, mut chunk: Chunk, out: &mut Output) {
        if let Some(error) = chunk.take_error() {
            self.failed = true;
            return error_chunk(&error, out);
        }
        self.describe(&chunk, out);
        // Only one answer is ever asked for.
        let mut choice = chunk.choices.into_iter().next();
        let of_choice = choice.as_mut().and_then(|choice| choice.usage.take());
        // groq has a place of its own, Moonshot the choice.
        let found = [chunk.x_groq.and_then(|extra| extra.usage), chunk.usage, of_choice];
        if let Some(usage) = found.into_iter().flatten().find_map(|usage| usage.read(&self.dialect)) {
            self.usage = usage;
        }
        self.idle = self.chosen;
        let Some(choice) = choice else { return };
        self.chosen = true;
        // Some servers end with the whole message; what has streamed is not said again.
        let message = choice.message.filter(|_| !self.begun);
        if let Some(delta) = choice.delta.or(message.map(|message| *message)) {
            self.delta(delta, out);
        }
        if let Some(reason) = choice.finish_reason {
            self.finish_reason = Some(finish_reason(&reason, &self.dialect));
        }
    }

    fn describe(&mut self, chunk: &Chunk, out: &mut Output) {
        if self.described || (chunk.id.is_none() && chunk.model.is_none()) {
            return;
        }
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

    fn delta(&mut self, delta: Delta, out: &mut Output) {
        self.reasoning(delta.reasoning_content, delta.reasoning, delta.reasoning_details, out);
        if let Some(extra) = delta.extra_content {
            self.echo.extra_content(*extra);
        }
        match delta.content {
            Said::Text(text) => self.text(text, out),
            Said::Other(other) => match *other {
                Value::Array(pieces) => self.content_list(pieces, out),
                piece => self.content_list(vec![piece], out),
            },
            Said::Nothing => {}
        }
        if let Some(text) = delta.refusal {
            self.refused = true;
            self.text(text, out);
        }
        let function =
            delta.function_call.map(|function| ToolCallPiece { function: Some(*function), ..Default::default() });
        for mut piece in delta.tool_calls.into_iter().chain(function) {
            self.went_on();
            self.seal(out);
            self.blocks.close(out);
            let metadata = self.signature(&mut piece);
            self.calls.piece(piece, metadata, out);
        }
    }

    /// Shows what was thought. Servers say it under several names, often under two at once.
    fn reasoning(&mut self, first: Said, second: Said, details: Option<Box<Value>>, out: &mut Output) {
        let in_details = details.map(|details| self.echo.details(*details)).unwrap_or_default();
        let said = |value: Said| match value {
            Said::Text(text) if !text.is_empty() => Some(text),
            // Null or an empty string leave the place to the other name.
            _ => None,
        };
        let text = said(first).or_else(|| said(second)).unwrap_or(in_details);
        if !text.is_empty() {
            self.went_on();
            self.blocks.reasoning(text, None, out);
        }
    }

    fn text(&mut self, text: String, out: &mut Output) {
        if !text.is_empty() {
            self.went_on();
            self.seal(out);
            self.blocks.text(text, None, out);
        }
    }

    fn went_on(&mut self) {
        (self.begun, self.idle) = (true, false);
    }

    /// Gives reasoning that is about to end what has to go back with it.
    fn seal(&mut self, out: &mut Output) {
        if self.blocks.in_reasoning()
            && let Some(metadata) = self.echo.unsent(self.dialect.name())
        {
            self.blocks.reasoning(String::new(), Some(metadata), out);
        }
    }

    /// `[{type: "text", text}, {type: "thinking", thinking: [{type: "text", text}]}]`
    fn content_list(&mut self, pieces: Vec<Value>, out: &mut Output) {
        for piece in pieces {
            if let Some(text) = piece.get("text").and_then(Value::as_str) {
                self.text(text.to_owned(), out);
            }
            if let Some(text) = piece.get("refusal").and_then(Value::as_str) {
                self.refused = true;
                self.text(text.to_owned(), out);
            }
            match piece.get("thinking") {
                Some(Value::Array(thoughts)) => {
                    for thought in thoughts {
                        self.reasoning(Said::of(thought.get("text")), Said::Nothing, None, out);
                    }
                }
                thought => self.reasoning(Said::of(thought), Said::Nothing, None, out),
            }
        }
    }

    /// A thought signature of Gemini behind a compatible front is kept with the call.
    fn signature(&self, piece: &mut ToolCallPiece) -> Option<ProviderOptions> {
        let extra = piece.extra_content.take().filter(Value::is_object)?;
        let signature = extra.pointer("/google/thought_signature").cloned();
        let signature = signature.map(|signature| ("thoughtSignature", signature));
        // Gemini refuses a call that comes back without its signature; what else stands there goes back whole.
        let is_all = signature.as_ref().is_some_and(|(_, signature)| extra == thought_signature(signature));
        let whole = (!is_all).then_some(("extraContent", extra));
        Some(metadata(self.dialect.name(), signature.into_iter().chain(whole)))
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

    // Usage follows the reason, and then the marker; some servers leave out the marker and the connection open. A reason
    // that comes along with text may stand in every chunk and is no end.
    fn complete(&self) -> bool {
        self.done || (self.finish_reason.is_some() && self.idle)
    }

    fn finish(&mut self, out: &mut Output) {
        self.seal(out);
        self.blocks.close(out);
        if self.failed {
            return;
        }
        // Either is enough: some servers leave out the marker, some the reason.
        if !self.done && self.finish_reason.is_none() {
            return out.truncated();
        }
        self.calls.finish(out);
        // What came when no reasoning was open any more, such as encrypted reasoning, which shows nothing.
        if let Some(metadata) = self.echo.unsent(self.dialect.name()) {
            self.blocks.carrier(metadata, out);
        }
        let reason =
            self.finish_reason.unwrap_or(if self.calls.any() { FinishReason::ToolCalls } else { FinishReason::Other });
        let said_no = self.refused && matches!(reason, FinishReason::Stop | FinishReason::Other);
        out.finish(if said_no { FinishReason::ContentFilter } else { reason }, self.usage);
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
        // A gateway's word for a failure behind it.
        ("error", Dialect::Compatible(_)) => FinishReason::Error,
        _ => FinishReason::Other,
    }
}
