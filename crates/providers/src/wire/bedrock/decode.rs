//! Decodes responses of ConverseStream.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ProviderErrorKind,
    error_kind::kind_of_error,
    error_text::message_in_json,
    wire::{Output, WireDecoder, WireEvent, blocks::OpenBlocks, ending::End, lenient, output::usage, values::metadata},
};
use lmthing_base::chat::Usage;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    #[serde(default, deserialize_with = "lenient::count")]
    content_block_index: Option<u64>,
    #[serde(default, deserialize_with = "lenient::object")]
    start: Option<Start>,
    #[serde(default, deserialize_with = "lenient::object")]
    delta: Option<Delta>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    usage: Option<WireUsage>,
    #[serde(default)]
    service_tier: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    #[serde(default, deserialize_with = "lenient::object")]
    tool_use: Option<ToolUseStart>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUseStart {
    #[serde(default, deserialize_with = "lenient::text")]
    tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    #[serde(default, deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    tool_use: Option<ToolUseDelta>,
    #[serde(default, deserialize_with = "lenient::object")]
    reasoning_content: Option<ReasoningDelta>,
}

#[derive(Debug, Deserialize)]
struct ToolUseDelta {
    #[serde(default, deserialize_with = "lenient::text")]
    input: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReasoningDelta {
    #[serde(default, deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    signature: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    data: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    redacted_content: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireUsage {
    #[serde(default, deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    cache_write_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::list")]
    cache_details: Vec<CacheDetail>,
}

/// The tokens that were written to the cache with this lifetime.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CacheDetail {
    #[serde(default, deserialize_with = "lenient::text")]
    ttl: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
}

#[derive(Default)]
pub(super) struct BedrockDecoder {
    blocks: OpenBlocks,
    end: End,
    failed: bool,
    /// Whether the `metadata` event, which follows the end of the message, was read.
    has_metadata_event: bool,
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
                    let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
                    self.blocks.open_tool(index, id, name, String::new(), out);
                }
            }
            "contentBlockStop" => self.blocks.close(index, out),
            "messageStop" => {
                self.end.set_word(payload.stop_reason.as_deref().unwrap_or_default());
            }
            "metadata" => {
                self.has_metadata_event = true;
                let tier = payload.service_tier.as_ref().and_then(|tier| tier.get("type")?.as_str());
                out.service_tier(tier.map(str::to_owned));
                if let Some(wire) = payload.usage {
                    self.take_usage(&wire);
                }
            }
            _ => {}
        }
    }

    /// Only tool calls have start events; text and reasoning begin with their first delta.
    fn delta(&mut self, index: u64, delta: Delta, out: &mut Output) {
        if let Some(text) = delta.text {
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
        let metadata = match (reasoning.signature, reasoning.data.or(reasoning.redacted_content)) {
            (Some(signature), _) => Some(metadata("bedrock", [("signature", json!(signature))])),
            (None, Some(data)) => Some(metadata("bedrock", [("redactedData", json!(data))])),
            (None, None) => None,
        };
        self.blocks.reasoning(index, reasoning.text.unwrap_or_default(), metadata, out);
    }

    fn take_usage(&mut self, wire: &WireUsage) {
        // The service does not count cached tokens as input.
        let cached = wire.cache_read_input_tokens.unwrap_or(0);
        let written = wire.cache_write_input_tokens.unwrap_or(0);
        let input = wire.input_tokens.map(|input| input.saturating_add(cached).saturating_add(written));
        let usage = usage(input, wire.output_tokens, Some(cached), None);
        let has_cache_count = wire.cache_read_input_tokens.is_some();
        let long = wire.cache_details.iter().filter(|detail| detail.ttl.as_deref() == Some("1h"));
        let long = long.filter_map(|detail| detail.input_tokens).sum();
        let long_cache_write_tokens = (!wire.cache_details.is_empty()).then_some(long);
        self.usage = Usage { cache_write_tokens: Some(written), long_cache_write_tokens, has_cache_count, ..usage };
    }

    /// An exception as a frame or an event, or an `error` frame with an error code.
    fn exception(&mut self, kind: &str, payload: &str, out: &mut Output) {
        self.failed = true;
        let body: Value = serde_json::from_str(payload).unwrap_or_default();
        let body = body.get(kind).unwrap_or(&body);
        let message = message_in_json(body);
        let named = kind_of_exception(kind);
        let class = match kind_of_error(body, message.as_deref().unwrap_or_default()) {
            // "Too many tokens" in a throttling exception is a rate limit.
            ProviderErrorKind::ContextLength if !matches!(named, ProviderErrorKind::RateLimit { .. }) => {
                ProviderErrorKind::ContextLength
            }
            _ => named,
        };
        out.failure(class, message.map_or_else(|| kind.to_owned(), |message| format!("{kind}: {message}")));
    }
}

fn kind_of_exception(name: &str) -> ProviderErrorKind {
    match name.to_ascii_lowercase().trim_end_matches("exception") {
        "throttling" | "serviceunavailable" | "servicequotaexceeded" | "modelnotready" => {
            ProviderErrorKind::RateLimit { retry_after: None }
        }
        "internalserver" => ProviderErrorKind::Server,
        "modeltimeout" => ProviderErrorKind::Timeout,
        "validation" | "resourcenotfound" => ProviderErrorKind::BadRequest,
        "accessdenied" | "unrecognizedclient" | "expiredtoken" => ProviderErrorKind::Authentication,
        _ => ProviderErrorKind::Stream,
    }
}

impl WireDecoder for BedrockDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Frame { message_type, event_type, payload } = event else { return };
        // Lossy, so that a failure can show the text.
        let payload = String::from_utf8_lossy(payload);
        if message_type != "event" || event_type.to_ascii_lowercase().ends_with("exception") {
            return self.exception(event_type, &payload, out);
        }
        let needed = event_type.starts_with("contentBlock") || matches!(event_type, "messageStop" | "metadata");
        if let Some(payload) = needed.then(|| out.parse::<Payload>(&payload)).flatten() {
            self.payload(event_type, payload, out);
        }
    }

    // Usage follows the end of the message.
    fn complete(&self) -> bool {
        self.end.is_known() && self.has_metadata_event
    }

    fn finish(&mut self, out: &mut Output) {
        if self.failed {
            return;
        }
        if !self.end.is_known() {
            return out.truncated();
        }
        self.blocks.close_all(&self.end, out);
        if !self.end.fail(out) {
            self.end.report(out);
            out.finish(self.end.finish_reason(), self.usage);
        }
    }
}
