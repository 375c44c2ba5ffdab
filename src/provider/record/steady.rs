//! What of an answer is recorded: not what is another in every call though the model says the same (ids and times of responses,
//! headers, where the network has cut a text), so that a change of a recording is a change of what was said.

use std::collections::HashMap;

use crate::chat::{ResponseMetadata, StreamPart};

/// The parts of an answer as they are recorded: text in lines, blocks counted.
pub(super) fn steady(parts: Vec<StreamPart>) -> Vec<StreamPart> {
    let mut blocks = HashMap::new();
    let mut steady: Vec<StreamPart> = Vec::with_capacity(parts.len());
    for mut part in parts {
        if let StreamPart::ResponseMetadata(metadata) = &mut part {
            // The model stays: it decides on the price.
            let model_id = metadata.model_id.take();
            if model_id.is_none() {
                continue;
            }
            *metadata = ResponseMetadata { model_id, ..ResponseMetadata::default() };
        }
        if let Some(id) = block(&mut part) {
            let number = blocks.len() + 1;
            *id = blocks.entry(std::mem::take(id)).or_insert(number).to_string();
        }
        if steady.last_mut().is_none_or(|last| !joined(last, &part)) {
            steady.push(part);
        }
    }
    steady.into_iter().flat_map(lines).collect()
}

/// The id of a block of text or thoughts. That of a tool's arguments is the call's, which goes back to the provider.
fn block(part: &mut StreamPart) -> Option<&mut String> {
    match part {
        StreamPart::TextStart { id, .. }
        | StreamPart::TextDelta { id, .. }
        | StreamPart::TextEnd { id, .. }
        | StreamPart::ReasoningStart { id, .. }
        | StreamPart::ReasoningDelta { id, .. }
        | StreamPart::ReasoningEnd { id, .. } => Some(id),
        _ => None,
    }
}

/// The text of a piece that may be joined with others, and its block. What brings something for the provider stays where it is.
fn piece(part: &mut StreamPart) -> Option<(u8, &str, &mut String)> {
    match part {
        StreamPart::TextDelta { id, delta, provider_metadata: None } => Some((0, id, delta)),
        StreamPart::ReasoningDelta { id, delta, provider_metadata: None } => Some((1, id, delta)),
        StreamPart::ToolInputDelta { id, delta } => Some((2, id, delta)),
        _ => None,
    }
}

/// Adds a piece to the one before it, if it goes on there.
fn joined(last: &mut StreamPart, part: &StreamPart) -> bool {
    let mut part = part.clone();
    match (piece(last), piece(&mut part)) {
        (Some((kind, id, text)), Some((other_kind, other_id, more))) if kind == other_kind && id == other_id => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

/// A piece of text as one a line: a diff of the recording is a diff of the text, and a replay streams. Other parts as they are.
fn lines(mut part: StreamPart) -> Vec<StreamPart> {
    let Some((.., text)) = piece(&mut part) else { return vec![part] };
    let text = std::mem::take(text);
    let line = |line: &str| {
        let mut part = part.clone();
        if let Some((.., text)) = piece(&mut part) {
            line.clone_into(text);
        }
        part
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn recorded(parts: Value) -> Value {
        serde_json::to_value(steady(serde_json::from_value(parts).unwrap())).unwrap()
    }

    #[test]
    fn text_is_joined_and_cut_at_its_lines() {
        let delta = |id: &str, delta: &str| json!({ "type": "text-delta", "id": id, "delta": delta });
        let parts = json!([
            { "type": "text-start", "id": "msg_a81" },
            delta("msg_a81", "On"), delta("msg_a81", "e\nTw"), delta("msg_a81", ""), delta("msg_a81", "o\n\n"),
            { "type": "text-start", "id": "msg_b7" },
            delta("msg_b7", "other"), delta("msg_a81", "three"),
            { "type": "text-end", "id": "msg_a81" },
        ]);
        let expected = json!([
            { "type": "text-start", "id": "1" },
            delta("1", "One\n"), delta("1", "Two\n"), delta("1", "\n"),
            { "type": "text-start", "id": "2" },
            delta("2", "other"), delta("1", "three"),
            { "type": "text-end", "id": "1" },
        ]);
        assert_eq!(recorded(parts), expected);
        assert_eq!(recorded(expected.clone()), expected, "once more changes nothing");
    }

    #[test]
    fn what_goes_back_to_the_provider_stays() {
        let parts = json!([
            { "type": "reasoning-delta", "id": "1", "delta": "a", "providerMetadata": { "lab": { "signature": "x" } } },
            { "type": "reasoning-delta", "id": "1", "delta": "b" },
            { "type": "tool-input-start", "id": "call_1", "toolName": "t" },
            { "type": "tool-call", "toolCallId": "call_1", "toolName": "t", "input": "{}" },
        ]);
        assert_eq!(recorded(parts.clone()), parts);
    }

    #[test]
    fn ids_times_and_headers_of_responses_go() {
        let parts = json!([
            { "type": "response-metadata", "headers": { "date": "now" } },
            { "type": "response-metadata", "id": "resp_1", "modelId": "tide-2", "timestamp": 1_700_000_000_000_i64 },
        ]);
        assert_eq!(recorded(parts), json!([{ "type": "response-metadata", "modelId": "tide-2" }]));
    }
}
