//! Characters that a server has split into two events, as the two `\\u` escapes of a pair of surrogates.

use std::collections::HashMap;

use serde_json::{Map, Value};

use lmthing_base::chat::StreamPart;

/// Private-use characters that stand for surrogates until they are joined.
const BASE: u32 = 0x10_0000;

pub(super) fn placeholder(unit: u16) -> char {
    char::from_u32(BASE + u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Joins placeholders; needed only after the first one.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    /// The first half at the end of each block so far.
    open: HashMap<String, u16>,
}

impl Joiner {
    /// Passes on what is ready.
    pub(super) fn push(&mut self, mut part: StreamPart, mut emit: impl FnMut(StreamPart)) {
        match &mut part {
            StreamPart::TextDelta { id, delta, provider_metadata }
            | StreamPart::ReasoningDelta { id, delta, provider_metadata } => {
                *delta = self.joined(id, delta);
                provider_metadata.iter_mut().flat_map(Map::values_mut).for_each(replace_halves);
                if delta.is_empty() && provider_metadata.is_none() {
                    return;
                }
            }
            StreamPart::ToolInputDelta { id, delta } => {
                *delta = self.joined(id, delta);
                if delta.is_empty() {
                    return;
                }
            }
            StreamPart::ToolCall { input, .. } => *input = String::from_utf16_lossy(&units(input)),
            StreamPart::TextEnd { id, .. } | StreamPart::ReasoningEnd { id, .. } | StreamPart::ToolInputEnd { id }
                if self.open.remove(id).is_some() =>
            {
                emit(lone(id.clone(), &part));
            }
            StreamPart::ToolResult { .. }
            | StreamPart::Source(_)
            | StreamPart::ResponseMetadata(_)
            | StreamPart::File { .. } => part = without_halves(part),
            _ => {}
        }
        emit(part);
    }

    /// The text of a delta with the half before it, and without the half at its end.
    fn joined(&mut self, id: &str, delta: &str) -> String {
        let mut half = self.open.remove(id);
        let text = join(&mut half, delta);
        self.open.extend(half.map(|half| (id.to_owned(), half)));
        text
    }
}

/// A text with the half before it, and without the half at its end, which is the next one's.
pub(super) fn join(half: &mut Option<u16>, text: &str) -> String {
    let mut units: Vec<u16> = half.take().into_iter().chain(units(text)).collect();
    if let Some(first @ 0xd800..=0xdbff) = units.last().copied() {
        units.pop();
        *half = Some(first);
    }
    String::from_utf16_lossy(&units)
}

/// What stands for a half without the other, in a block that ends with `end`.
fn lone(id: String, end: &StreamPart) -> StreamPart {
    let delta = char::REPLACEMENT_CHARACTER.to_string();
    match end {
        StreamPart::ReasoningEnd { .. } => StreamPart::ReasoningDelta { id, delta, provider_metadata: None },
        StreamPart::ToolInputEnd { .. } => StreamPart::ToolInputDelta { id, delta },
        _ => StreamPart::TextDelta { id, delta, provider_metadata: None },
    }
}

/// A part whose texts are whole, so that a half in them has no other to wait for.
fn without_halves(part: StreamPart) -> StreamPart {
    let Ok(mut value) = serde_json::to_value(&part) else { return part };
    replace_halves(&mut value);
    serde_json::from_value(value).unwrap_or(part)
}

/// Replaces the placeholders in all strings of a value: pairs by their character, others by U+FFFD.
fn replace_halves(value: &mut Value) {
    match value {
        Value::String(text) => *text = String::from_utf16_lossy(&units(text)),
        Value::Array(items) => items.iter_mut().for_each(replace_halves),
        Value::Object(members) => members.values_mut().for_each(replace_halves),
        _ => {}
    }
}

fn units(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u16::try_from(u32::from(c).wrapping_sub(BASE)) {
            Ok(unit @ 0xd800..=0xdfff) => units.push(unit),
            _ => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        }
    }
    units
}
