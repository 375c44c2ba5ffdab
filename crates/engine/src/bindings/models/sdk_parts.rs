//! Parts of a model object's stream, of all versions of the AI SDK's interface, as plain data.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use super::sdk_searches::Searches;
use lmthing_base::chat::{Cite, FinishReason, Source, StreamPart, Usage, token_count};

/// Reads the stream of one answer.
pub(super) struct PartReader {
    /// Parts that were read together and not taken yet.
    pub(super) read: VecDeque<StreamPart>,
    searches: Searches,
    /// The text so far, for citations, in UTF-16 code units.
    text: Vec<u16>,
    /// Where each block of text begins.
    blocks: HashMap<String, usize>,
}

impl PartReader {
    /// `read` are parts that stand before those of the stream.
    pub(super) fn new(searches: Searches, read: VecDeque<StreamPart>) -> Self {
        PartReader { read, searches, text: Vec::new(), blocks: HashMap::new() }
    }

    /// Reads a part; those that the step loop does not use are skipped.
    pub(super) fn add(&mut self, mut part: Value) {
        if let Some(members) = part.as_object_mut() {
            // `undefined` arrives as `null` within a part that was made from JSON.
            members.retain(|name, value| !value.is_null() || name == "result");
        }
        let kind = part["type"].as_str().unwrap_or_default().to_owned();
        match kind.as_str() {
            "tool-call" => put_arguments(&mut part),
            // A result that is still to change.
            "tool-result" if part["preliminary"] == true => return,
            "text-delta" | "reasoning-delta" => put_delta(&mut part),
            "file" => put_file(&mut part),
            "finish" => {
                let finish = self.finish(&part);
                self.read.push_back(finish);
                return;
            }
            "response-metadata" => put_time(&mut part),
            "stream-start" => {
                let warnings = part["warnings"].as_array().cloned().unwrap_or_default();
                part["warnings"] = warnings.into_iter().filter_map(warning).collect();
            }
            "tool-approval-request" => {
                let details = "the provider asks to approve a call of its own, which lmthing cannot answer";
                part = json!({ "type": "stream-start", "warnings": [{ "type": "other", "details": details }] });
            }
            _ => {}
        }
        let citations = if kind == "text-end" { part["citations"].take() } else { Value::Null };
        let Ok(part) = serde_json::from_value(part) else { return };
        self.count(&part);
        if let StreamPart::TextEnd { id, .. } = &part {
            let sources = citations.as_array().into_iter().flatten().filter_map(|cited| self.cited(id, cited));
            let sources: Vec<_> = sources.collect();
            self.read.extend(sources.into_iter().map(StreamPart::Source));
        }
        self.read.push_back(part);
    }

    fn count(&mut self, part: &StreamPart) {
        self.searches.add(part);
        match part {
            StreamPart::TextStart { id, .. } => {
                self.blocks.insert(id.clone(), self.text.len());
            }
            StreamPart::TextDelta { delta, .. } => self.text.extend(delta.encode_utf16()),
            _ => {}
        }
    }

    /// A citation at the end of a block: `{source, startIndex?, endIndex?, citedText?}`.
    fn cited(&self, block: &str, citation: &Value) -> Option<Source> {
        let mut source: Source = serde_json::from_value(citation["source"].clone()).ok()?;
        let start_of_block = self.blocks.get(block).copied().unwrap_or(0);
        let position = |name: &str| {
            let index = citation[name].as_u64().and_then(|index| usize::try_from(index).ok())?;
            start_of_block.checked_add(index)
        };
        if let (Some(start), Some(end)) = (position("startIndex"), position("endIndex")) {
            let text = self.text.get(start..end).and_then(|units| String::from_utf16(units).ok());
            source.cites.extend(text.map(|text| Cite { start, end, text }));
        }
        Some(source)
    }

    fn finish(&self, part: &Value) -> StreamPart {
        let reason = &part["finishReason"];
        let mut usage = usage(&part["usage"]);
        self.searches.put(&mut usage, &part["providerMetadata"]);
        StreamPart::Finish {
            finish_reason: finish_reason(reason),
            usage,
            is_paused: reason["raw"] == "pause_turn",
            provider_metadata: part["providerMetadata"].as_object().cloned(),
        }
    }
}

/// Arguments should be text, but some models have the value, or put it under `args`.
fn put_arguments(part: &mut Value) {
    if part["input"].is_string() {
        return;
    }
    let input = part.get("input").or_else(|| part.get("args")).filter(|input| !input.is_null());
    part["input"] = match input {
        None => Value::String(String::new()),
        Some(Value::String(text)) => text.clone().into(),
        Some(other) => other.to_string().into(),
    };
}

fn put_delta(part: &mut Value) {
    // Older names of `delta`.
    for other_name in ["textDelta", "text"] {
        if part["delta"].is_null() && !part[other_name].is_null() {
            part["delta"] = part[other_name].take();
        }
    }
    if part["id"].is_null() {
        // Older versions have no blocks; all text is one.
        part["id"] = json!("0");
    }
}

/// `{type: 'data', data}` and `{type: 'url', url}` of version 4 as the content itself.
fn put_file(part: &mut Value) {
    let tagged = &part["data"];
    let content = if tagged["type"] == "url" { tagged["url"].clone() } else { tagged["data"].clone() };
    if tagged.is_object() {
        part["data"] = content;
    }
}

/// A date arrives as text.
fn put_time(part: &mut Value) {
    if let Some(text) = part["timestamp"].as_str() {
        let time = text.parse::<jiff::Timestamp>().ok();
        part["timestamp"] = time.map(jiff::Timestamp::as_millisecond).into();
    }
}

/// A string, or `{unified, raw}` in later versions.
fn finish_reason(value: &Value) -> FinishReason {
    let name = if value.is_object() { &value["unified"] } else { value };
    serde_json::from_value(name.clone()).unwrap_or_default()
}

/// Flat counts, or in later versions `{inputTokens: {total, cacheRead, cacheWrite}, outputTokens: {total,
/// reasoning}}`. Some versions have details in separate fields.
fn usage(value: &Value) -> Usage {
    let (input, output) = (&value["inputTokens"], &value["outputTokens"]);
    let (input_details, output_details) = (&value["inputTokenDetails"], &value["outputTokenDetails"]);
    let first = |values: &[&Value]| values.iter().find_map(|value| token_count(value));
    let mut usage = Usage::new(first(&[&input["total"], input]), first(&[&output["total"], output]));
    usage.total_tokens = token_count(&value["totalTokens"]).or(usage.total_tokens);
    usage.reasoning_tokens =
        first(&[&value["reasoningTokens"], &output["reasoning"], &output_details["reasoningTokens"]]);
    usage.cached_input_tokens =
        first(&[&value["cachedInputTokens"], &input["cacheRead"], &input_details["cacheReadTokens"]]);
    usage.has_cache_count = usage.cached_input_tokens.is_some();
    usage.cache_write_tokens =
        first(&[&value["cacheWriteTokens"], &input["cacheWrite"], &input_details["cacheWriteTokens"]]);
    usage
}

/// Renames fields of later versions.
fn warning(mut warning: Value) -> Option<Value> {
    for (name, other_name) in [("setting", "feature"), ("setting", "tool"), ("details", "message")] {
        if warning.is_object() && !warning[name].is_string() {
            warning[name] = warning[other_name].as_str().map(str::to_owned).into();
        }
    }
    warning["type"].is_string().then_some(warning)
}
