//! Puts tool calls together that arrive in pieces.

use std::collections::{BTreeMap, btree_map::Entry};

use serde::Deserialize;
use serde_json::Value;

use crate::{
    chat::{ProviderOptions, StreamPart},
    provider::{ProviderErrorKind, wire::Output},
};

/// A piece of a tool call in a chunk.
#[derive(Debug, Deserialize)]
pub(super) struct ToolCallPiece {
    #[serde(default)]
    pub index: Option<u64>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub function: Option<FunctionPiece>,
    #[serde(default)]
    pub extra_content: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FunctionPiece {
    #[serde(default)]
    pub name: Option<String>,
    /// JSON text; some servers send the object itself.
    #[serde(default)]
    pub arguments: Option<Value>,
}

/// Calls by their index in the answer.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: BTreeMap<u64, OpenCall>,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    name: String,
    arguments: String,
    progress: JsonProgress,
    metadata: Option<ProviderOptions>,
    done: bool,
}

impl ToolCalls {
    /// Whether any call was seen.
    pub(super) fn any(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Takes a piece of a call. A call is complete once its text is a whole JSON value.
    pub(super) fn piece(&mut self, piece: ToolCallPiece, metadata: Option<ProviderOptions>, out: &mut Output) {
        let (name, arguments) = piece.function.map_or((None, None), |function| (function.name, function.arguments));
        let index = piece.index.unwrap_or_else(|| self.index_of_unnumbered(name.is_some()));
        let call = match self.calls.entry(index) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                // Nothing could be run, and nobody could be told which call failed.
                let Some(name) = name.filter(|name| !name.is_empty()) else {
                    out.failure(ProviderErrorKind::Protocol, "The provider sent a tool call without a name.");
                    return;
                };
                let id = piece.id.filter(|id| !id.is_empty()).unwrap_or_else(|| crate::provider::ids::next("call"));
                out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
                place.insert(OpenCall {
                    id,
                    name,
                    arguments: String::new(),
                    progress: JsonProgress::default(),
                    metadata,
                    done: false,
                })
            }
        };
        let arguments = match arguments {
            None | Some(Value::Null) => return,
            Some(Value::String(text)) => text,
            Some(value) => value.to_string(),
        };
        call.arguments(arguments, out);
    }

    /// A piece without an index is a new call, unless it has no name and the last call still waits for text.
    fn index_of_unnumbered(&self, named: bool) -> u64 {
        match self.calls.last_key_value() {
            Some((last, call)) if !named && !call.done => *last,
            Some((last, _)) => last + 1,
            None => 0,
        }
    }

    /// The answer is over: closes the calls that are still open.
    pub(super) fn finish(&mut self, out: &mut Output) {
        for call in self.calls.values_mut().filter(|call| !call.done) {
            call.complete(out);
        }
    }
}

impl OpenCall {
    fn arguments(&mut self, delta: String, out: &mut Output) {
        // Text behind a whole value belongs to nothing.
        if self.done || delta.is_empty() {
            return;
        }
        self.arguments.push_str(&delta);
        // Nesting first: parsing everything again at each piece would take a time that grows with the square.
        let balanced = self.progress.push(&delta);
        out.part(StreamPart::ToolInputDelta { id: self.id.clone(), delta });
        if balanced && serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok() {
            self.complete(out);
        }
    }

    fn complete(&mut self, out: &mut Output) {
        self.done = true;
        out.tool_call(self.id.clone(), self.name.clone(), std::mem::take(&mut self.arguments), self.metadata.take());
    }
}

/// Follows the nesting of JSON text, so that long arguments are parsed once and not at every piece.
#[derive(Debug, Default)]
struct JsonProgress {
    depth: usize,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl JsonProgress {
    /// Takes more text; true when an object or array that was open has just been closed.
    fn push(&mut self, text: &str) -> bool {
        self.closed = false;
        for byte in text.bytes() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    // Text that is no JSON may close more than it opened.
                    self.depth = self.depth.saturating_sub(1);
                    self.closed = self.depth == 0;
                }
                _ => {}
            }
        }
        self.closed && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_followed_across_pieces_and_strings() {
        let mut progress = JsonProgress::default();
        assert!(!progress.push(r#"{"a":"}\"#));
        assert!(!progress.push(r#""}","b":[1"#));
        assert!(!progress.push("]"));
        assert!(progress.push("} "));
    }
}
