//! Assembles tool calls from deltas.
//!
//! Index, id and name may be in the first delta of a call, in all or in none. Deltas are assigned by a known id,
//! otherwise by the index, otherwise by their order.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    ProviderErrorKind,
    wire::{Output, lenient, output::generated_id},
};
use lmthing_base::chat::{ProviderOptions, StreamPart};

#[derive(Debug, Default, Deserialize)]
pub(super) struct ToolCallPiece {
    #[serde(default, deserialize_with = "lenient::count")]
    pub index: Option<u64>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub function: Option<FunctionPiece>,
    #[serde(default)]
    pub extra_content: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FunctionPiece {
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    pub name: Option<String>,
    #[serde(default)]
    pub arguments: Option<Value>,
}

#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: Vec<OpenCall>,
}

#[derive(Debug, Default)]
struct OpenCall {
    index: Option<u64>,
    given_id: Option<String>,
    id: Option<String>,
    name: String,
    arguments: String,
    emitted: usize,
    has_arguments_field: bool,
    progress: JsonProgress,
    metadata: Option<ProviderOptions>,
    done: bool,
}

impl ToolCalls {
    pub(super) fn any(&self) -> bool {
        !self.calls.is_empty()
    }

    pub(super) fn piece(&mut self, piece: ToolCallPiece, metadata: Option<ProviderOptions>, out: &mut Output) {
        let ToolCallPiece { index, id, function, .. } = piece;
        let FunctionPiece { name, arguments } = function.unwrap_or_default();
        let arguments = arguments.filter(|arguments| !arguments.is_null()).map(|arguments| match arguments {
            Value::String(text) => text,
            value => value.to_string(),
        });
        let given = PieceFields { index, id: id.as_deref(), name: name.as_deref(), arguments: arguments.as_deref() };
        let position = match self.find_call(&given) {
            Some(position) => position,
            None if given.id.is_none() && given.name.is_none() && given.arguments.is_none_or(str::is_empty) => return,
            None => {
                self.calls.push(OpenCall { index, given_id: id.clone(), ..OpenCall::default() });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[position];
        call.set_fields(id, name.as_deref(), metadata);
        if let Some(arguments) = arguments {
            call.add_arguments(&arguments);
        }
        // A name may come in several deltas, and is complete when arguments begin.
        if !call.done && !call.name.is_empty() && !call.arguments.is_empty() {
            self.emit_start(position, out);
            self.calls[position].emit_arguments(out);
        }
    }

    fn find_call(&self, piece: &PieceFields<'_>) -> Option<usize> {
        if let Some(id) = piece.id
            && let Some(position) = self.calls.iter().rposition(|call| call.given_id.as_deref() == Some(id))
        {
            return (!self.calls[position].is_other_call_with_same_id(piece)).then_some(position);
        }
        match piece.index {
            Some(index) => {
                let position = self.calls.iter().rposition(|call| call.index == Some(index))?;
                (!self.calls[position].is_other_call_with_same_index(piece)).then_some(position)
            }
            None => self.calls.last().filter(|last| last.is_continued_by(piece)).map(|_| self.calls.len() - 1),
        }
    }

    fn emit_start(&mut self, position: usize, out: &mut Output) {
        if self.calls[position].id.is_some() {
            return;
        }
        let taken = |id: &String| self.calls.iter().any(|call| call.id.as_ref() == Some(id));
        // Ids must be unique, so that results can be assigned.
        let id = self.calls[position].given_id.clone().filter(|id| !taken(id)).unwrap_or_else(|| generated_id("call"));
        let call = &mut self.calls[position];
        call.id = Some(id.clone());
        out.part(StreamPart::ToolInputStart { id, tool_name: call.name.clone() });
    }

    pub(super) fn finish(&mut self, out: &mut Output) {
        for position in 0..self.calls.len() {
            if self.calls[position].done {
                continue;
            }
            if self.calls[position].name.is_empty() {
                return out.failure(ProviderErrorKind::Protocol, "The provider sent a tool call without a name.");
            }
            self.emit_start(position, out);
            self.calls[position].complete(out);
        }
    }
}

struct PieceFields<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: Option<&'a str>,
}

fn is_empty_object(arguments: &str) -> bool {
    arguments
        .trim()
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .is_some_and(|inside| inside.trim().is_empty())
}

impl OpenCall {
    /// Whether a delta with the same id is another call, as some servers use one id for all calls.
    fn is_other_call_with_same_id(&self, piece: &PieceFields<'_>) -> bool {
        let has_other_index = piece.index.is_some() && self.index.is_some() && piece.index != self.index;
        let is_unfinished_repeat = !self.done && !self.arguments.is_empty() && piece.name == Some(self.name.as_str());
        has_other_index && piece.name.is_some() && !is_unfinished_repeat
    }

    /// Whether a delta with the same index is another call, as some servers use index 0 for all. Without a name it
    /// continues the call, whatever its id: some servers generate an id for each delta.
    fn is_other_call_with_same_index(&self, piece: &PieceFields<'_>) -> bool {
        let Some(name) = piece.name else { return false };
        if piece.id.is_some() && self.given_id.is_some() {
            return true;
        }
        let Some(arguments) = piece.arguments.filter(|arguments| !arguments.is_empty()) else { return false };
        let is_other = name != self.name;
        // A repetition of the same call is not another one.
        (self.is_placeholder() && is_other) || (self.done && (is_other || arguments != self.arguments))
    }

    fn is_continued_by(&self, piece: &PieceFields<'_>) -> bool {
        let has_arguments = piece.arguments.is_some_and(|arguments| !arguments.is_empty());
        match piece.name {
            None => !self.done || !has_arguments,
            Some(_) if piece.id.is_some() && self.given_id.is_some() => false,
            Some(_) if self.is_placeholder() && piece.arguments.is_some_and(is_empty_object) => false,
            // Some servers repeat the name in each delta.
            Some(name) if name == self.name && !self.done => {
                !self.arguments.is_empty() || (self.has_arguments_field && has_arguments)
            }
            Some(_) => false,
        }
    }

    fn set_fields(&mut self, id: Option<String>, name: Option<&str>, metadata: Option<ProviderOptions>) {
        self.given_id = self.given_id.take().or(id);
        self.metadata = metadata.or(self.metadata.take());
        if let Some(name) = name.filter(|_| self.id.is_none()) {
            // The name may be complete, repeated, or come in parts.
            if name.starts_with(&self.name) {
                name.clone_into(&mut self.name);
            } else {
                self.name.push_str(name);
            }
        }
    }

    fn add_arguments(&mut self, arguments: &str) {
        self.has_arguments_field = true;
        if self.is_placeholder() && !arguments.trim().is_empty() {
            self.arguments.clear();
            self.progress = JsonProgress::default();
        }
        if !self.done {
            self.arguments.push_str(arguments);
            // Track nesting instead of parsing every time, which would take quadratic time.
            self.progress.push(arguments);
        }
    }

    /// Whether the arguments so far are `{}`, which some servers send before the real ones.
    fn is_placeholder(&self) -> bool {
        !self.done && is_empty_object(&self.arguments)
    }

    fn emit_arguments(&mut self, out: &mut Output) {
        if matches!(self.arguments.trim(), "{" | "{}") {
            return;
        }
        let delta = self.arguments[self.emitted..].to_owned();
        let Some(id) = self.id.clone().filter(|_| !delta.is_empty()) else { return };
        self.emitted = self.arguments.len();
        out.part(StreamPart::ToolInputDelta { id, delta });
        if self.progress.is_closed() && serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok() {
            self.complete(out);
        }
    }

    fn complete(&mut self, out: &mut Output) {
        self.done = true;
        if let Some(id) = self.id.clone() {
            if self.emitted < self.arguments.len() {
                let delta = self.arguments[self.emitted..].to_owned();
                out.part(StreamPart::ToolInputDelta { id: id.clone(), delta });
            }
            out.tool_call(id, self.name.clone(), self.arguments.clone(), self.metadata.take());
        }
    }
}

#[derive(Debug, Default)]
struct JsonProgress {
    depth: usize,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl JsonProgress {
    fn push(&mut self, text: &str) {
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
                    self.depth = self.depth.saturating_sub(1);
                    self.closed = self.depth == 0;
                }
                _ => {}
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.closed && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_followed_across_pieces_and_strings() {
        let mut progress = JsonProgress::default();
        for (text, is_closed) in [(r#"{"a":"}\"#, false), (r#""}","b":[1"#, false), ("]", false), ("} ", true)] {
            progress.push(text);
            assert_eq!(progress.is_closed(), is_closed, "{text}");
        }
    }
}
