//! Decoded answers: what a test reads of them, and the message of the history that they become.

use std::rc::Rc;

use serde_json::Value;

use super::{
    encode,
    responses::{all, decode},
    user,
};
use crate::wire::{Decoded, WireFormat};
use lmthing_base::chat::{
    CallSettings, ContentPart, FinishReason, Message, Role, Source, StreamPart, ToolInput, ToolOutput, Usage,
};

pub(super) fn parts(name: &str) -> Vec<StreamPart> {
    let (_, wire, bytes) = all().into_iter().find(|(known, ..)| *known == name).unwrap();
    let part = |piece| match piece {
        Decoded::Part(part) => part,
        Decoded::Failure(failure) => panic!("{name}: {failure:?}"),
    };
    decode(wire.as_ref(), vec![bytes.to_vec()]).into_iter().map(part).collect()
}

/// The answer as a message of the history, each block a part.
pub(super) fn message(parts: &[StreamPart]) -> Message {
    let mut content: Vec<ContentPart> = Vec::new();
    for part in parts.iter().cloned() {
        match part {
            StreamPart::TextStart { .. } => content.push(ContentPart::text("")),
            StreamPart::ReasoningStart { .. } => {
                content.push(ContentPart::Reasoning { text: "".into(), provider_options: None });
            }
            StreamPart::TextDelta { delta, .. } | StreamPart::ReasoningDelta { delta, .. } => {
                if let Some(ContentPart::Text { text, .. } | ContentPart::Reasoning { text, .. }) = content.last_mut() {
                    text.push_str(&delta);
                }
            }
            StreamPart::TextEnd { provider_metadata, .. } | StreamPart::ReasoningEnd { provider_metadata, .. } => {
                if let Some(
                    ContentPart::Text { provider_options, .. } | ContentPart::Reasoning { provider_options, .. },
                ) = content.last_mut()
                {
                    *provider_options = provider_metadata;
                }
            }
            StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_metadata } => {
                let input = ToolInput::from_text(&input);
                let provider_options = provider_metadata;
                content.push(ContentPart::ToolCall {
                    tool_call_id,
                    tool_name,
                    input,
                    provider_executed,
                    provider_options,
                });
            }
            StreamPart::ToolResult { tool_call_id, tool_name, result, is_error, provider_metadata } => {
                let output = if is_error { ToolOutput::ErrorJson } else { ToolOutput::Json };
                content.push(ContentPart::ToolResult {
                    tool_call_id,
                    tool_name,
                    output: output(result),
                    agents: Rc::default(),
                    provider_options: provider_metadata,
                });
            }
            _ => {}
        }
    }
    Message::parts(Role::Assistant, content)
}

pub(super) fn calls(parts: &[StreamPart]) -> Vec<(&str, &str, &str)> {
    let call = |part| match part {
        &StreamPart::ToolCall { ref tool_call_id, ref tool_name, ref input, provider_executed, .. } => {
            assert!(provider_executed, "{tool_name}");
            Some((&**tool_call_id, &**tool_name, &**input))
        }
        _ => None,
    };
    parts.iter().filter_map(call).collect()
}

pub(super) fn results(parts: &[StreamPart]) -> Vec<(&str, &str, Value, bool)> {
    let result = |part| match part {
        &StreamPart::ToolResult { ref tool_call_id, ref tool_name, ref result, is_error, .. } => {
            Some((&**tool_call_id, &**tool_name, result.clone(), is_error))
        }
        _ => None,
    };
    parts.iter().filter_map(result).collect()
}

/// The sources of an answer, each once; their citations are checked against the text.
pub(super) fn sources(parts: &[StreamPart]) -> Vec<(String, String, Vec<String>)> {
    let (mut sources, mut text) = (Vec::new(), String::new());
    for part in parts {
        match part {
            StreamPart::Source(source) => Source::merge(&mut sources, std::slice::from_ref(source)),
            StreamPart::TextDelta { delta, .. } => text.push_str(delta),
            _ => {}
        }
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let shown = sources.into_iter().map(|source| {
        for cite in &source.cites {
            assert_eq!(String::from_utf16(&units[cite.start..cite.end]).unwrap(), cite.text);
        }
        let cites = source.cites.into_iter().map(|cite| cite.text).collect();
        (source.url.unwrap_or(source.id), source.title.unwrap_or_default(), cites)
    });
    shown.collect()
}

pub(super) fn source(url: &str, title: &str, cites: &[&str]) -> (String, String, Vec<String>) {
    (url.to_owned(), title.to_owned(), cites.iter().map(|&cite| cite.to_owned()).collect())
}

pub(super) fn finish(parts: &[StreamPart]) -> (FinishReason, Usage, bool) {
    match parts.last() {
        Some(StreamPart::Finish { finish_reason, usage, is_paused, .. }) => (*finish_reason, *usage, *is_paused),
        other => panic!("{other:?}"),
    }
}

pub(super) fn sent_back(wire: &dyn WireFormat, model: &str, answer: Message, settings: CallSettings) -> Value {
    let settings = CallSettings { cache: Some(lmthing_base::chat::CacheOption::Off), ..settings };
    encode(wire, model, vec![user("Tide?"), answer, user("And then?")], settings).body
}
