//! Compares requests with recorded ones. `[redacted]` in a recording matches any one word, so that replays do not
//! depend on the keys that are set.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::redact::REDACTED;

pub(super) fn matches(recorded: &Value, asked: &Value) -> bool {
    match (recorded, asked) {
        (Value::String(recorded), Value::String(asked)) => text_matches(recorded, asked),
        (Value::Array(recorded), Value::Array(asked)) => {
            recorded.len() == asked.len()
                && recorded.iter().zip(asked).all(|(recorded, asked)| matches(recorded, asked))
        }
        (Value::Object(recorded), Value::Object(asked)) => {
            recorded.len() == asked.len()
                && recorded.iter().all(|(name, value)| member(asked, name).is_some_and(|asked| matches(value, asked)))
        }
        (recorded, asked) => recorded == asked,
    }
}

/// The member with this recorded name, which may contain redacted parts.
pub(super) fn member<'a>(asked: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let similar = || asked.iter().find(|(asked, _)| text_matches(name, asked)).map(|(_, value)| value);
    asked.get(name).or_else(|| name.contains(REDACTED).then(similar).flatten())
}

pub(super) fn text_matches(recorded: &str, asked: &str) -> bool {
    if recorded == asked {
        return true;
    }
    let mut pieces = recorded.split(REDACTED);
    let Some(rest) = pieces.next().and_then(|first| asked.strip_prefix(first)) else { return false };
    // All possible ends of the pieces matched so far, as a piece may occur in a word more than once.
    let mut ends: BTreeSet<usize> = [asked.len() - rest.len()].into();
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return false;
    }
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        ends = ends.into_iter().flat_map(|end| ends_after_word(asked, end, piece, is_last)).collect();
    }
    !ends.is_empty()
}

fn ends_after_word(text: &str, start: usize, piece: &str, is_last: bool) -> Vec<usize> {
    let rest = &text[start..];
    let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let begins = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).filter(|at| (1..=word).contains(at));
    let fits = |at: &usize| if is_last { &rest[*at..] == piece } else { rest[*at..].starts_with(piece) };
    begins.take_while(|at| *at <= word).filter(fits).map(|at| start + at + piece.len()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_redacted_part_matches_any_word() {
        for (recorded, asked) in [
            ("no secret", "no secret"),
            ("key [redacted]", "key sk-1"),
            ("key [redacted]", "key [redacted]"),
            ("[redacted][redacted].", "ab."),
            ("a [redacted]/b/[redacted] c", "a x/b/y/b/z c"),
            ("I like [redacted]s", "I like ollamas"),
            ("[redacted]\nÅ", "Å\nÅ"),
        ] {
            assert!(text_matches(recorded, asked), "{recorded} {asked}");
        }
        for (recorded, asked) in [
            ("no secret", "one secret"),
            ("key [redacted]", "key "),
            ("key [redacted]", "key one two"),
            ("key [redacted].", "key one"),
            ("a [redacted] c", "a b d"),
        ] {
            assert!(!text_matches(recorded, asked), "{recorded} {asked}");
        }
    }

    #[test]
    fn the_order_of_members_is_ignored() {
        assert!(matches(&json!({ "a": [1], "b": "[redacted]" }), &json!({ "b": "x", "a": [1] })));
        assert!(matches(&json!({ "[redacted]": 1 }), &json!({ "secret-name": 1 })));
        for asked in [json!({ "a": [1] }), json!({ "a": [1, 2], "b": "x" }), json!({ "a": [1], "b": "x", "c": null })] {
            assert!(!matches(&json!({ "a": [1], "b": "[redacted]" }), &asked), "{asked}");
        }
    }
}
