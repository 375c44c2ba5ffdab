//! What a provider accepts as the name of a tool or the id of a call.

use std::{borrow::Cow, ops::RangeInclusive};

use ring::digest::{SHA256, digest};

/// Hexadecimal digits that tell replacements apart.
const HASH_LENGTH: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Any,
    Letter,
    LetterOrUnderscore,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The characters accepted besides ASCII letters and digits; `None` if every character is.
    pub others: Option<&'static str>,
    pub first: First,
    pub length: RangeInclusive<usize>,
}

impl Rule {
    pub(super) const fn new(others: &'static str, first: First, longest: usize) -> Self {
        Rule { others: Some(others), first, length: 1..=longest }
    }

    pub(super) fn accepts(&self, text: &str) -> bool {
        self.length.contains(&text.chars().count())
            && text.chars().all(|c| self.accepts_character(c))
            && text.chars().next().is_none_or(|first| self.accepts_first(first))
    }

    fn accepts_character(&self, c: char) -> bool {
        self.others.is_none_or(|others| c.is_ascii_alphanumeric() || others.contains(c))
    }

    fn accepts_first(&self, c: char) -> bool {
        match self.first {
            First::Any => true,
            First::Letter => c.is_ascii_alphabetic(),
            First::LetterOrUnderscore => c.is_ascii_alphabetic() || c == '_',
        }
    }

    /// The text with `_` for each refused character. `None` if it is too long.
    pub(super) fn cleaned(&self, text: &str) -> Option<String> {
        let cleaned = self.clean(text);
        self.accepts(&cleaned).then_some(cleaned)
    }

    /// An accepted text that depends on `text` and `attempt` only, and differs from that of other texts.
    pub(super) fn hashed(&self, text: &str, attempt: usize) -> String {
        let salted: Cow<'_, str> = if attempt == 0 { text.into() } else { format!("{attempt}:{text}").into() };
        let hash = digest(&SHA256, salted.as_bytes());
        if self.length.start() == self.length.end() {
            return hash.as_ref().iter().map(|byte| letter_or_digit(*byte)).take(*self.length.end()).collect();
        }
        let hash: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let room = self.length.end().saturating_sub(HASH_LENGTH + 1);
        let beginning: String = self.clean(text).chars().take(room).collect();
        format!("{beginning}_{}", &hash[..HASH_LENGTH])
    }

    fn clean(&self, text: &str) -> String {
        let cleaned: String = text.chars().map(|c| if self.accepts_character(c) { c } else { '_' }).collect();
        match (cleaned.chars().next(), self.first) {
            (Some(first), _) if self.accepts_first(first) => cleaned,
            (_, First::Letter) => format!("t{cleaned}"),
            _ => format!("_{cleaned}"),
        }
    }
}

fn letter_or_digit(byte: u8) -> char {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    LETTERS[usize::from(byte) % LETTERS.len()].into()
}
