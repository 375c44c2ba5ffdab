//! The input put together: the whole object, then options, then bare words, then standard input. Must not know how a word
//! becomes a value.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::{
    command_line::{CommandLine, Filled},
    kind::Kind,
    problem::{Problem, quoted},
    property::{Declaration, Property},
    reader::Reader,
    value,
    words::{Given, Word, sort},
};
use crate::chat::read_json;

/// The input that a command line gives, as far as it does.
pub(super) fn fill(declaration: &Declaration, line: &CommandLine) -> Result<Filled, Problem> {
    let sorted = sort(declaration, line)?;
    let mut reader = Reader::new(line);
    let mut input = match &line.whole {
        Some(word) => whole(&mut reader, word)?,
        None => Map::new(),
    };
    for given in &sorted.options {
        let value = option_value(&mut reader, given)?;
        put(&mut input, &given.path, value);
    }
    bare_words(declaration, &mut reader, sorted.bare, &mut input)?;
    let is_standard_input_empty = !complete(declaration, &mut reader, &mut input)?;
    Ok(Filled { input, is_standard_input_empty })
}

/// Reads the whole input, if there is one, and lets go of it.
pub(super) fn check_whole(line: &CommandLine) -> Result<(), Problem> {
    line.whole.as_ref().map_or(Ok(()), |word| whole(&mut Reader::new(line), word).map(drop))
}

/// The object of `run --input`.
fn whole(reader: &mut Reader<'_>, word: &str) -> Result<Map<String, Value>, Problem> {
    let text = reader.text("--input", word)?;
    let place = if text.is_typed { "--input" } else { &format!("--input {word}") };
    let expected = "the whole input as a JSON object";
    if text.text.trim().is_empty() {
        let source = match word.strip_prefix('@') {
            _ if word == "-" => "standard input is empty",
            Some(_) => "the file is empty",
            None => "the word is empty",
        };
        return Err(Problem::new(format!("--input: expected {expected}, got nothing ({source})")));
    }
    let parsed = read_json::<Value>(&text.text).map_err(|error| {
        let problem = value::malformed(place, expected, &text.text, &error);
        match word {
            _ if !text.is_typed || word.trim_start().starts_with('{') => problem,
            _ if reader.is_file(word) => problem.hint(format!("the text of the file is --input @{word}")),
            _ => problem.hint("--input takes JSON, @FILE or - (standard input)"),
        }
    })?;
    let parsed = if text.is_typed { reader.expand("--input", parsed)? } else { parsed };
    match parsed {
        Value::Object(fields) => Ok(fields),
        other => Err(Problem::new(format!("{place}: expected {expected}, got {}", quoted(&other.to_string())))),
    }
}

fn option_value<'a>(reader: &mut Reader<'_>, given: &Given<'a>) -> Result<Value, Problem> {
    if let Some(Word::Flag(is_on)) = given.words.last() {
        return Ok(Value::Bool(*is_on));
    }
    let text = |word: &Word<'a>| match *word {
        Word::Flag(_) => None,
        Word::Text(text) => Some(text),
    };
    let words: Vec<&str> = given.words.iter().filter_map(text).collect();
    value_of_words(reader, &given.shown, given.kind, &words)
}

/// A list takes all words, anything else the last.
fn value_of_words(reader: &mut Reader<'_>, place: &str, kind: &Kind, words: &[&str]) -> Result<Value, Problem> {
    match kind.inner() {
        Kind::List(_) if kind != kind.inner() && words == ["null"] => Ok(Value::Null),
        Kind::List(item) => value::list(reader, place, item, words),
        _ => value::value(reader, place, kind, words.last().copied().unwrap_or_default()),
    }
}

/// Puts a value where `path` leads, making objects on the way.
pub(super) fn put(input: &mut Map<String, Value>, path: &[String], value: Value) {
    let Some((name, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        input.insert(name.clone(), value);
        return;
    }
    let inner = input.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
    if !inner.is_object() {
        *inner = Value::Object(Map::new());
    }
    if let Value::Object(inner) = inner {
        put(inner, rest, value);
    }
}

/// The required properties that have no value yet.
fn missing<'a>(declaration: &'a Declaration, input: &Map<String, Value>) -> Vec<&'a Property> {
    let properties = declaration.fields.properties.iter();
    properties.filter(|property| property.is_required && !input.contains_key(&property.name)).collect()
}

/// Hands bare words to the required properties in the order of the schema; a list takes what the others leave over.
fn bare_words(
    declaration: &Declaration,
    reader: &mut Reader<'_>,
    words: Vec<&str>,
    input: &mut Map<String, Value>,
) -> Result<(), Problem> {
    let open = missing(declaration, input);
    let mut words = VecDeque::from(words);
    for (index, property) in open.iter().enumerate() {
        let count = match property.kind.inner() {
            Kind::List(_) => words.len().saturating_sub(open.len() - index - 1).max(1),
            _ => 1,
        };
        let taken: Vec<&str> = words.drain(..count.min(words.len())).collect();
        if !taken.is_empty() {
            let place = format!("--{}", declaration.fields.option(property));
            let value = value_of_words(reader, &place, &property.kind, &taken)?;
            input.insert(property.name.clone(), value);
        }
    }
    match words.front() {
        None => Ok(()),
        Some(word) => Err(too_many(declaration, word, open.len())),
    }
}

fn too_many(declaration: &Declaration, word: &str, taken: usize) -> Problem {
    let why = match (declaration.fields.properties.iter().any(|property| property.is_required), taken) {
        (false, _) => "there is no required input that a bare word could give",
        (true, 0) => "all required input is given already",
        (true, 1) => "one bare word is expected",
        (true, _) => return Problem::new(format!("unexpected word {}: {taken} bare words are expected", quoted(word))),
    };
    let problem = Problem::new(format!("unexpected word {}: {why}", quoted(word)));
    if word.contains(char::is_whitespace) { problem } else { problem.hint("text with spaces goes in quotes") }
}

/// Reads the one string that is missing from standard input; `false` when there was nothing.
fn complete(
    declaration: &Declaration,
    reader: &mut Reader<'_>,
    input: &mut Map<String, Value>,
) -> Result<bool, Problem> {
    let mut open = missing(declaration, input);
    // A schema that says nothing may well do without a value.
    open.retain(|property| property.kind != Kind::Anything);
    let [property] = open.as_slice() else { return Ok(true) };
    if !property.kind.is_text() || !reader.has_standard_input() {
        return Ok(true);
    }
    let place = format!("--{}", declaration.fields.option(property));
    let value = value::value(reader, &place, &property.kind, "-")?;
    let is_empty = value.as_str().is_some_and(str::is_empty);
    if !is_empty {
        input.insert(property.name.clone(), value);
    }
    Ok(!is_empty)
}
