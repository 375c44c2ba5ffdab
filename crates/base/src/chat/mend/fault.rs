//! Faults of JSON that can be mended.

use std::fmt;

/// What was wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JsonFault {
    ByteOrderMark,
    CodeFence,
    TrailingComma,
    SingleQuotes,
    UnquotedKey,
    Comment,
    LineBreakInString,
    PythonWord,
    MissingEnd,
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JsonFault::ByteOrderMark => "a byte order mark",
            JsonFault::CodeFence => "a code fence",
            JsonFault::TrailingComma => "a trailing comma",
            JsonFault::SingleQuotes => "single quotes",
            JsonFault::UnquotedKey => "unquoted keys",
            JsonFault::Comment => "comments",
            JsonFault::LineBreakInString => "line breaks in strings",
            JsonFault::PythonWord => "words of Python",
            JsonFault::MissingEnd => "a missing end",
        })
    }
}
