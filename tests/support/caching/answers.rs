//! Answers of each API, with token counts.

use serde_json::{Value, json};

use super::{super::http, Api, Counts};

/// What a model answers.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Text(String),
    /// Calls of these tools without arguments.
    Calls(Vec<String>),
}

impl Reply {
    pub(crate) fn text(text: &str) -> Self {
        Reply::Text(text.to_owned())
    }

    pub(crate) fn call(tool: &str) -> Self {
        Reply::Calls(vec![tool.to_owned()])
    }

    /// Head and body of the answer to the request of this number. `reported` is what the server reports of its cache, and
    /// whether in DeepSeek's form.
    pub(super) fn response(&self, api: Api, number: usize, reported: Option<(Counts, bool)>, input: usize) -> Vec<u8> {
        let (counts, is_deepseek) = reported.unzip();
        let usage = Usage { input, counts, is_deepseek: is_deepseek.unwrap_or_default() };
        let body = match api {
            Api::Responses => events(&self.responses(number, &usage)),
            Api::Chat => events(&self.chat(number, &usage)),
            Api::Anthropic => events(&self.anthropic(number, &usage)),
            Api::Google => events(&self.google(&usage)),
            Api::Bedrock => self.bedrock(number, &usage).iter().flat_map(|(name, data)| frame(name, data)).collect(),
        };
        let content_type = if api == Api::Bedrock { "application/vnd.amazon.eventstream" } else { "text/event-stream" };
        [http::response("200 OK", content_type, "").into_bytes(), body].concat()
    }

    fn calls(&self, number: usize) -> impl Iterator<Item = (String, &str)> {
        let calls = if let Reply::Calls(calls) = self { &calls[..] } else { &[] };
        calls.iter().enumerate().map(move |(index, name)| (format!("call_{number}_{index}"), name.as_str()))
    }

    fn words(&self) -> Option<&str> {
        if let Reply::Text(text) = self { Some(text) } else { None }
    }

    fn responses(&self, number: usize, usage: &Usage) -> Vec<Value> {
        let calls = self.calls(number).map(|(id, name)| {
            json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "arguments": "{}" })
        });
        let text = self.words().map(|text| {
            json!({ "type": "message", "id": format!("msg_{number}"), "role": "assistant",
                    "content": [{ "type": "output_text", "text": text }] })
        });
        let mut events = Vec::new();
        for (index, item) in calls.chain(text).enumerate() {
            events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": item }));
            if let Some(text) = item.pointer("/content/0/text") {
                events.push(json!({ "type": "response.output_text.delta", "item_id": item["id"], "delta": text }));
            }
            events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
        }
        let mut counts = json!({ "input_tokens": usage.input, "output_tokens": OUTPUT });
        if let Some(cache) = usage.counts {
            counts["input_tokens_details"] =
                json!({ "cached_tokens": cache.read, "cache_write_tokens": cache.written });
        }
        events.push(json!({ "type": "response.completed", "response": { "id": "r", "usage": counts } }));
        events
    }

    fn chat(&self, number: usize, usage: &Usage) -> Vec<Value> {
        let calls: Vec<Value> = self
            .calls(number)
            .enumerate()
            .map(|(index, (id, name))| {
                let function = json!({ "name": name, "arguments": "{}" });
                json!({ "index": index, "id": id, "type": "function", "function": function })
            })
            .collect();
        let delta = match self.words() {
            Some(text) => json!({ "content": text }),
            None => json!({ "tool_calls": calls }),
        };
        let reason = if self.words().is_some() { "stop" } else { "tool_calls" };
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        let mut counts = json!({ "prompt_tokens": usage.input, "completion_tokens": OUTPUT });
        match usage.counts {
            Some(cache) if usage.is_deepseek => {
                counts["prompt_cache_hit_tokens"] = cache.read.into();
                counts["prompt_cache_miss_tokens"] = (usage.input - cache.read).into();
            }
            Some(cache) => counts["prompt_tokens_details"] = json!({ "cached_tokens": cache.read }),
            None => {}
        }
        vec![
            json!({ "id": "c", "model": "m", "choices": [choice] }),
            json!({ "id": "c", "model": "m", "choices": [], "usage": counts }),
        ]
    }

    fn anthropic(&self, number: usize, usage: &Usage) -> Vec<Value> {
        let Counts { read, written, .. } = usage.counts.unwrap_or_default();
        let mut counts = json!({ "input_tokens": usage.input - read - written, "output_tokens": 1 });
        if usage.counts.is_some() {
            counts["cache_read_input_tokens"] = read.into();
            counts["cache_creation_input_tokens"] = written.into();
        }
        let mut events =
            vec![json!({ "type": "message_start", "message": { "id": "m", "model": "c", "usage": counts } })];
        let calls = self.calls(number).map(|(id, name)| {
            let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
            (block, json!({ "type": "input_json_delta", "partial_json": "{}" }))
        });
        let text = self
            .words()
            .map(|text| (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text })));
        for (index, (block, delta)) in calls.chain(text).enumerate() {
            events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
            events.push(json!({ "type": "content_block_stop", "index": index }));
        }
        let reason = if self.words().is_some() { "end_turn" } else { "tool_use" };
        let usage = json!({ "output_tokens": OUTPUT });
        events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": usage }));
        events.push(json!({ "type": "message_stop" }));
        events
    }

    fn google(&self, usage: &Usage) -> Vec<Value> {
        let calls = self.calls(0).map(|(_, name)| json!({ "functionCall": { "name": name, "args": {} } }));
        let parts: Vec<Value> = calls.chain(self.words().map(|text| json!({ "text": text }))).collect();
        let mut counts = json!({ "promptTokenCount": usage.input, "candidatesTokenCount": OUTPUT });
        // Without a hit there is no count.
        if let Some(cache) = usage.counts.filter(|cache| cache.read > 0) {
            counts["cachedContentTokenCount"] = cache.read.into();
        }
        let candidate = json!({ "content": { "role": "model", "parts": parts }, "finishReason": "STOP" });
        vec![json!({ "candidates": [candidate], "usageMetadata": counts })]
    }

    fn bedrock(&self, number: usize, usage: &Usage) -> Vec<(&'static str, Value)> {
        let mut frames = vec![("messageStart", json!({ "role": "assistant" }))];
        for (index, (id, name)) in self.calls(number).enumerate() {
            let start = json!({ "toolUse": { "toolUseId": id, "name": name } });
            frames.push(("contentBlockStart", json!({ "contentBlockIndex": index, "start": start })));
            let delta = json!({ "toolUse": { "input": "{}" } });
            frames.push(("contentBlockDelta", json!({ "contentBlockIndex": index, "delta": delta })));
            frames.push(("contentBlockStop", json!({ "contentBlockIndex": index })));
        }
        if let Some(text) = self.words() {
            frames.push(("contentBlockDelta", json!({ "contentBlockIndex": 0, "delta": { "text": text } })));
            frames.push(("contentBlockStop", json!({ "contentBlockIndex": 0 })));
        }
        let reason = if self.words().is_some() { "end_turn" } else { "tool_use" };
        frames.push(("messageStop", json!({ "stopReason": reason })));
        let Counts { read, written, .. } = usage.counts.unwrap_or_default();
        let mut counts = json!({ "inputTokens": usage.input - read - written, "outputTokens": OUTPUT });
        if usage.counts.is_some() {
            counts["cacheReadInputTokens"] = read.into();
            counts["cacheWriteInputTokens"] = written.into();
        }
        frames.push(("metadata", json!({ "usage": counts })));
        frames
    }
}

/// Tokens of every answer.
const OUTPUT: usize = 7;

struct Usage {
    input: usize,
    counts: Option<Counts>,
    is_deepseek: bool,
}

fn events(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// A frame of an AWS event stream.
fn frame(event: &str, data: &Value) -> Vec<u8> {
    let mut headers = Vec::new();
    for (name, value) in [(":message-type", "event"), (":event-type", event), (":content-type", "application/json")] {
        headers.push(name.len() as u8);
        headers.extend(name.as_bytes());
        headers.push(7);
        headers.extend((value.len() as u16).to_be_bytes());
        headers.extend(value.as_bytes());
    }
    let payload = data.to_string().into_bytes();
    let total = 12 + headers.len() + payload.len() + 4;
    let mut frame = [(total as u32).to_be_bytes(), (headers.len() as u32).to_be_bytes()].concat();
    frame.extend(crc32(&frame).to_be_bytes());
    frame.extend(headers);
    frame.extend(payload);
    frame.extend(crc32(&frame).to_be_bytes());
    frame
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
