//! Converts the text of an argument to a value of a kind.

use serde_json::{Number, Value};

use super::{
    file::is_resource,
    kind::{ValueKind, plain_value},
    problem::{InputProblem, quoted},
    reader::{SourceText, TextReader},
};
use crate::chat::{JsonError, read_json};
use crate::diagnostic::InvalidJson;

pub(super) fn value(
    reader: &mut TextReader<'_>,
    place: &str,
    kind: &ValueKind,
    word: &str,
) -> Result<Value, InputProblem> {
    if kind.takes_file()
        && let Some(file) = file(reader, place, kind, word)?
    {
        return Ok(file);
    }
    let text = reader.text(place, word)?;
    match kind {
        ValueKind::Nullable(_) if text.text == "null" => Ok(Value::Null),
        ValueKind::Nullable(kind) => text_value(reader, place, kind, text),
        kind => text_value(reader, place, kind, text),
    }
}

/// The file that an argument names. `None` if the argument is not a file, and the schema accepts other values too.
fn file(reader: &TextReader<'_>, place: &str, kind: &ValueKind, word: &str) -> Result<Option<Value>, InputProblem> {
    if let Some(path) = word.strip_prefix('@').filter(|path| !path.is_empty()) {
        return reader.resource(place, path).map(Some);
    }
    let written = read_json::<Value>(word).ok().filter(is_resource);
    match kind {
        _ if written.is_some() => Ok(written),
        ValueKind::Nullable(_) if word == "null" => Ok(None),
        kind if *kind.inner() != ValueKind::File => Ok(None),
        kind => {
            let bare = word.trim_matches(['\'', '"']);
            let path = match bare.split_once("=@").map_or(bare, |(_, path)| path).trim_start_matches('@') {
                "" => "PATH",
                "-" => "/dev/stdin",
                path => path,
            };
            let problem = InputProblem::unexpected(place, kind, word);
            Err(problem.hint(format!("a file is given by its path behind @: {place} @{path}")))
        }
    }
}

/// The list of several arguments: each is an item, or a JSON array of items.
pub(super) fn list(
    reader: &mut TextReader<'_>,
    place: &str,
    item: &ValueKind,
    words: &[&str],
) -> Result<Value, InputProblem> {
    let mut values = Vec::new();
    for word in words {
        if item.takes_file() && !word.trim_start().starts_with('[') {
            values.push(value(reader, place, item, word)?);
            continue;
        }
        let text = reader.text(place, word)?;
        match read_json::<Value>(&text.text) {
            Ok(Value::Array(items)) if items.iter().all(|value| item.takes(value)) => {
                let items = match text.is_typed {
                    true => {
                        items.into_iter().map(|value| reader.expand(place, item, value)).collect::<Result<_, _>>()?
                    }
                    false => items,
                };
                values.extend::<Vec<Value>>(items);
            }
            _ => values.push(text_value(reader, place, item, text)?),
        }
    }
    Ok(Value::Array(values))
}

/// The value of a table cell, in which `@` has no special meaning. A list is a JSON array, or one item.
pub(super) fn cell(
    reader: &mut TextReader<'_>,
    place: &str,
    kind: &ValueKind,
    cell: &str,
) -> Result<Value, InputProblem> {
    let text = |text: &str| SourceText { text: text.to_owned(), is_typed: false };
    let takes = |item: &ValueKind, value: &Value| item.takes(value) || (item.takes_file() && value.is_string());
    match kind.inner() {
        _ if kind != kind.inner() && cell.trim() == "null" => Ok(Value::Null),
        ValueKind::List(item) => match read_json::<Value>(cell) {
            Ok(Value::Array(items)) if items.iter().all(|value| takes(item, value)) => Ok(Value::Array(items)),
            _ => Ok(Value::Array(vec![text_value(reader, place, item, text(cell))?])),
        },
        // The spellings of spreadsheets and other programs.
        ValueKind::Boolean => match cell.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(InputProblem::unexpected(place, kind, cell.trim())),
        },
        inner => text_value(reader, place, inner, text(cell)),
    }
}

fn text_value(
    reader: &mut TextReader<'_>,
    place: &str,
    kind: &ValueKind,
    text: SourceText,
) -> Result<Value, InputProblem> {
    match kind {
        ValueKind::Text { one_line: true } if !text.is_typed => {
            Ok(Value::String(without_line_break(&text.text).to_owned()))
        }
        ValueKind::Text { .. } | ValueKind::File => Ok(Value::String(text.text)),
        ValueKind::List(_)
        | ValueKind::Tuple(_)
        | ValueKind::Object(_)
        | ValueKind::AnyOf(_)
        | ValueKind::Anything
        | ValueKind::Nullable(_) => json(reader, place, kind, &text),
        _ => scalar(kind, &text.text).ok_or_else(|| InputProblem::unexpected(place, kind, text.text.trim())),
    }
}

/// A value written as JSON, or as plain text where the kind allows it.
fn json(reader: &TextReader<'_>, place: &str, kind: &ValueKind, text: &SourceText) -> Result<Value, InputProblem> {
    let parsed = read_json::<Value>(&text.text);
    let as_it_is = || match kind {
        ValueKind::AnyOf(kinds) => kinds.iter().find_map(|kind| scalar(kind, &text.text)),
        ValueKind::Anything => Some(Value::String(text.text.clone())),
        _ => None,
    };
    match parsed {
        Ok(value) if kind.takes(&value) => {
            if text.is_typed {
                reader.expand(place, kind, value)
            } else {
                Ok(value)
            }
        }
        Ok(_) => as_it_is().ok_or_else(|| InputProblem::unexpected(place, kind, text.text.trim())),
        Err(error) => as_it_is().ok_or_else(|| match text.text.trim_start().starts_with(['{', '[']) {
            true => malformed(place, &kind.expected(), &text.text, &error),
            false => InputProblem::unexpected(place, kind, text.text.trim()),
        }),
    }
}

pub(super) fn malformed(place: &str, expected: &str, text: &str, error: &JsonError) -> InputProblem {
    let error = InvalidJson::of(text).map_or_else(|| error.to_string(), |invalid| invalid.to_string());
    InputProblem::new(format!("{place}: expected {expected}, got {}, which is not JSON: {error}", quoted(text.trim())))
}

fn scalar(kind: &ValueKind, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    match kind {
        ValueKind::Text { .. } | ValueKind::File => Some(Value::String(text.to_owned())),
        ValueKind::Date if !trimmed.is_empty() => Some(Value::String(trimmed.to_owned())),
        ValueKind::BigInteger => {
            let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
            let is_whole = !digits.is_empty() && digits.chars().all(|character| character.is_ascii_digit());
            is_whole.then(|| Value::String(trimmed.trim_start_matches('+').to_owned()))
        }
        ValueKind::Number => number(trimmed),
        ValueKind::Integer => number(trimmed).filter(|value| kind.takes(value)),
        ValueKind::Boolean => trimmed.parse().ok().map(Value::Bool),
        ValueKind::Null => (trimmed == "null").then_some(Value::Null),
        ValueKind::Choice(values) => values.iter().find(|value| plain_value(value) == trimmed).cloned(),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    // Rust also parses `inf` and `NaN`.
    let is_numeric = text.chars().all(|character| character.is_ascii_digit() || "+-.eE".contains(character));
    let number = text.parse::<f64>().ok().filter(|_| is_numeric)?;
    Number::from_f64(number).map(Value::Number)
}

/// Removes the newline that `echo` adds.
fn without_line_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
