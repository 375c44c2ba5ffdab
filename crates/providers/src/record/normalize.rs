//! Normalizes recorded responses: removes what differs between calls with equal results (ids, times, headers, chunk
//! boundaries), so that a changed recording means a changed response.

use std::collections::HashMap;

use lmthing_base::chat::{ResponseMetadata, StreamPart};

pub(super) fn normalized(parts: Vec<StreamPart>) -> Vec<StreamPart> {
    let mut blocks = HashMap::new();
    let mut normalized_parts: Vec<StreamPart> = Vec::with_capacity(parts.len());
    for mut part in parts {
        if let StreamPart::ResponseMetadata(metadata) = &mut part {
            // Model and tier are kept, because the price depends on them.
            let ResponseMetadata { model_id, service_tier, ending, .. } = std::mem::take(metadata);
            *metadata = ResponseMetadata { model_id, service_tier, ending, ..ResponseMetadata::default() };
            if *metadata == ResponseMetadata::default() {
                continue;
            }
        }
        if let Some(id) = block_id(&mut part) {
            let number = blocks.len() + 1;
            *id = blocks.entry(std::mem::take(id)).or_insert(number).to_string();
        }
        if normalized_parts.last_mut().is_none_or(|last| !append(last, &part)) {
            normalized_parts.push(part);
        }
    }
    normalized_parts.into_iter().flat_map(split_lines).collect()
}

/// The id of a text or reasoning block. The id of tool input is that of the call, which is sent back to the provider.
fn block_id(part: &mut StreamPart) -> Option<&mut String> {
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

/// Kind, id and text of a delta that can be merged with others. Deltas with provider metadata stay separate.
fn mergeable_delta(part: &mut StreamPart) -> Option<(u8, &str, &mut String)> {
    match part {
        StreamPart::TextDelta { id, delta, provider_metadata: None } => Some((0, id, delta)),
        StreamPart::ReasoningDelta { id, delta, provider_metadata: None } => Some((1, id, delta)),
        StreamPart::ToolInputDelta { id, delta } => Some((2, id, delta)),
        _ => None,
    }
}

fn append(last: &mut StreamPart, part: &StreamPart) -> bool {
    let mut part = part.clone();
    match (mergeable_delta(last), mergeable_delta(&mut part)) {
        (Some((kind, id, text)), Some((other_kind, other_id, more))) if kind == other_kind && id == other_id => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

/// Splits a delta into lines, so that recordings have readable diffs and replays stream.
fn split_lines(mut part: StreamPart) -> Vec<StreamPart> {
    let Some((.., text)) = mergeable_delta(&mut part) else { return vec![part] };
    let text = std::mem::take(text);
    let line = |line: &str| {
        let mut part = part.clone();
        if let Some((.., text)) = mergeable_delta(&mut part) {
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
        serde_json::to_value(normalized(serde_json::from_value(parts).unwrap())).unwrap()
    }

    #[test]
    fn text_is_merged_and_split_into_lines() {
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
    fn data_for_the_provider_stays() {
        let parts = json!([
            { "type": "reasoning-delta", "id": "1", "delta": "a", "providerMetadata": { "lab": { "signature": "x" } } },
            { "type": "reasoning-delta", "id": "1", "delta": "b" },
            { "type": "tool-input-start", "id": "call_1", "toolName": "t" },
            { "type": "tool-call", "toolCallId": "call_1", "toolName": "t", "input": "{}" },
        ]);
        assert_eq!(recorded(parts.clone()), parts);
    }

    #[test]
    fn ids_times_and_headers_are_removed() {
        let parts = json!([
            { "type": "response-metadata", "headers": { "date": "now" } },
            { "type": "response-metadata", "id": "resp_1", "modelId": "tide-2", "timestamp": 1_700_000_000_000_i64 },
        ]);
        assert_eq!(recorded(parts), json!([{ "type": "response-metadata", "modelId": "tide-2" }]));
    }
}
