//! A word as a value of a kind. Must not know which word belongs where.

use serde_json::{Number, Value};

use super::{
    kind::{Kind, plain},
    problem::{Problem, quoted},
    reader::{Reader, Text},
};
use crate::chat::{JsonError, read_json};

/// The value that `word` gives for `place`, an option.
pub(super) fn value(reader: &mut Reader<'_>, place: &str, kind: &Kind, word: &str) -> Result<Value, Problem> {
    let text = reader.text(place, word)?;
    match kind {
        Kind::Nullable(_) if text.text == "null" => Ok(Value::Null),
        Kind::Nullable(kind) => text_value(reader, place, kind, text),
        kind => text_value(reader, place, kind, text),
    }
}

/// The list that several words give: each is an item, or a JSON array of items.
pub(super) fn list(reader: &mut Reader<'_>, place: &str, item: &Kind, words: &[&str]) -> Result<Value, Problem> {
    let mut values = Vec::new();
    for word in words {
        let text = reader.text(place, word)?;
        match read_json::<Value>(&text.text) {
            Ok(Value::Array(items)) if items.iter().all(|value| item.takes(value)) => {
                let items = Value::Array(items);
                let items = if text.is_typed { reader.expand(place, items)? } else { items };
                values.extend(items.as_array().cloned().unwrap_or_default());
            }
            _ => values.push(text_value(reader, place, item, text)?),
        }
    }
    Ok(Value::Array(values))
}

/// The value of a cell of a table, which stands for itself: `@` names no file in it. A list is a JSON array, or one item.
pub(super) fn cell(reader: &mut Reader<'_>, place: &str, kind: &Kind, cell: &str) -> Result<Value, Problem> {
    let text = |text: &str| Text { text: text.to_owned(), is_typed: false };
    match kind.inner() {
        _ if kind != kind.inner() && cell.trim() == "null" => Ok(Value::Null),
        Kind::List(item) => match read_json::<Value>(cell) {
            Ok(Value::Array(items)) if items.iter().all(|value| item.takes(value)) => Ok(Value::Array(items)),
            _ => Ok(Value::Array(vec![text_value(reader, place, item, text(cell))?])),
        },
        // As spreadsheets and programs write them.
        Kind::Boolean => match cell.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(Problem::unexpected(place, kind, cell.trim())),
        },
        inner => text_value(reader, place, inner, text(cell)),
    }
}

fn text_value(reader: &mut Reader<'_>, place: &str, kind: &Kind, text: Text) -> Result<Value, Problem> {
    match kind {
        Kind::Text { one_line: true } if !text.is_typed => Ok(Value::String(without_line_break(&text.text).to_owned())),
        Kind::Text { .. } => Ok(Value::String(text.text)),
        Kind::List(_) | Kind::Tuple | Kind::Object(_) | Kind::AnyOf(_) | Kind::Anything | Kind::Nullable(_) => {
            json(reader, place, kind, &text)
        }
        _ => scalar(kind, &text.text).ok_or_else(|| Problem::unexpected(place, kind, text.text.trim())),
    }
}

/// A value that is written as JSON, or, where a kind allows it, as it is.
fn json(reader: &Reader<'_>, place: &str, kind: &Kind, text: &Text) -> Result<Value, Problem> {
    let parsed = read_json::<Value>(&text.text);
    let as_it_is = || match kind {
        Kind::AnyOf(kinds) => kinds.iter().find_map(|kind| scalar(kind, &text.text)),
        Kind::Anything => Some(Value::String(text.text.clone())),
        _ => None,
    };
    match parsed {
        Ok(value) if kind.takes(&value) => {
            if text.is_typed {
                reader.expand(place, value)
            } else {
                Ok(value)
            }
        }
        Ok(_) => as_it_is().ok_or_else(|| Problem::unexpected(place, kind, text.text.trim())),
        Err(error) => as_it_is().ok_or_else(|| match text.text.trim_start().starts_with(['{', '[']) {
            true => malformed(place, &kind.expected(), &text.text, &error),
            false => Problem::unexpected(place, kind, text.text.trim()),
        }),
    }
}

/// Text that was to be JSON.
pub(super) fn malformed(place: &str, expected: &str, text: &str, error: &JsonError) -> Problem {
    Problem::new(format!("{place}: expected {expected}, got {}, which is not JSON: {error}", quoted(text.trim())))
}

/// The value of a text that is written without quotes or brackets.
fn scalar(kind: &Kind, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    match kind {
        Kind::Text { .. } => Some(Value::String(text.to_owned())),
        Kind::Date if !trimmed.is_empty() => Some(Value::String(trimmed.to_owned())),
        Kind::BigInteger => {
            let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
            let is_whole = !digits.is_empty() && digits.chars().all(|character| character.is_ascii_digit());
            is_whole.then(|| Value::String(trimmed.trim_start_matches('+').to_owned()))
        }
        Kind::Number => number(trimmed),
        Kind::Integer => number(trimmed).filter(|value| kind.takes(value)),
        Kind::Boolean => trimmed.parse().ok().map(Value::Bool),
        Kind::Null => (trimmed == "null").then_some(Value::Null),
        Kind::Choice(values) => values.iter().find(|value| plain(value) == trimmed).cloned(),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    // Rust also reads `inf` and `NaN`.
    let is_numeric = text.chars().all(|character| character.is_ascii_digit() || "+-.eE".contains(character));
    let number = text.parse::<f64>().ok().filter(|_| is_numeric)?;
    Number::from_f64(number).map(Value::Number)
}

/// What `echo` adds does not belong to a word.
fn without_line_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
