//! Decodes responses of chat completions.

use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

use super::{
    chunk::{Chunk, Delta},
    dialect::Dialect,
    echo::{Echo, thought_signature},
    sources::ChatSources,
    tool_calls::{ToolCallPiece, ToolCalls},
};
use crate::{
    error_kind::kind_of_error,
    error_text::message_in_error,
    wire::{Output, WireDecoder, WireEvent, ending::End, lenient::TextOrJson, output::TextBlocks, values::metadata},
};
use lmthing_base::chat::{FinishReason, ProviderOptions, ResponseMetadata, StreamPart, Usage, read_json};

pub(super) struct ChatDecoder {
    dialect: Dialect,
    sent_metadata: bool,
    blocks: TextBlocks,
    calls: ToolCalls,
    echo: Echo,
    sources: ChatSources,
    end: End,
    idle: bool,
    saw_choice: bool,
    has_content: bool,
    /// What the model has said to refuse.
    refusal: Option<String>,
    done: bool,
    failed: bool,
    usage: Usage,
    /// Kept as it is, because every chunk may repeat it.
    service_tier: Option<Box<RawValue>>,
}

impl ChatDecoder {
    pub(super) fn new(dialect: Dialect) -> Self {
        ChatDecoder {
            dialect,
            sent_metadata: false,
            blocks: TextBlocks::default(),
            calls: ToolCalls::default(),
            echo: Echo::default(),
            sources: ChatSources::default(),
            end: End::default(),
            idle: false,
            saw_choice: false,
            has_content: false,
            refusal: None,
            done: false,
            failed: false,
            usage: Usage::default(),
            service_tier: None,
        }
    }

    fn chunk(&mut self, mut chunk: Chunk, out: &mut Output) {
        if let Some(error) = chunk.take_error() {
            self.failed = true;
            return error_chunk(&error, out);
        }
        self.response_metadata(&chunk, out);
        self.service_tier = chunk.service_tier.or(self.service_tier.take());
        // Requests never ask for more than one choice.
        let mut choice = chunk.choices.into_iter().next();
        let of_choice = choice.as_mut().and_then(|choice| choice.usage.take());
        // Usage is in `x_groq` at Groq, and in the choice at Moonshot.
        let found = [chunk.x_groq.and_then(|extra| extra.usage), chunk.usage, of_choice];
        if let Some(usage) = found.into_iter().flatten().find_map(|usage| usage.read(&self.dialect)) {
            self.usage = usage;
        }
        self.sources.lists(chunk.citations.map(|list| *list), chunk.search_results.map(|list| *list));
        self.idle = self.saw_choice;
        let Some(choice) = choice else { return };
        self.saw_choice = true;
        // Some servers end with the whole message, which must not be repeated.
        let message = choice.message.filter(|_| !self.has_content);
        if let Some(delta) = choice.delta.or(message.map(|message| *message)) {
            self.delta(delta, out);
        }
        if let Some(filters) = choice.content_filter_results {
            self.end.add_filters(&filters);
        }
        if let Some(reason) = choice.finish_reason {
            self.end.set_word(&reason);
            self.end.add_category(&choice.native_finish_reason.unwrap_or_default());
        }
    }

    fn response_metadata(&mut self, chunk: &Chunk, out: &mut Output) {
        if self.sent_metadata || (chunk.id.is_none() && chunk.model.is_none()) {
            return;
        }
        self.sent_metadata = true;
        out.part(StreamPart::ResponseMetadata(ResponseMetadata {
            id: string(chunk.id.as_deref()),
            model_id: string(chunk.model.as_deref()),
            // Seconds since 1970 fit into an i64.
            #[allow(clippy::cast_possible_truncation)]
            timestamp: chunk.created.as_deref().and_then(read::<f64>).map(|seconds| (seconds * 1000.0) as i64),
            ..ResponseMetadata::default()
        }));
    }

    fn delta(&mut self, delta: Delta, out: &mut Output) {
        self.reasoning(delta.reasoning_content, delta.reasoning, delta.reasoning_details, out);
        if let Some(extra) = delta.extra_content {
            self.echo.extra_content(*extra);
        }
        if let Some(tools) = delta.executed_tools {
            self.blocks.close(out);
            self.sources.executed_tools(*tools, out);
        }
        if let Some(annotations) = delta.annotations {
            self.sources.annotations(*annotations);
        }
        match delta.content {
            TextOrJson::Text(text) => self.text(text, out),
            TextOrJson::Other(other) => match *other {
                Value::Array(pieces) => self.content_list(pieces, out),
                piece => self.content_list(vec![piece], out),
            },
            TextOrJson::Nothing => {}
        }
        if let Some(text) = delta.refusal {
            self.refuse(&text);
        }
        let function =
            delta.function_call.map(|function| ToolCallPiece { function: Some(*function), ..Default::default() });
        for mut piece in delta.tool_calls.into_iter().chain(function) {
            self.mark_progress();
            self.attach_metadata(out);
            self.blocks.close(out);
            let metadata = self.signature(&mut piece);
            self.calls.piece(piece, metadata, out);
        }
    }

    /// Emits reasoning. Servers use several names for it, often two at once.
    fn reasoning(&mut self, first: TextOrJson, second: TextOrJson, details: Option<Box<Value>>, out: &mut Output) {
        let in_details = details.map(|details| self.echo.details(*details)).unwrap_or_default();
        let text_of = |value: TextOrJson| match value {
            TextOrJson::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        };
        let text = text_of(first).or_else(|| text_of(second)).unwrap_or(in_details);
        if !text.is_empty() {
            self.mark_progress();
            self.blocks.reasoning(text, None, out);
        }
    }

    fn refuse(&mut self, text: &str) {
        self.mark_progress();
        self.refusal.get_or_insert_default().push_str(text);
    }

    fn text(&mut self, text: String, out: &mut Output) {
        if !text.is_empty() {
            self.mark_progress();
            self.attach_metadata(out);
            self.sources.text(&text);
            self.blocks.text(text, None, out);
        }
    }

    fn mark_progress(&mut self) {
        (self.has_content, self.idle) = (true, false);
    }

    fn attach_metadata(&mut self, out: &mut Output) {
        if self.blocks.in_reasoning()
            && let Some(metadata) = self.echo.take_new(self.dialect.name())
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
                self.refuse(text);
            }
            match piece.get("thinking") {
                Some(Value::Array(thoughts)) => {
                    for thought in thoughts {
                        self.reasoning(TextOrJson::of(thought.get("text")), TextOrJson::Nothing, None, out);
                    }
                }
                thought => self.reasoning(TextOrJson::of(thought), TextOrJson::Nothing, None, out),
            }
        }
    }

    fn signature(&self, piece: &mut ToolCallPiece) -> Option<ProviderOptions> {
        let extra = piece.extra_content.take().filter(Value::is_object)?;
        let signature = extra.pointer("/google/thought_signature").cloned();
        let signature = signature.map(|signature| ("thoughtSignature", signature));
        // Gemini refuses calls without their signature. Other content is stored as a whole.
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

    // Usage follows the finish reason, and then the marker. Some servers omit the marker and keep the connection
    // open. A reason together with text may be in every chunk and does not mark the end.
    fn complete(&self) -> bool {
        self.done || (self.end.is_known() && self.idle)
    }

    fn finish(&mut self, out: &mut Output) {
        self.attach_metadata(out);
        self.blocks.close(out);
        if self.failed {
            return;
        }
        // One is sufficient: some servers omit the marker, others the reason.
        if !self.done && !self.end.is_known() {
            return out.truncated();
        }
        if self.end.fail(out) {
            return;
        }
        if let Some(words) = self.refusal.take() {
            self.end.add_words(&words);
            if matches!(self.end.finish_reason(), FinishReason::Stop | FinishReason::Other) {
                self.end.refuse("refusal");
            }
        }
        if self.end.keeps_open_calls() {
            self.calls.finish(out);
        }
        // Metadata without a reasoning block, such as encrypted reasoning.
        if let Some(metadata) = self.echo.take_new(self.dialect.name()) {
            self.blocks.empty_reasoning_with_metadata(metadata, out);
        }
        out.service_tier(string(self.service_tier.as_deref()));
        self.end.report(out);
        let reason =
            if !self.end.is_known() && self.calls.any() { FinishReason::ToolCalls } else { self.end.finish_reason() };
        self.sources.finish(out);
        self.usage.web_searches = self.usage.web_searches.or(self.sources.searches());
        out.finish(reason, self.usage);
    }
}

fn read<T: DeserializeOwned>(raw: &RawValue) -> Option<T> {
    read_json(raw.get()).ok()
}

fn string(raw: Option<&RawValue>) -> Option<String> {
    raw.and_then(read::<String>).filter(|text| !text.is_empty())
}

fn error_chunk(error: &Value, out: &mut Output) {
    let message = message_in_error(error).unwrap_or_else(|| error.to_string());
    out.failure(kind_of_error(error, &message), message);
}
