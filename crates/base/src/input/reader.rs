//! Reads the texts that arguments refer to: `@path` and `-`.

use serde_json::Value;

use super::{
    command_line::{CommandLine, TextSources},
    file::is_resource,
    kind::ValueKind,
    problem::InputProblem,
};

pub(super) struct TextReader<'a> {
    sources: &'a dyn TextSources,
    /// The option that has read standard input.
    taken_by: Option<String>,
}

pub(super) struct SourceText {
    pub(super) text: String,
    /// The text itself was typed, not a reference to it.
    pub(super) is_typed: bool,
}

impl<'a> TextReader<'a> {
    pub(super) fn new(line: &'a CommandLine) -> Self {
        TextReader { sources: &*line.sources, taken_by: None }
    }

    /// Whether standard input can be read without a person typing it.
    pub(super) fn has_standard_input(&self) -> bool {
        self.taken_by.is_none() && !self.sources.is_terminal() && self.sources.other_use().is_none()
    }

    /// The text of an argument: `@path` is a file's, `-` standard input, `@@…` the argument itself with one `@`. `place` is the
    /// option for messages: `--notes`.
    pub(super) fn text(&mut self, place: &str, word: &str) -> Result<SourceText, InputProblem> {
        if word == "-" {
            return Ok(SourceText { text: self.standard_input(place)?, is_typed: false });
        }
        match word.strip_prefix('@') {
            Some(rest) if rest.starts_with('@') => Ok(SourceText { text: rest.to_owned(), is_typed: true }),
            Some(path) if !path.is_empty() => Ok(SourceText { text: self.file(place, path)?, is_typed: false }),
            _ => Ok(SourceText { text: word.to_owned(), is_typed: true }),
        }
    }

    pub(super) fn standard_input(&mut self, place: &str) -> Result<String, InputProblem> {
        if let Some(other) = &self.taken_by {
            return Err(InputProblem::new(format!(
                "{place}: standard input can be read once, and {other} has read it"
            )));
        }
        if let Some(what) = self.sources.other_use() {
            let problem = InputProblem::new(format!("{place}: - is standard input, which holds {what}"));
            return Err(problem.hint("give a file as @PATH"));
        }
        if self.sources.is_terminal() {
            let problem = InputProblem::new(format!("{place}: - is standard input, and nothing is piped into it"));
            return Err(problem.hint("pipe a text into the command, or give a file as @PATH"));
        }
        self.taken_by = Some(place.to_owned());
        let text = self.sources.standard_input();
        text.map(without_mark)
            .map_err(|reason| InputProblem::new(format!("{place}: cannot read standard input: {reason}")))
    }

    fn file(&self, place: &str, path: &str) -> Result<String, InputProblem> {
        let text = self.sources.file(path).map(without_mark);
        text.map_err(|reason| {
            let problem = InputProblem::new(format!("{place}: cannot read the file {path}: {reason}"));
            if place == "--input" {
                return problem;
            }
            problem.hint(format!("@ stands for a file's text; the text itself is written @@{path}"))
        })
    }

    /// A file for a property that takes files.
    pub(super) fn resource(&self, place: &str, path: &str) -> Result<Value, InputProblem> {
        self.sources
            .resource(path)
            .map_err(|reason| InputProblem::new(format!("{place}: cannot read the file {path}: {reason}")))
    }

    pub(super) fn is_file(&self, word: &str) -> bool {
        self.sources.file(word).is_ok()
    }

    /// Replaces `@path` everywhere in typed JSON: by the file where its kind is one, else by its text.
    pub(super) fn expand(&self, place: &str, kind: &ValueKind, value: Value) -> Result<Value, InputProblem> {
        Ok(match value {
            Value::String(text) if kind.takes_file() && text.starts_with('@') => self.resource(place, &text[1..])?,
            value if kind.takes_file() && is_resource(&value) => value,
            Value::String(text) => match text.strip_prefix('@') {
                Some(rest) if rest.starts_with('@') => Value::String(rest.to_owned()),
                Some(path) if !path.is_empty() => Value::String(self.file(place, path)?),
                _ => Value::String(text),
            },
            Value::Array(values) => {
                let items = values.into_iter().enumerate();
                let items = items.map(|(index, value)| self.expand(place, kind.item(index), value));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let expand = |(key, value): (String, Value)| {
                    let value = self.expand(place, kind.field(&key), value)?;
                    Ok((key, value))
                };
                Value::Object(fields.into_iter().map(expand).collect::<Result<_, _>>()?)
            }
            other => other,
        })
    }
}

/// Removes the byte order mark that some editors add.
fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
