//! Mends JSON that is nearly right, in one pass over the text (docs/reference/requests.md).

mod fault;

use std::collections::BTreeSet;

use super::json::MAX_DEPTH;
pub use fault::JsonFault;

/// JSON made of a text that was none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MendedJson {
    pub text: String,
    pub faults: BTreeSet<JsonFault>,
    /// Whether the text ends in a string, number or word that may have gone on.
    pub may_be_cut: bool,
}

impl MendedJson {
    /// All faults in one line.
    pub fn describe(&self) -> String {
        self.faults.iter().map(JsonFault::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Mends an object or list that is the whole text, but for white space and a code fence. `None` if it cannot be mended
/// without a guess at values, or has no fault.
pub fn mend_json(text: &str) -> Option<MendedJson> {
    let (inner, is_fenced) = without_fence(text);
    let mut mender = Mender::new(inner);
    if is_fenced {
        mender.faults.insert(JsonFault::CodeFence);
    }
    mender.whole()?;
    mender.skip();
    mender.rest.is_empty().then(|| mender.into_mended())?
}

/// As [`mend_json`], for an object or list at the start of the text. Text may follow, unless its end is missing.
pub fn mend_json_at_start(text: &str) -> Option<MendedJson> {
    let mut mender = Mender::new(text);
    mender.whole()?;
    mender.into_mended()
}

/// The text inside a code fence, whose end may be missing.
fn without_fence(text: &str) -> (&str, bool) {
    let text = text.trim_start();
    let Some((_language, body)) = text.strip_prefix("```").and_then(|rest| rest.split_once('\n')) else {
        return (text, false);
    };
    (body.trim_end().strip_suffix("```").unwrap_or(body), true)
}

struct Mender<'a> {
    rest: &'a str,
    out: String,
    /// The closing brackets of what is open.
    open: Vec<char>,
    faults: BTreeSet<JsonFault>,
    may_be_cut: bool,
}

/// What has to follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    /// A value or the end of the list.
    FirstValue,
    /// A key or the end of the object.
    Key,
    CommaOrEnd,
}

impl<'a> Mender<'a> {
    fn new(text: &'a str) -> Self {
        Mender {
            rest: text,
            out: String::with_capacity(text.len()),
            open: Vec::new(),
            faults: BTreeSet::new(),
            may_be_cut: false,
        }
    }

    fn into_mended(self) -> Option<MendedJson> {
        let Mender { out: text, faults, may_be_cut, .. } = self;
        (!faults.is_empty()).then_some(MendedJson { text, faults, may_be_cut })
    }

    /// Reads one object or list, and closes what is open at the end of the text.
    fn whole(&mut self) -> Option<()> {
        self.skip();
        if !self.rest.starts_with(['{', '[']) {
            return None;
        }
        let mut expected = Expected::Value;
        while expected != Expected::CommaOrEnd || !self.open.is_empty() {
            self.skip();
            expected = match (expected, self.rest.chars().next()) {
                (_, None) => return self.close_all(expected),
                (Expected::FirstValue | Expected::CommaOrEnd | Expected::Key, Some(c))
                    if self.open.last() == Some(&c) =>
                {
                    self.close(c);
                    Expected::CommaOrEnd
                }
                (Expected::CommaOrEnd, Some(',')) => self.comma()?,
                (Expected::CommaOrEnd, Some(_)) => return None,
                (Expected::Key, Some(_)) => {
                    self.key()?;
                    Expected::Value
                }
                (Expected::Value | Expected::FirstValue, Some(c)) => self.value(c)?,
            };
        }
        Some(())
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Copies white space and leaves out comments. One whose end is missing ends the text.
    fn skip(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']).len();
            let blank = self.take(blank);
            self.out.extend(blank.chars().filter(char::is_ascii));
            if !blank.is_ascii() {
                self.faults.insert(JsonFault::ByteOrderMark);
            }
            let length = if self.rest.starts_with("//") {
                self.rest.find('\n').unwrap_or(self.rest.len())
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").map_or(self.rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.take(length);
            self.faults.insert(JsonFault::Comment);
        }
    }

    fn close(&mut self, bracket: char) {
        self.take(1);
        self.open.pop();
        self.out.push(bracket);
    }

    /// A comma, unless nothing follows it.
    fn comma(&mut self) -> Option<Expected> {
        self.take(1);
        let before = self.out.len();
        self.skip();
        let next = self.rest.chars().next();
        let is_trailing = next.is_none() || next == self.open.last().copied();
        if is_trailing {
            self.faults.insert(JsonFault::TrailingComma);
            return Some(Expected::CommaOrEnd);
        }
        self.out.insert(before, ',');
        Some(if self.open.last() == Some(&'}') { Expected::Key } else { Expected::Value })
    }

    fn value(&mut self, first: char) -> Option<Expected> {
        match first {
            '{' | '[' if self.open.len() < MAX_DEPTH => {
                self.take(1);
                self.out.push(first);
                self.open.push(if first == '{' { '}' } else { ']' });
                return Some(if first == '{' { Expected::Key } else { Expected::FirstValue });
            }
            '"' | '\'' => self.string(first, true)?,
            '-' | '0'..='9' => self.number()?,
            _ => self.word()?,
        }
        Some(Expected::CommaOrEnd)
    }

    fn key(&mut self) -> Option<()> {
        match self.rest.chars().next()? {
            quote @ ('"' | '\'') => self.string(quote, false)?,
            _ => {
                let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
                let end = self.rest.find(|c| !fits(c)).filter(|end| *end > 0)?;
                let key = self.take(end);
                self.out.push('"');
                self.out.push_str(key);
                self.out.push('"');
                self.faults.insert(JsonFault::UnquotedKey);
            }
        }
        self.skip();
        self.rest.starts_with(':').then(|| {
            self.take(1);
            self.out.push(':');
        })
    }

    /// A string. One whose end is missing is closed if `may_end`, as a key says nothing without its value.
    fn string(&mut self, quote: char, may_end: bool) -> Option<()> {
        self.take(1);
        self.out.push('"');
        if quote == '\'' {
            self.faults.insert(JsonFault::SingleQuotes);
        }
        loop {
            let plain =
                self.rest.find(|c: char| c == quote || c == '\\' || c == '"' || c < ' ').unwrap_or(self.rest.len());
            let plain = self.take(plain);
            self.out.push_str(plain);
            match self.rest.chars().next() {
                None => {
                    self.out.push('"');
                    self.may_be_cut = true;
                    return may_end.then_some(());
                }
                Some('\\') => self.escape()?,
                Some(c) if c == quote => {
                    self.take(1);
                    self.out.push('"');
                    return Some(());
                }
                Some('"') => {
                    self.take(1);
                    self.out.push_str("\\\"");
                }
                Some(control) => {
                    self.take(1);
                    self.out.push_str(match control {
                        '\n' => "\\n",
                        '\r' => "\\r",
                        '\t' => "\\t",
                        _ => return None,
                    });
                    self.faults.insert(JsonFault::LineBreakInString);
                }
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let length = match self.rest.as_bytes().get(1)? {
            b'\'' => {
                self.take(2);
                self.out.push('\'');
                self.faults.insert(JsonFault::SingleQuotes);
                return Some(());
            }
            b'u' => {
                let digits = self.rest.get(2..6)?;
                digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(6)?
            }
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            _ => return None,
        };
        let escape = self.take(length);
        self.out.push_str(escape);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let end =
            self.rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(self.rest.len());
        let number = self.take(end);
        serde_json::from_str::<serde::de::IgnoredAny>(number).ok()?;
        self.out.push_str(number);
        self.may_be_cut |= self.rest.is_empty();
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let word = self.take(end);
        let json = match word {
            "true" | "True" => "true",
            "false" | "False" => "false",
            "null" | "None" => "null",
            _ => return None,
        };
        if json != word {
            self.faults.insert(JsonFault::PythonWord);
        }
        self.out.push_str(json);
        self.may_be_cut |= self.rest.is_empty();
        Some(())
    }

    /// Closes what is open at the end of the text, unless a value is missing.
    fn close_all(&mut self, expected: Expected) -> Option<()> {
        if expected == Expected::Value {
            return None;
        }
        self.faults.insert(JsonFault::MissingEnd);
        self.out.extend(self.open.drain(..).rev());
        Some(())
    }
}

#[cfg(test)]
mod tests;
