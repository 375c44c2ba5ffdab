//! JSON text, read as `JSON.parse` reads it.
//!
//! serde_json refuses three things that are JSON all the same. A model's answer must not be lost over any of them:
//!
//! - A lone surrogate (`"\ud800"`), which no Rust string can hold, becomes U+FFFD.
//! - A number beyond the range of a double (`1e999`), which is infinity in JavaScript, becomes `null`, as in `JSON.stringify`.
//! - Deep nesting stays an error, but one that names the depth.
//!
//! Callers that need the exact value keep the text and pass it to a JavaScript engine.

use serde::de::{DeserializeOwned, IgnoredAny};
use thiserror::Error;

/// How many arrays and objects may be nested; this is serde_json's limit. Values are traversed and dropped recursively, so
/// there has to be a limit.
pub const MAX_DEPTH: usize = 127;

#[derive(Debug, Error)]
pub enum JsonError {
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error(transparent)]
    Invalid(#[from] serde_json::Error),
}

fn is_json(text: &str) -> bool {
    // `IgnoredAny` is skipped without recursion, and neither surrogates nor the size of numbers are checked.
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Reads JSON text, with the exceptions of the module's documentation.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    read_json_with(text, |_| '\u{fffd}')
}

/// Reads JSON text as [`read_json`], with a character of choice for a lone surrogate.
pub fn read_json_with<T: DeserializeOwned>(text: &str, surrogate: fn(u16) -> char) -> Result<T, JsonError> {
    let strict = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if !strict.is_syntax() || !is_json(text) {
        return Err(strict.into());
    }
    // The text is JSON and has been repaired, so a syntax error can only mean its depth.
    serde_json::from_str(&repaired(text, surrogate))
        .map_err(|error| if error.is_syntax() { JsonError::TooDeep } else { error.into() })
}

/// Replaces lone surrogates and numbers beyond a double. `text` is JSON, so every escape is complete.
fn repaired(text: &str, surrogate: fn(u16) -> char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    let needs_check = |c: char, in_string: bool| match c {
        '"' => true,
        '\\' => in_string,
        c => !in_string && (c == '-' || c.is_ascii_digit()),
    };
    while let Some(at) = rest.find(|c| needs_check(c, in_string)) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.as_bytes()[0] {
            b'"' => {
                in_string = !in_string;
                out.push('"');
                1
            }
            b'\\' => push_escape(rest, surrogate, &mut out),
            _ => push_number(rest, &mut out),
        };
        rest = &rest[length..];
    }
    out + rest
}

fn push_escape(text: &str, surrogate: fn(u16) -> char, out: &mut String) -> usize {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let length = match (unit(text), text.get(6..).and_then(unit)) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
        (Some(unit @ 0xd800..=0xdfff), _) => {
            out.push(surrogate(unit));
            return 6;
        }
        (Some(_), _) => 6,
        (None, _) => 2,
    };
    out.push_str(&text[..length]);
    length
}

fn push_number(text: &str, out: &mut String) -> usize {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(text.len());
    let is_finite = text[..end].parse::<f64>().is_ok_and(f64::is_finite);
    out.push_str(if is_finite { &text[..end] } else { "null" });
    end
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Value {
        read_json(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        for (text, expected) in [
            (r#""\ud800""#, "\u{fffd}"),
            (r#""a\uDC00b""#, "a\u{fffd}b"),
            (r#""\ud800\n""#, "\u{fffd}\n"),
            (r#""\ud800A""#, "\u{fffd}A"),
            (r#""\ud800\ud83d\ude00\udc00""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (r#""\\ud800 \ud800 \"é\"""#, "\\ud800 \u{fffd} \"é\""),
        ] {
            assert_eq!(read(text), json!(expected), "{text}");
        }
        assert_eq!(
            read(r#"{"\ud800": [1, "\udfff"], "n": -1.5e3}"#),
            json!({"\u{fffd}": [1, "\u{fffd}"], "n": -1500.0})
        );
    }

    #[test]
    fn a_number_beyond_a_double_is_null() {
        assert_eq!(read(r#"[1e999, -1e999, 1e-999, 7, "1e999"]"#), json!([null, null, 0.0, 7, "1e999"]));
        assert_eq!(read(&"9".repeat(400)), Value::Null);
    }

    #[test]
    fn too_deep_nesting_is_an_error_of_its_own() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read_json::<Value>(&nested(MAX_DEPTH)).is_ok());
        for levels in [MAX_DEPTH + 1, 1_000_000] {
            assert!(matches!(read_json::<Value>(&nested(levels)), Err(JsonError::TooDeep)), "{levels}");
            assert!(is_json(&nested(levels)));
        }
        let both = format!("[\"\\ud800\",{}]", nested(MAX_DEPTH));
        assert!(matches!(read_json::<Value>(&both), Err(JsonError::TooDeep)));
    }

    #[test]
    fn invalid_json_and_other_shapes_stay_errors() {
        for text in ["", "{\"a\":", "\"\\ud8\"", "\"\\ud800", "'\\ud800'", "\"\\x\"", "01", "[1,]", "\u{feff}1"] {
            assert!(matches!(read_json::<Value>(text), Err(JsonError::Invalid(_))), "{text}");
            assert!(!is_json(text), "{text}");
        }
        assert!(matches!(read_json::<Vec<String>>("[\"\\ud800\", 1]"), Err(JsonError::Invalid(_))));
        assert_eq!(read_json::<Vec<String>>("[\"\\ud800\"]").unwrap(), ["\u{fffd}"]);
    }
}
