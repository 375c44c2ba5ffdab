//! Decodes responses of Cohere's chat API.

use serde::Deserialize;
use serde_json::Value;

use super::citations::Citations;
use crate::{
    error_kind::kind_of_error,
    error_text::message_in_error,
    wire::{Output, WireDecoder, WireEvent, blocks::OpenBlocks, ending::End, lenient, output::usage},
};
use lmthing_base::chat::{ResponseMetadata, StreamPart, Usage, token_count};

#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "type", default, deserialize_with = "lenient::non_empty_text")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    id: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    index: Option<u64>,
    #[serde(default)]
    delta: Option<Value>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    message: Option<String>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

#[derive(Default)]
pub(super) struct CohereDecoder {
    blocks: OpenBlocks,
    citations: Citations,
    call: Option<Call>,
    end: End,
    failed: bool,
    usage: Usage,
}

impl CohereDecoder {
    fn take(&mut self, event: Event, out: &mut Output) {
        let index = event.index.unwrap_or(0);
        let delta = event.delta.unwrap_or_default();
        match event.kind.as_deref().unwrap_or_default() {
            "content-delta" => self.content_delta(index, &delta, out),
            "content-start" => {
                match delta.pointer("/message/content/type").and_then(Value::as_str) {
                    Some("thinking") => self.blocks.open_reasoning(index, None, out),
                    _ => self.blocks.open_text(index, out),
                }
                self.content_delta(index, &delta, out);
            }
            "citation-start" => {
                if let Some(citations) = delta.pointer("/message/citations") {
                    self.citations.add(citations.clone());
                }
            }
            "content-end" => self.blocks.close(index, out),
            // Calls do not overlap: a new one ends the last one.
            "tool-call-start" => {
                self.end_call(out);
                let id = string(&delta, "/message/tool_calls/id");
                let id = if id.is_empty() { crate::wire::output::generated_id("call") } else { id };
                let name = string(&delta, "/message/tool_calls/function/name");
                out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
                self.call = Some(Call { id, name, arguments: String::new() });
                self.arguments(&delta, out);
            }
            "tool-call-delta" => self.arguments(&delta, out),
            "tool-call-end" => self.end_call(out),
            "message-start" => {
                out.part(StreamPart::ResponseMetadata(ResponseMetadata {
                    id: event.id,
                    ..ResponseMetadata::default()
                }));
            }
            "message-end" => self.message_end(&delta, out),
            // Undocumented, but sent for failures before the message starts.
            "error" => {
                let message = event.message.or_else(|| message_in_error(event.error.as_ref().unwrap_or(&delta)));
                self.fail(message, out);
            }
            _ => {}
        }
    }

    fn fail(&mut self, message: Option<String>, out: &mut Output) {
        self.failed = true;
        let message = message.unwrap_or_else(|| "The provider broke off its answer with an error.".to_owned());
        out.failure(kind_of_error(&Value::Null, &message), message);
    }

    fn content_delta(&mut self, index: u64, delta: &Value, out: &mut Output) {
        let id = index.to_string();
        let thinking = string(delta, "/message/content/thinking");
        if !thinking.is_empty() {
            if !self.blocks.is_open(index) {
                self.blocks.open_reasoning(index, None, out);
            }
            let id = id.clone();
            out.part(StreamPart::ReasoningDelta { id, delta: thinking, provider_metadata: None });
        }
        let text = string(delta, "/message/content/text");
        if !text.is_empty() {
            if !self.blocks.is_open(index) {
                self.blocks.open_text(index, out);
            }
            self.citations.text(index, &text);
            out.part(StreamPart::TextDelta { id, delta: text, provider_metadata: None });
        }
    }

    fn arguments(&mut self, delta: &Value, out: &mut Output) {
        let piece = string(delta, "/message/tool_calls/function/arguments");
        let Some(call) = self.call.as_mut().filter(|_| !piece.is_empty()) else { return };
        call.arguments.push_str(&piece);
        out.part(StreamPart::ToolInputDelta { id: call.id.clone(), delta: piece });
    }

    fn end_call(&mut self, out: &mut Output) {
        if let Some(call) = self.call.take() {
            out.tool_call(call.id, call.name, call.arguments, None);
        }
    }

    fn message_end(&mut self, delta: &Value, out: &mut Output) {
        let count = |pointer: &str| delta.pointer(pointer).and_then(token_count);
        self.usage = usage(count("/usage/tokens/input_tokens"), count("/usage/tokens/output_tokens"), None, None);
        let reason = delta.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
        self.end.set_word(reason);
        if let Some(error) = delta.get("error").filter(|error| !error.is_null()) {
            self.fail(message_in_error(error), out);
        }
    }
}

impl WireDecoder for CohereDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Data(data) = event else { return };
        if let Some(event) = out.parse::<Event>(data) {
            self.take(event, out);
        }
    }

    fn complete(&self) -> bool {
        self.end.is_known()
    }

    fn finish(&mut self, out: &mut Output) {
        self.blocks.close_all(&self.end, out);
        if self.failed {
            return;
        }
        if !self.end.is_known() {
            return out.truncated();
        }
        if self.end.fail(out) {
            return;
        }
        if self.end.keeps_open_calls() {
            self.end_call(out);
        }
        out.sources(self.citations.sources());
        self.end.report(out);
        out.finish(self.end.finish_reason(), self.usage);
    }
}

fn string(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
