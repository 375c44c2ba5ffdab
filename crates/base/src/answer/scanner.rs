//! Scans one JSON document that arrives in pieces, once: what of it is complete, and how to close what is open.

use std::{collections::VecDeque, ops::Range};

use serde::de::IgnoredAny;

use crate::chat::MAX_JSON_DEPTH;

/// Positions are bytes of the text that is passed to [`JsonScanner::scan`], which grows from call to call.
#[derive(Debug)]
pub(super) struct JsonScanner {
    start: usize,
    position: usize,
    state: State,
    /// The closing brackets of what is open.
    open: Vec<u8>,
    /// The end of what can be shown.
    shown_end: usize,
    /// The end of what could be shown before the string that is open began.
    before_string: usize,
    /// Counts the changes of the value.
    version: u64,
    is_list: bool,
    item_start: usize,
    /// Complete elements of a list that were not taken.
    items: VecDeque<Range<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    /// A value or the end of the list.
    FirstValue,
    Key,
    /// A key or the end of the object.
    FirstKey,
    Colon,
    CommaOrEnd,
    String(StringState),
    /// A number from this position.
    Number(usize),
    /// The rest of `true`, `false` or `null`.
    Word(&'static str),
    End,
    Invalid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StringState {
    is_key: bool,
    escape: Escape,
    /// The escape before is the first half of a surrogate pair.
    is_half: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    Backslash,
    /// The hexadecimal digits so far and their value.
    Unicode(u8, u16),
}

impl JsonScanner {
    pub(super) fn new(start: usize) -> Self {
        JsonScanner {
            start,
            position: start,
            state: State::Value,
            open: Vec::new(),
            shown_end: start,
            before_string: start,
            version: 0,
            is_list: false,
            item_start: start,
            items: VecDeque::new(),
        }
    }

    /// Scans the text from where the last call ended, up to the end of the document.
    pub(super) fn scan(&mut self, text: &str) {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.position) {
            match self.state {
                State::End | State::Invalid => return,
                State::String(string) => self.string(bytes, byte, string),
                State::Number(from) if matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') => {
                    self.state = State::Number(from);
                    self.position += 1;
                }
                State::Number(from) => self.number(text.get(from..self.position).unwrap_or_default()),
                State::Word(rest) => self.word(byte, rest),
                _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => self.position += 1,
                _ => self.structure(byte),
            }
        }
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The end of the document, if it is complete.
    pub(super) fn end(&self) -> Option<usize> {
        (self.state == State::End).then_some(self.position)
    }

    pub(super) fn is_invalid(&self) -> bool {
        self.state == State::Invalid
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn shown_end(&self) -> usize {
        self.shown_end
    }

    /// The length of [`JsonScanner::value`].
    pub(super) fn size(&self) -> usize {
        self.shown_end - self.start + self.open.len() + 1
    }

    /// The value so far as JSON text. Empty before the first character.
    pub(super) fn value(&self, text: &str) -> String {
        let is_open = matches!(self.state, State::String(string) if !string.is_key);
        self.closed(text, self.shown_end, is_open)
    }

    /// The value without the string that is open, and where its text ends; `None` if no string is open.
    pub(super) fn value_without_string(&self, text: &str) -> Option<(String, usize)> {
        let is_open = matches!(self.state, State::String(string) if !string.is_key);
        let is_shown = is_open && self.before_string > self.start;
        is_shown.then(|| (self.closed(text, self.before_string, false), self.before_string))
    }

    fn closed(&self, text: &str, end: usize, in_string: bool) -> String {
        let shown = text.get(self.start..end).unwrap_or_default();
        let mut value = String::with_capacity(shown.len() + self.open.len() + 1);
        value.push_str(shown);
        if in_string {
            value.push('"');
        }
        value.extend(self.open.iter().rev().map(|bracket| char::from(*bracket)));
        value
    }

    /// The next complete element, if the document is a list.
    pub(super) fn take_item(&mut self) -> Option<Range<usize>> {
        self.items.pop_front()
    }

    fn structure(&mut self, byte: u8) {
        let at = self.position;
        self.position += 1;
        let is_end = self.open.last() == Some(&byte);
        match (self.state, byte) {
            (State::FirstValue | State::FirstKey | State::CommaOrEnd, _) if is_end => {
                self.open.pop();
                self.value_ended();
            }
            (State::Value | State::FirstValue, _) => self.value_starts(byte, at),
            (State::Key | State::FirstKey, b'"') => self.state = State::string(true),
            (State::Colon, b':') => self.state = State::Value,
            (State::CommaOrEnd, b',') => {
                self.state = if self.open.last() == Some(&b'}') { State::Key } else { State::Value };
            }
            _ => self.state = State::Invalid,
        }
    }

    fn value_starts(&mut self, byte: u8, at: usize) {
        if self.open.len() == 1 {
            self.item_start = at;
        }
        match byte {
            b'{' | b'[' if self.open.len() < MAX_JSON_DEPTH => {
                self.is_list |= byte == b'[' && self.open.is_empty();
                self.open.push(if byte == b'{' { b'}' } else { b']' });
                self.state = if byte == b'{' { State::FirstKey } else { State::FirstValue };
                self.show();
            }
            b'"' => {
                self.before_string = self.shown_end;
                self.state = State::string(false);
                self.show();
            }
            b'-' | b'0'..=b'9' => self.state = State::Number(at),
            b't' => self.state = State::Word("rue"),
            b'f' => self.state = State::Word("alse"),
            b'n' => self.state = State::Word("ull"),
            _ => self.state = State::Invalid,
        }
    }

    /// Shows what was scanned.
    fn show(&mut self) {
        self.shown_end = self.position;
        self.version += 1;
    }

    /// Ends a value that is shown as a whole already, up to its last character.
    fn value_ended(&mut self) {
        self.shown_end = self.position;
        self.state = if self.open.is_empty() { State::End } else { State::CommaOrEnd };
        if self.is_list && self.open.len() == 1 {
            self.items.push_back(self.item_start..self.position);
        }
    }

    fn string(&mut self, bytes: &[u8], byte: u8, string: StringState) {
        let next = match (string.escape, byte) {
            (Escape::None, b'"') => {
                self.position += 1;
                if string.is_key {
                    self.state = State::Colon;
                } else {
                    self.version += u64::from(string.is_half);
                    self.value_ended();
                }
                return;
            }
            (Escape::None, b'\\') => StringState { escape: Escape::Backslash, ..string },
            (Escape::None, 0..0x20) => return self.state = State::Invalid,
            (Escape::None, _) => {
                let rest = &bytes[self.position..];
                let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
                self.position += length.unwrap_or(rest.len());
                return self.character(StringState { is_half: false, ..string });
            }
            (Escape::Backslash, b'u') => StringState { escape: Escape::Unicode(0, 0), ..string },
            (Escape::Backslash, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.position += 1;
                return self.character(StringState { escape: Escape::None, is_half: false, ..string });
            }
            (Escape::Unicode(count, unit), _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
                let unit = unit << 4 | digit.unwrap_or_default();
                if count == 3 {
                    return self.unicode(unit, string);
                }
                StringState { escape: Escape::Unicode(count + 1, unit), ..string }
            }
            (Escape::Backslash | Escape::Unicode(..), _) => return self.state = State::Invalid,
        };
        self.position += 1;
        self.state = State::String(next);
    }

    /// The last digit of `\uXXXX`. The first half of a surrogate pair is not shown before the second.
    fn unicode(&mut self, unit: u16, string: StringState) {
        const ESCAPE_LENGTH: usize = 6;
        self.position += 1;
        let is_half = matches!(unit, 0xd800..=0xdbff);
        let next = StringState { escape: Escape::None, is_half, ..string };
        if !is_half {
            return self.character(next);
        }
        self.state = State::String(next);
        if string.is_half && !string.is_key {
            // The half before it stays alone.
            self.shown_end = self.position - ESCAPE_LENGTH;
            self.version += 1;
        }
    }

    fn character(&mut self, next: StringState) {
        self.state = State::String(next);
        if !next.is_key {
            self.show();
        }
    }

    fn number(&mut self, number: &str) {
        if serde_json::from_str::<IgnoredAny>(number).is_err() {
            return self.state = State::Invalid;
        }
        self.version += 1;
        self.value_ended();
    }

    fn word(&mut self, byte: u8, rest: &'static str) {
        match rest.strip_prefix(char::from(byte)) {
            Some("") => {
                self.position += 1;
                self.version += 1;
                self.value_ended();
            }
            Some(rest) => {
                self.position += 1;
                self.state = State::Word(rest);
            }
            None => self.state = State::Invalid,
        }
    }
}

impl State {
    fn string(is_key: bool) -> Self {
        State::String(StringState { is_key, escape: Escape::None, is_half: false })
    }
}
