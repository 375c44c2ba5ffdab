//! The streamed answer of ConverseStream.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    chat::{FinishReason, Usage},
    provider::{
        ProviderErrorKind,
        wire::{Output, WireDecoder, WireEvent, blocks::OpenBlocks, output::usage, values::metadata},
        words::of_json,
    },
};

/// The payload of every event read, as one record.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    #[serde(default)]
    content_block_index: Option<u64>,
    #[serde(default)]
    start: Option<Start>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    #[serde(default)]
    tool_use: Option<ToolUseStart>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUseStart {
    tool_use_id: String,
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    tool_use: Option<ToolUseDelta>,
    #[serde(default)]
    reasoning_content: Option<ReasoningDelta>,
}

#[derive(Debug, Deserialize)]
struct ToolUseDelta {
    #[serde(default)]
    input: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReasoningDelta {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default, alias = "redactedContent")]
    data: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireUsage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    cache_write_input_tokens: Option<u64>,
}

/// Decodes one answer.
#[derive(Default)]
pub(super) struct BedrockDecoder {
    blocks: OpenBlocks,
    finish_reason: Option<FinishReason>,
    failed: bool,
    saw_usage: bool,
    usage: Usage,
}

impl BedrockDecoder {
    fn payload(&mut self, event_type: &str, payload: Payload, out: &mut Output) {
        let index = payload.content_block_index.unwrap_or(0);
        match event_type {
            "contentBlockDelta" => {
                if let Some(delta) = payload.delta {
                    self.delta(index, delta, out);
                }
            }
            "contentBlockStart" => {
                if let Some(ToolUseStart { tool_use_id: id, name }) = payload.start.and_then(|start| start.tool_use) {
                    self.blocks.open_tool(index, id, name, String::new(), out);
                }
            }
            "contentBlockStop" => self.blocks.close(index, out),
            "messageStop" => self.finish_reason = payload.stop_reason.as_deref().map(finish_reason),
            "metadata" => {
                if let Some(wire) = payload.usage {
                    self.take_usage(&wire);
                }
            }
            _ => {}
        }
    }

    /// Text and reasoning begin with their first piece; only tool calls are announced.
    fn delta(&mut self, index: u64, delta: Delta, out: &mut Output) {
        if let Some(text) = delta.text {
            if !self.blocks.is_open(index) {
                self.blocks.open_text(index, out);
            }
            return self.blocks.text(index, text, out);
        }
        if let Some(reasoning) = delta.reasoning_content {
            return self.reasoning(index, reasoning, out);
        }
        let piece = delta.tool_use.and_then(|tool_use| tool_use.input).filter(|piece| !piece.is_empty());
        if let Some(piece) = piece {
            self.blocks.tool_input(index, piece, out);
        }
    }

    fn reasoning(&mut self, index: u64, reasoning: ReasoningDelta, out: &mut Output) {
        if !self.blocks.is_open(index) {
            self.blocks.open_reasoning(index, None, out);
        }
        let metadata = match (reasoning.signature, reasoning.data) {
            (Some(signature), _) => Some(metadata("bedrock", [("signature", json!(signature))])),
            (None, Some(data)) => Some(metadata("bedrock", [("redactedData", json!(data))])),
            (None, None) => None,
        };
        self.blocks.reasoning(index, reasoning.text.unwrap_or_default(), metadata, out);
    }

    fn take_usage(&mut self, wire: &WireUsage) {
        self.saw_usage = true;
        // Cached tokens are counted apart from input; ours are inside it.
        let cached = wire.cache_read_input_tokens.unwrap_or(0);
        let written = wire.cache_write_input_tokens.unwrap_or(0);
        let input = wire.input_tokens.map(|input| input.saturating_add(cached).saturating_add(written));
        self.usage = usage(input, wire.output_tokens, Some(cached), None);
    }

    /// An exception frame, or an `error` frame whose type is an error code.
    fn exception(&mut self, kind: &str, payload: &str, out: &mut Output) {
        self.failed = true;
        let body: Value = serde_json::from_str(payload).unwrap_or_default();
        let message = of_json(&body);
        let class = match kind {
            "throttlingException" | "serviceUnavailableException" => ProviderErrorKind::RateLimit { retry_after: None },
            "internalServerException" => ProviderErrorKind::Server,
            "validationException" => ProviderErrorKind::BadRequest,
            _ => ProviderErrorKind::Stream,
        };
        out.failure(class, message.map_or_else(|| kind.to_owned(), |message| format!("{kind}: {message}")));
    }
}

impl WireDecoder for BedrockDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Frame { message_type, event_type, payload } = event else { return };
        // Text that is not UTF-8 is shown in the failure rather than hidden by one.
        let payload = String::from_utf8_lossy(payload);
        if message_type != "event" {
            return self.exception(event_type, &payload, out);
        }
        if let Some(payload) = out.parse::<Payload>(&payload) {
            self.payload(event_type, payload, out);
        }
    }

    // Usage comes after the end of the message.
    fn complete(&self) -> bool {
        self.finish_reason.is_some() && self.saw_usage
    }

    fn finish(&mut self, out: &mut Output) {
        if self.failed {
            return;
        }
        let Some(reason) = self.finish_reason else { return out.truncated() };
        self.blocks.close_all(out);
        out.finish(reason, self.usage);
    }
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "content_filtered" | "guardrail_intervened" => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}
