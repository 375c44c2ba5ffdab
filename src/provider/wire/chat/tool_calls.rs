//! Puts tool calls together that arrive in pieces.
//!
//! Servers differ in what a piece says of its call: an index, an id, a name, each in the first piece, in all of them or in
//! none. What is certain decides first: an id that is known, then the index, then the order in which pieces come.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    chat::{ProviderOptions, StreamPart},
    provider::{
        ProviderErrorKind, ids,
        wire::{Output, lenient},
    },
};

/// A piece of a tool call in a chunk.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ToolCallPiece {
    #[serde(default, deserialize_with = "lenient::count")]
    pub index: Option<u64>,
    #[serde(default, deserialize_with = "lenient::word")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub function: Option<FunctionPiece>,
    #[serde(default)]
    pub extra_content: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FunctionPiece {
    #[serde(default, deserialize_with = "lenient::word")]
    pub name: Option<String>,
    /// JSON text; some servers send the object itself.
    #[serde(default)]
    pub arguments: Option<Value>,
}

/// The calls of an answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: Vec<OpenCall>,
}

#[derive(Debug, Default)]
struct OpenCall {
    /// As the server numbers it; not every server does.
    index: Option<u64>,
    /// The server's own id.
    given_id: Option<String>,
    /// The id it was announced under: the server's, or one that was made up.
    id: Option<String>,
    name: String,
    arguments: String,
    /// How much of them was passed on.
    shown: usize,
    /// Argument text came, if only an empty one: a piece that follows is its continuation.
    begun: bool,
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
        let ToolCallPiece { index, id, function, .. } = piece;
        let FunctionPiece { name, arguments } = function.unwrap_or_default();
        let arguments = arguments.filter(|arguments| !arguments.is_null()).map(|arguments| match arguments {
            Value::String(text) => text,
            value => value.to_string(),
        });
        let given = Given { index, id: id.as_deref(), name: name.as_deref(), arguments: arguments.as_deref() };
        let place = match self.place(&given) {
            Some(place) => place,
            // Nothing that a call could begin with.
            None if given.id.is_none() && given.name.is_none() && given.arguments.is_none_or(str::is_empty) => return,
            None => {
                self.calls.push(OpenCall { index, given_id: id.clone(), ..OpenCall::default() });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[place];
        call.describe(id, name.as_deref(), metadata);
        if let Some(arguments) = arguments {
            call.take(&arguments);
        }
        // A name that comes in pieces is whole when arguments begin.
        if !call.done && !call.name.is_empty() && !call.arguments.is_empty() {
            self.announce(place, out);
            self.calls[place].show(out);
        }
    }

    /// The call that a piece goes on with; `None` for a new one.
    fn place(&self, piece: &Given<'_>) -> Option<usize> {
        if let Some(id) = piece.id
            && let Some(place) = self.calls.iter().rposition(|call| call.given_id.as_deref() == Some(id))
        {
            return (!self.calls[place].shares_its_id_with(piece)).then_some(place);
        }
        match piece.index {
            Some(index) => {
                let place = self.calls.iter().rposition(|call| call.index == Some(index))?;
                (!self.calls[place].shares_its_index_with(piece)).then_some(place)
            }
            None => self.calls.last().filter(|last| last.is_continued_by(piece)).map(|_| self.calls.len() - 1),
        }
    }

    /// Says that a call begins.
    fn announce(&mut self, place: usize, out: &mut Output) {
        if self.calls[place].id.is_some() {
            return;
        }
        let taken = |id: &String| self.calls.iter().any(|call| call.id.as_ref() == Some(id));
        // Two calls of one id could not be told apart when their results go back.
        let id = self.calls[place].given_id.clone().filter(|id| !taken(id)).unwrap_or_else(|| ids::next("call"));
        let call = &mut self.calls[place];
        call.id = Some(id.clone());
        out.part(StreamPart::ToolInputStart { id, tool_name: call.name.clone() });
    }

    /// The answer is over: closes the calls that are still open.
    pub(super) fn finish(&mut self, out: &mut Output) {
        for place in 0..self.calls.len() {
            if self.calls[place].done {
                continue;
            }
            if self.calls[place].name.is_empty() {
                // Nothing could be run, and nobody could be told which call failed.
                return out.failure(ProviderErrorKind::Protocol, "The provider sent a tool call without a name.");
            }
            self.announce(place, out);
            self.calls[place].complete(out);
        }
    }
}

/// What a piece says; empty ids and names count as none.
struct Given<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: Option<&'a str>,
}

impl OpenCall {
    /// Whether a piece with this call's id is another call all the same: some servers give all calls one id.
    fn shares_its_id_with(&self, piece: &Given<'_>) -> bool {
        let numbered_apart = piece.index.is_some() && self.index.is_some() && piece.index != self.index;
        let in_the_middle = !self.done && !self.arguments.is_empty() && piece.name == Some(self.name.as_str());
        numbered_apart && piece.name.is_some() && !in_the_middle
    }

    /// Whether a piece with this call's index is another call all the same: some servers number all calls 0. A piece
    /// without a name goes on with the call whatever its id: there are servers that make up an id for each piece.
    fn shares_its_index_with(&self, piece: &Given<'_>) -> bool {
        let Some(name) = piece.name else { return false };
        if piece.id.is_some() && self.given_id.is_some() {
            return true;
        }
        let Some(arguments) = piece.arguments.filter(|arguments| !arguments.is_empty()) else { return false };
        // The same call said again is no second one.
        self.done && (name != self.name || arguments != self.arguments)
    }

    /// Whether a piece without an index, of no known id, belongs to this call, the last one.
    fn is_continued_by(&self, piece: &Given<'_>) -> bool {
        let says_something = piece.arguments.is_some_and(|arguments| !arguments.is_empty());
        match piece.name {
            None => !self.done || !says_something,
            Some(_) if piece.id.is_some() && self.given_id.is_some() => false,
            // A name in each piece.
            Some(name) if name == self.name && !self.done => {
                !self.arguments.is_empty() || (self.begun && says_something)
            }
            Some(_) => false,
        }
    }

    /// Takes what a piece says beside arguments.
    fn describe(&mut self, id: Option<String>, name: Option<&str>, metadata: Option<ProviderOptions>) {
        self.given_id = self.given_id.take().or(id);
        self.metadata = metadata.or(self.metadata.take());
        if let Some(name) = name.filter(|_| self.id.is_none()) {
            // A name comes whole, again and again, or in pieces.
            if name.starts_with(&self.name) {
                name.clone_into(&mut self.name);
            } else {
                self.name.push_str(name);
            }
        }
    }

    /// Takes argument text. What stands behind a whole value belongs to nothing.
    fn take(&mut self, arguments: &str) {
        self.begun = true;
        if !self.done {
            self.arguments.push_str(arguments);
            // Nesting first: parsing everything again at each piece would take a time that grows with the square.
            self.progress.push(arguments);
        }
    }

    /// Passes on the argument text that is new, and the call when it is whole.
    fn show(&mut self, out: &mut Output) {
        let delta = self.arguments[self.shown..].to_owned();
        let Some(id) = self.id.clone().filter(|_| !delta.is_empty()) else { return };
        self.shown = self.arguments.len();
        out.part(StreamPart::ToolInputDelta { id, delta });
        if self.progress.is_closed() && serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok() {
            self.complete(out);
        }
    }

    fn complete(&mut self, out: &mut Output) {
        self.done = true;
        if let Some(id) = self.id.clone() {
            out.tool_call(id, self.name.clone(), self.arguments.clone(), self.metadata.take());
        }
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
    /// Takes more text.
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
                    // Text that is no JSON may close more than it opened.
                    self.depth = self.depth.saturating_sub(1);
                    self.closed = self.depth == 0;
                }
                _ => {}
            }
        }
    }

    /// Whether the last text closed the object or array that was open.
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
