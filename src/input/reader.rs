//! Words that stand for a text somewhere else: `@path` and `-`. Must not know what the text is for.

use serde_json::Value;

use super::{
    command_line::{CommandLine, Sources},
    problem::Problem,
};

/// Reads what words name, standard input once.
pub(super) struct Reader<'a> {
    sources: &'a dyn Sources,
    /// Who has read standard input.
    taken_by: Option<String>,
}

/// What a word gave.
pub(super) struct Text {
    pub(super) text: String,
    /// It was typed, and stands nowhere else.
    pub(super) is_typed: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(line: &'a CommandLine) -> Self {
        Reader { sources: &*line.sources, taken_by: None }
    }

    /// Whether standard input is there to be read without anybody typing it.
    pub(super) fn has_standard_input(&self) -> bool {
        self.taken_by.is_none() && !self.sources.is_terminal()
    }

    /// The text that `word` is or stands for: `@path` a file's, `-` standard input, `@@…` itself with one `@`. `place`
    /// is what it is given for: `--notes`.
    pub(super) fn text(&mut self, place: &str, word: &str) -> Result<Text, Problem> {
        if word == "-" {
            return Ok(Text { text: self.standard_input(place)?, is_typed: false });
        }
        match word.strip_prefix('@') {
            Some(rest) if rest.starts_with('@') => Ok(Text { text: rest.to_owned(), is_typed: true }),
            Some(path) if !path.is_empty() => Ok(Text { text: self.file(place, path)?, is_typed: false }),
            _ => Ok(Text { text: word.to_owned(), is_typed: true }),
        }
    }

    /// All of standard input, for `place`.
    pub(super) fn standard_input(&mut self, place: &str) -> Result<String, Problem> {
        if let Some(other) = &self.taken_by {
            return Err(Problem::new(format!("{place}: standard input can be read once, and {other} has read it")));
        }
        if self.sources.is_terminal() {
            let problem = Problem::new(format!("{place}: - is standard input, and nothing is piped into it"));
            return Err(problem.hint("pipe a text into the command, or give a file as @PATH"));
        }
        self.taken_by = Some(place.to_owned());
        let text = self.sources.standard_input();
        text.map(without_mark).map_err(|reason| Problem::new(format!("{place}: cannot read standard input: {reason}")))
    }

    fn file(&self, place: &str, path: &str) -> Result<String, Problem> {
        let text = self.sources.file(path).map(without_mark);
        text.map_err(|reason| {
            let problem = Problem::new(format!("{place}: cannot read the file {path}: {reason}"));
            if place == "--input" {
                return problem;
            }
            problem.hint(format!("@ stands for a file's text; the text itself is written @@{path}"))
        })
    }

    /// Whether a word would be the path of a text file.
    pub(super) fn is_file(&self, word: &str) -> bool {
        self.sources.file(word).is_ok()
    }

    /// Puts the texts of files in the place of `@path` wherever it stands in JSON that was typed.
    pub(super) fn expand(&self, place: &str, value: Value) -> Result<Value, Problem> {
        Ok(match value {
            Value::String(text) => match text.strip_prefix('@') {
                Some(rest) if rest.starts_with('@') => Value::String(rest.to_owned()),
                Some(path) if !path.is_empty() => Value::String(self.file(place, path)?),
                _ => Value::String(text),
            },
            Value::Array(values) => {
                Value::Array(values.into_iter().map(|value| self.expand(place, value)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let expand = |(key, value)| Ok((key, self.expand(place, value)?));
                Value::Object(fields.into_iter().map(expand).collect::<Result<_, _>>()?)
            }
            other => other,
        })
    }
}

/// Without the byte order mark that some editors put in front.
fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
