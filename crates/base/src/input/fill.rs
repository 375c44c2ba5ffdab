//! Assembles the input: the whole object, then options, then bare words, then standard input.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::{
    arguments::{GivenOption, OptionValue, parse_arguments},
    command_line::{CommandLine, FilledInput, WholeInput},
    kind::ValueKind,
    problem::{InputProblem, quoted},
    property::{Declaration, Property},
    reader::TextReader,
    value,
};
use crate::chat::read_json;

const WHOLE: &str = "the whole input as a JSON object";

pub(super) fn fill(declaration: &Declaration, line: &CommandLine) -> Result<FilledInput, InputProblem> {
    let sorted = parse_arguments(declaration, line)?;
    let mut reader = TextReader::new(line);
    let mut input = match &line.whole {
        Some(given) => whole(&mut reader, given, Some(&ValueKind::Object(declaration.fields.clone())))?,
        None => Map::new(),
    };
    for given in &sorted.options {
        let value = option_value(&mut reader, given)?;
        put(&mut input, &given.path, value);
    }
    bare_words(declaration, &mut reader, sorted.bare, &mut input)?;
    let is_standard_input_empty = !complete(declaration, &mut reader, &mut input)?;
    Ok(FilledInput { input, is_standard_input_empty })
}

pub(super) fn check_whole(line: &CommandLine) -> Result<(), InputProblem> {
    line.whole.as_ref().map_or(Ok(()), |given| whole(&mut TextReader::new(line), given, None).map(drop))
}

/// Without a kind, files that the input names are not read, as it decides how.
fn whole(
    reader: &mut TextReader<'_>,
    given: &WholeInput,
    kind: Option<&ValueKind>,
) -> Result<Map<String, Value>, InputProblem> {
    let (place, value) = match given {
        WholeInput::Given(give) => ("--input".to_owned(), give().map_err(|why| InputProblem::new(why.to_string()))?),
        WholeInput::Typed(word) => typed_whole(reader, word, kind)?,
    };
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(InputProblem::new(format!("{place}: expected {WHOLE}, got {}", quoted(&other.to_string())))),
    }
}

/// The value of `--input`, with how messages name it.
fn typed_whole(
    reader: &mut TextReader<'_>,
    word: &str,
    kind: Option<&ValueKind>,
) -> Result<(String, Value), InputProblem> {
    let text = reader.text("--input", word)?;
    let place = if text.is_typed { "--input".to_owned() } else { format!("--input {word}") };
    if text.text.trim().is_empty() {
        let source = match word.strip_prefix('@') {
            _ if word == "-" => "standard input is empty",
            Some(_) => "the file is empty",
            None => "the word is empty",
        };
        return Err(InputProblem::new(format!("--input: expected {WHOLE}, got nothing ({source})")));
    }
    let parsed = read_json::<Value>(&text.text).map_err(|error| {
        let problem = value::malformed(&place, WHOLE, &text.text, &error);
        match word {
            _ if !text.is_typed || word.trim_start().starts_with('{') => problem,
            _ if reader.is_file(word) => problem.hint(format!("the text of the file is --input @{word}")),
            _ => problem.hint("--input takes JSON, @FILE or - (standard input)"),
        }
    })?;
    let parsed = match kind {
        Some(kind) if text.is_typed => reader.expand("--input", kind, parsed)?,
        _ => parsed,
    };
    Ok((place, parsed))
}

fn option_value<'a>(reader: &mut TextReader<'_>, given: &GivenOption<'a>) -> Result<Value, InputProblem> {
    if let Some(OptionValue::Flag(is_on)) = given.words.last() {
        return Ok(Value::Bool(*is_on));
    }
    let text = |word: &OptionValue<'a>| match *word {
        OptionValue::Flag(_) => None,
        OptionValue::Text(text) => Some(text),
    };
    let words: Vec<&str> = given.words.iter().filter_map(text).collect();
    value_of_words(reader, &given.shown, given.kind, &words)
}

/// The value of an option: a list uses all words, other kinds the last one.
fn value_of_words(
    reader: &mut TextReader<'_>,
    place: &str,
    kind: &ValueKind,
    words: &[&str],
) -> Result<Value, InputProblem> {
    match kind.inner() {
        ValueKind::List(_) if kind != kind.inner() && words == ["null"] => Ok(Value::Null),
        ValueKind::List(item) => value::list(reader, place, item, words),
        _ => value::value(reader, place, kind, words.last().copied().unwrap_or_default()),
    }
}

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

fn missing<'a>(declaration: &'a Declaration, input: &Map<String, Value>) -> Vec<&'a Property> {
    let properties = declaration.fields.properties.iter();
    properties.filter(|property| property.is_required && !input.contains_key(&property.name)).collect()
}

/// Assigns bare words to the required properties in the order of the schema; a list takes those that the others do not need.
fn bare_words(
    declaration: &Declaration,
    reader: &mut TextReader<'_>,
    words: Vec<&str>,
    input: &mut Map<String, Value>,
) -> Result<(), InputProblem> {
    let open = missing(declaration, input);
    let mut words = VecDeque::from(words);
    for (index, property) in open.iter().enumerate() {
        let count = match property.kind.inner() {
            ValueKind::List(_) => words.len().saturating_sub(open.len() - index - 1).max(1),
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

fn too_many(declaration: &Declaration, word: &str, taken: usize) -> InputProblem {
    let why = match (declaration.fields.properties.iter().any(|property| property.is_required), taken) {
        (false, _) => "there is no required input that a bare word could give",
        (true, 0) => "all required input is given already",
        (true, 1) => "one bare word is expected",
        (true, _) => {
            return InputProblem::new(format!("unexpected word {}: {taken} bare words are expected", quoted(word)));
        }
    };
    let problem = InputProblem::new(format!("unexpected word {}: {why}", quoted(word)));
    if word.contains(char::is_whitespace) { problem } else { problem.hint("text with spaces goes in quotes") }
}

/// Reads the one missing string from standard input; `false` if that is empty.
fn complete(
    declaration: &Declaration,
    reader: &mut TextReader<'_>,
    input: &mut Map<String, Value>,
) -> Result<bool, InputProblem> {
    let mut open = missing(declaration, input);
    // A schema that allows anything may also do without a value.
    open.retain(|property| property.kind != ValueKind::Anything);
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
