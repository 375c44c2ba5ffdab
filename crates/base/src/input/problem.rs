//! Error messages about the input, for the person or program that gave it.

use serde_json::{Map, Value};

use super::{
    command_line::FilledInput,
    file::{FORM, InputFile, is_resource, with_short_files},
    kind::ValueKind,
    property::{Declaration, Property},
};
use crate::{
    diagnostic::{Diagnostic, closest},
    schema,
};

const MAX_SHOWN: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// The missing required properties, if nothing else is wrong.
    missing: Vec<String>,
}

impl InputProblem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        InputProblem { message: message.into(), hint: None, missing: Vec::new() }
    }

    #[must_use]
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        InputProblem { hint: Some(hint.into()), ..self }
    }

    /// A value of the wrong kind. `place` is its option: `--days`.
    pub(super) fn unexpected(place: &str, kind: &ValueKind, given: &str) -> Self {
        let problem = InputProblem::new(format!("{place}: expected {}, got {}", kind.expected(), quoted(given)));
        let ValueKind::Choice(values) = kind.inner() else { return problem };
        match closest(given, values.iter().filter_map(Value::as_str)) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        }
    }

    /// The errors that a schema finds: first all missing properties, then wrong values. `is_call` selects the wording for programs
    /// ([`CommandLine::is_call`](super::CommandLine)).
    pub fn from_schema(
        declaration: &Declaration,
        filled: &FilledInput,
        found: &[schema::ValidationProblem],
        is_call: bool,
    ) -> Self {
        let (mut missing, mut lines) = (Vec::new(), Vec::new());
        for problem in found {
            match missing_property(declaration, &filled.input, problem) {
                Some(property) => missing.push(property),
                None => lines.push(schema_line(declaration, &filled.input, problem, is_call)),
            }
        }
        let is_all = lines.is_empty();
        if !missing.is_empty() {
            lines.insert(
                0,
                match is_call {
                    true => missing_from_call(&missing),
                    false => missing_line(declaration, &missing, filled.is_standard_input_empty),
                },
            );
        }
        let mut problem = match lines.as_slice() {
            [line] => InputProblem::new(line),
            lines => InputProblem::new(format!("the input does not fit:\n  {}", lines.join("\n  "))),
        };
        if is_all {
            problem.missing = missing.iter().map(|property| property.name.clone()).collect();
        }
        let unknown = || filled.input.keys().map(String::as_str).filter(|key| declaration.fields.named(key).is_none());
        let near = missing.iter().find_map(|property| Some((closest(&property.name, unknown())?, &property.name)));
        match near {
            Some((near, name)) => problem.hint(format!("the input has {near}; did you mean {name}?")),
            None if found.iter().any(|found| is_no_file(declaration, &filled.input, found)) => {
                problem.hint(match is_call {
                    true => format!("a file is an embedded resource, {FORM}; paths of this machine are not read"),
                    false => format!("a file is given by its path behind @, in JSON of a file or a pipe as {FORM}"),
                })
            }
            None => problem,
        }
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// The missing required properties, if nothing else is wrong.
    pub fn only_missing(&self) -> &[String] {
        &self.missing
    }

    /// A diagnostic with the usage line.
    pub fn diagnostic(self, usage: &str) -> Diagnostic {
        InputProblem { message: format!("{}\n\n{usage}", self.message), ..self }.into()
    }
}

impl From<InputProblem> for Diagnostic {
    fn from(problem: InputProblem) -> Self {
        let diagnostic = Diagnostic::new(problem.message);
        match problem.hint {
            Some(hint) => diagnostic.with_hint(hint),
            None => diagnostic,
        }
    }
}

/// Whether something else was given for a file.
fn is_no_file(declaration: &Declaration, input: &Map<String, Value>, problem: &schema::ValidationProblem) -> bool {
    let Some((name, inner)) = problem.keys.split_first() else { return false };
    kind_at(declaration, name, inner).takes_file()
        && given(input, name, inner).is_some_and(|given| InputFile::read(given).is_none())
}

fn kind_at<'a>(declaration: &'a Declaration, name: &str, inner: &[String]) -> &'a ValueKind {
    inner.iter().fold(declaration.fields.kind_of(name), |kind, key| match (kind.inner(), key.parse::<usize>()) {
        (ValueKind::List(_) | ValueKind::Tuple(_), Ok(index)) => kind.item(index),
        _ => kind.field(key),
    })
}

fn given<'a>(input: &'a Map<String, Value>, name: &str, inner: &[String]) -> Option<&'a Value> {
    inner
        .iter()
        .try_fold(input.get(name)?, |value, key| value.get(key).or_else(|| value.get(key.parse::<usize>().ok()?)))
}

fn missing_property<'a>(
    declaration: &'a Declaration,
    input: &Map<String, Value>,
    problem: &schema::ValidationProblem,
) -> Option<&'a Property> {
    let [name] = problem.keys.as_slice() else { return None };
    declaration.fields.named(name).filter(|property| property.is_required && !input.contains_key(name))
}

fn missing_line(declaration: &Declaration, missing: &[&Property], is_standard_input_empty: bool) -> String {
    let option = |property: &&Property| format!("--{} {}", declaration.fields.option(property), property.value_name());
    let options = missing.iter().map(option).collect::<Vec<_>>().join(", ");
    let was_read = is_standard_input_empty && missing.iter().any(|property| property.kind.is_text());
    let note = if was_read { " (standard input is empty)" } else { "" };
    format!("missing required input: {options}{note}")
}

fn missing_from_call(missing: &[&Property]) -> String {
    let kind = |property: &Property| property.value_name().trim_matches(['@', '<', '>', '.']).to_owned();
    let properties = missing.iter().map(|property| format!("{} ({})", property.name, kind(property)));
    format!("missing required input: {}", properties.collect::<Vec<_>>().join(", "))
}

fn schema_line(
    declaration: &Declaration,
    input: &Map<String, Value>,
    problem: &schema::ValidationProblem,
    is_call: bool,
) -> String {
    let Some((name, inner)) = problem.keys.split_first() else {
        return match problem.message.as_str() {
            "" => "the input is not valid".to_owned(),
            message => format!("the input is not valid: {message}"),
        };
    };
    let option = declaration.fields.named(name).map_or_else(|| name.clone(), |known| declaration.fields.option(known));
    let within = problem.path.strip_prefix(name.as_str()).unwrap_or_default();
    let place = if is_call { format!("{name}{within}") } else { format!("--{option}{within}") };
    let known = Some(kind_at(declaration, name, inner)).filter(|kind| inner.is_empty() || kind.takes_file());
    let message = expectation(known, &problem.message);
    match given(input, name, inner) {
        Some(given) => format!("{place}: {message}, got {}", shown(given)),
        None if message.starts_with("expected ") => format!("{place}: {message}, got nothing"),
        None => format!("{place}: {message}"),
    }
}

/// What a schema expects, without the parts that the rest of the line contains. `kind` is set if the error concerns a whole
/// property, or a file.
fn expectation(kind: Option<&ValueKind>, message: &str) -> String {
    // The date was created from text, so a schema only reports that it is invalid. For a union it reports nothing.
    let is_uninformative = |kind: &&ValueKind| match kind.inner() {
        ValueKind::Date => message.starts_with("Invalid input: expected date"),
        // Another message names the media types.
        ValueKind::File => message.starts_with("Invalid input") && !message.contains('"'),
        _ => message == "Invalid input",
    };
    if let Some(kind) = kind.filter(is_uninformative) {
        return format!("expected {}", kind.expected());
    }
    let expected = message.strip_prefix("Invalid input: ").or_else(|| message.strip_prefix("Invalid option: "));
    match expected.filter(|rest| rest.starts_with("expected ")) {
        Some(rest) => rest.split_once(", received ").map_or(rest, |(expected, _)| expected).to_owned(),
        None => message.to_owned(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        resource if is_resource(resource) => match InputFile::read(resource) {
            Some(InputFile { name, media_type, bytes, .. }) => {
                let media_type = if media_type.is_empty() { "of unknown kind" } else { &media_type };
                format!("the file {name} ({media_type}, {} bytes)", bytes.len())
            }
            None => "a resource whose blob is not base64".to_owned(),
        },
        other => cut(&with_short_files(other).to_string()),
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", cut(text))
}

fn cut(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
