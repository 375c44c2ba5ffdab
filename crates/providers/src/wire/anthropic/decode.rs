//! Decodes responses of the Messages API.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    citations::{self, Citations},
    unsigned::UnsignedBlocks,
};
use crate::{
    error_kind::kind_of_error,
    error_text::message_in_error,
    wire::{
        Output, WireDecoder, WireEvent,
        blocks::OpenBlocks,
        ending::End,
        lenient,
        output::usage,
        provider_calls::{take_content, whole_block},
        values::metadata,
    },
};
use lmthing_base::chat::{FinishReason, ResponseMetadata, StreamPart, Usage};

// Rare fields are boxed, because every event is moved several times.
#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "type", default, deserialize_with = "lenient::non_empty_text")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    index: Option<u64>,
    #[serde(default)]
    message: Option<Box<Value>>,
    #[serde(default)]
    content_block: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::object")]
    delta: Option<Delta>,
    #[serde(default, deserialize_with = "lenient::object")]
    usage: Option<Box<WireUsage>>,
    #[serde(default)]
    error: Option<Box<Value>>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    #[serde(default, deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    thinking: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    signature: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    partial_json: Option<String>,
    #[serde(default)]
    citation: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Option<Box<Value>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct WireUsage {
    #[serde(default, deserialize_with = "lenient::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::object")]
    cache_creation: Option<CacheCreation>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    service_tier: Option<String>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    speed: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    server_tool_use: Option<ServerToolUse>,
}

impl WireUsage {
    /// Fast mode is another field than the tier, and has the price that counts.
    fn tier(&self) -> Option<String> {
        let fast = self.speed.clone().filter(|speed| speed == "fast");
        fast.or_else(|| self.service_tier.clone())
    }
}

/// The tokens that were written to the cache, by how long they are kept.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct CacheCreation {
    #[serde(default, deserialize_with = "lenient::count")]
    ephemeral_1h_input_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct ServerToolUse {
    #[serde(default, deserialize_with = "lenient::count")]
    web_search_requests: Option<u64>,
}

#[derive(Default)]
pub(super) struct AnthropicDecoder {
    blocks: OpenBlocks,
    unsigned: UnsignedBlocks,
    citations: Citations,
    /// Names of the calls that the provider has run, by their ids.
    provider_calls: BTreeMap<String, String>,
    is_paused: bool,
    /// Whether the part has a result, which may be of a call of an earlier part.
    has_provider_result: bool,
    /// Whether an event other than `ping` was read: an error before that counts as a failed request.
    begun: bool,
    last: u64,
    saw_tool: bool,
    usage: WireUsage,
    end: End,
    stopped: bool,
    failed: bool,
}

impl AnthropicDecoder {
    /// A decoder of answers of another server than Anthropic's.
    pub(super) fn of(server: &str) -> Self {
        AnthropicDecoder { unsigned: UnsignedBlocks::of(server), ..AnthropicDecoder::default() }
    }

    fn take(&mut self, event: Event, out: &mut Output) {
        let index = event.index.unwrap_or(self.last);
        match event.kind.as_deref().unwrap_or_default() {
            "content_block_delta" => {
                if let Some(delta) = event.delta {
                    self.delta(index, delta, out);
                }
            }
            "content_block_start" => {
                self.last = event.index.unwrap_or(self.last + 1);
                if let Some(block) = event.content_block {
                    self.start(self.last, &block, out);
                }
            }
            "content_block_stop" => self.stop(index, out),
            "message_start" => self.message_start(event.message.as_deref(), out),
            "message_delta" => {
                if let Some(delta) = event.delta {
                    self.is_paused |= delta.stop_reason.as_deref() == Some("pause_turn");
                    self.end_of(&delta);
                }
                if let Some(usage) = event.usage {
                    self.merge_usage(*usage);
                }
            }
            "message_stop" => self.stopped = true,
            "error" => return self.error(event.error.as_deref(), out),
            _ => return,
        }
        self.begun = true;
    }

    fn end_of(&mut self, delta: &Delta) {
        if let Some(reason) = &delta.stop_reason {
            self.end.set_word(reason);
        }
        let text = |key: &str| delta.stop_details.as_ref().and_then(|details| details.get(key)?.as_str());
        self.end.add_category(text("category").unwrap_or_default());
        self.end.add_words(text("explanation").unwrap_or_default());
    }

    fn error(&mut self, error: Option<&Value>, out: &mut Output) {
        self.failed = true;
        let error = error.unwrap_or(&Value::Null);
        let default_message = || "The provider reported an error without saying which.".to_owned();
        let message = message_in_error(error).unwrap_or_else(default_message);
        let kind = kind_of_error(error, &message);
        if self.begun {
            return out.failure(kind, message);
        }
        // The statuses that the service would have sent before the response.
        let overloaded = error.get("type").and_then(Value::as_str) == Some("overloaded_error");
        out.failure_with_status(kind, message, if overloaded { 529 } else { 500 });
    }

    fn message_start(&mut self, message: Option<&Value>, out: &mut Output) {
        let Some(message) = message else { return };
        let string = |key: &str| message.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(usage) = message.get("usage").cloned().and_then(|usage| serde_json::from_value(usage).ok()) {
            self.merge_usage(usage);
        }
        out.part(StreamPart::ResponseMetadata(ResponseMetadata {
            id: string("id"),
            model_id: string("model"),
            ..ResponseMetadata::default()
        }));
    }

    fn merge_usage(&mut self, new: WireUsage) {
        let usage = &mut self.usage;
        usage.input_tokens = new.input_tokens.or(usage.input_tokens);
        usage.output_tokens = new.output_tokens.or(usage.output_tokens);
        usage.cache_creation_input_tokens = new.cache_creation_input_tokens.or(usage.cache_creation_input_tokens);
        usage.cache_read_input_tokens = new.cache_read_input_tokens.or(usage.cache_read_input_tokens);
        usage.cache_creation = new.cache_creation.or(usage.cache_creation);
        usage.service_tier = new.service_tier.or(usage.service_tier.take());
        usage.speed = new.speed.or(usage.speed.take());
        usage.server_tool_use = new.server_tool_use.or(usage.server_tool_use);
    }

    fn start(&mut self, index: u64, block: &Value, out: &mut Output) {
        let string = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                self.blocks.open_text(index, out);
                let text = string("text");
                if !text.is_empty() {
                    self.text(index, text, out);
                }
                if let Some(Value::Array(citations)) = block.get("citations") {
                    self.citations.add(index, citations.iter().cloned());
                }
            }
            Some("thinking") => {
                self.blocks.open_reasoning(index, None, out);
                self.unsigned.open(index);
                let thinking = string("thinking");
                if !thinking.is_empty() {
                    self.blocks.reasoning(index, thinking, None, out);
                }
            }
            Some("redacted_thinking") => {
                let redacted = metadata("anthropic", [("redactedData", json!(string("data")))]);
                self.blocks.open_reasoning(index, Some(redacted), out);
            }
            Some("tool_use") => {
                // The input is an empty object if arguments are streamed.
                let given = block.get("input").filter(|input| input.as_object().is_some_and(|map| !map.is_empty()));
                let input = given.map(Value::to_string).unwrap_or_default();
                self.saw_tool = true;
                self.blocks.open_tool(index, string("id"), string("name"), input, out);
            }
            Some(kind) if kind.ends_with("_tool_use") => self.provider_call(index, block.clone(), out),
            Some(kind) if kind.ends_with("_tool_result") => self.provider_result(index, kind, block.clone(), out),
            Some(_) => self.blocks.open_reasoning(index, Some(whole_block("anthropic", block.clone())), out),
            None => self.blocks.open_hidden(index),
        }
    }

    fn text(&mut self, index: u64, delta: String, out: &mut Output) {
        self.citations.text(index, &delta);
        self.blocks.text(index, delta, out);
    }

    fn stop(&mut self, index: u64, out: &mut Output) {
        self.unsigned.close(index, &mut self.blocks, out);
        let Some((metadata, sources)) = self.citations.end(index) else { return self.blocks.close(index, out) };
        self.blocks.set_text_metadata(index, metadata);
        self.blocks.close(index, out);
        out.sources(sources);
    }

    fn provider_call(&mut self, index: u64, block: Value, out: &mut Output) {
        let string = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, name) = (string("id"), string("name"));
        self.provider_calls.insert(id.clone(), name.clone());
        let (input, metadata) = take_content("anthropic", block, "/input");
        // Empty if the input is streamed.
        let input = input.as_object().is_some_and(|map| !map.is_empty()).then(|| input.to_string());
        self.blocks.open_provider_tool(index, (id, name, input.unwrap_or_default()), metadata, out);
    }

    fn provider_result(&mut self, index: u64, kind: &str, block: Value, out: &mut Output) {
        let tool_call_id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let called = self.provider_calls.get(&tool_call_id).cloned();
        let tool_name = called.unwrap_or_else(|| citations::tool_of_result(kind).to_owned());
        let is_error = citations::is_failure(&block);
        let (result, metadata) = take_content("anthropic", block, "/content");
        let pages = citations::pages(&result);
        self.blocks.open_hidden(index);
        self.has_provider_result = true;
        out.part(StreamPart::ToolResult {
            tool_call_id,
            tool_name,
            result,
            is_error,
            provider_metadata: Some(metadata),
        });
        out.sources(pages);
    }

    fn delta(&mut self, index: u64, delta: Delta, out: &mut Output) {
        if let Some(text) = delta.text {
            self.text(index, text, out);
        }
        if let Some(citation) = delta.citation {
            self.citations.add(index, [*citation]);
        }
        if let Some(signature) = delta.signature {
            self.unsigned.sign(index);
            let signed = metadata("anthropic", [("signature", json!(signature))]);
            self.blocks.reasoning(index, String::new(), Some(signed), out);
        } else if let Some(thinking) = delta.thinking {
            self.blocks.reasoning(index, thinking, None, out);
        }
        if let Some(piece) = delta.partial_json.filter(|piece| !piece.is_empty()) {
            self.blocks.tool_input(index, piece, out);
        }
    }
}

impl WireDecoder for AnthropicDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Data(data) = event else { return };
        if let Some(event) = out.parse::<Event>(data) {
            self.take(event, out);
        }
    }

    fn complete(&self) -> bool {
        self.stopped
    }

    fn finish(&mut self, out: &mut Output) {
        if self.failed {
            return;
        }
        let reason = match self.end.is_known() {
            true => self.end.finish_reason(),
            // Some compatible services send no reason.
            false if self.stopped && self.saw_tool => FinishReason::ToolCalls,
            false if self.stopped => FinishReason::Other,
            // Open text blocks may be shown, but an incomplete call must not run.
            false => return out.truncated(),
        };
        self.citations.open_blocks().into_iter().for_each(|index| self.stop(index, out));
        self.blocks.close_all(&self.end, out);
        if self.end.fail(out) {
            return;
        }
        self.end.report(out);
        let wire = &self.usage;
        out.service_tier(wire.tier());
        // The service does not count cached tokens as input.
        let cached = wire.cache_read_input_tokens.unwrap_or(0);
        let written = wire.cache_creation_input_tokens.unwrap_or(0);
        let input = wire.input_tokens.map(|input| input.saturating_add(cached).saturating_add(written));
        let cached = input.map(|_| cached);
        let usage = usage(input, wire.output_tokens, cached, None);
        let web_searches = wire.server_tool_use.and_then(|tools| tools.web_search_requests);
        let has_cache_count = wire.cache_read_input_tokens.is_some();
        let usage = Usage {
            cache_write_tokens: input.map(|_| written),
            long_cache_write_tokens: wire.cache_creation.and_then(|created| created.ephemeral_1h_input_tokens),
            has_cache_count,
            web_searches,
            ..usage
        };
        // A pause of text alone is the end of an answer.
        let has_provided = self.has_provider_result || !self.provider_calls.is_empty();
        out.finish_or_pause(reason, usage, self.is_paused && has_provided);
    }
}
