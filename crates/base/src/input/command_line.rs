//! The arguments for a prompt file, and the sources of the texts that they refer to.

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use super::property::Declaration;

/// Why a text cannot be read, as the end of a sentence.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct UnreadableText(pub String);

/// Provides texts that arguments refer to. Reading may block.
pub trait TextSources: Send + Sync {
    fn file(&self, path: &str) -> Result<String, UnreadableText>;

    /// A file with any content, as an embedded resource.
    fn resource(&self, path: &str) -> Result<Value, UnreadableText> {
        self.file(path)?;
        Err(UnreadableText("only its text can be read here".to_owned()))
    }

    /// All of standard input.
    fn standard_input(&self) -> Result<String, UnreadableText>;

    fn is_terminal(&self) -> bool;

    /// What standard input holds if it cannot be part of the input.
    fn other_use(&self) -> Option<&'static str> {
        None
    }

    /// Whether no call blocks.
    fn is_at_hand(&self) -> bool {
        false
    }
}

/// The whole input.
#[derive(Clone)]
pub enum WholeInput {
    /// As typed: JSON, `@FILE` or `-`.
    Typed(String),
    /// Given by a program. Strings in it that start with `@` are not file names.
    Given(Arc<GiveInput>),
}

type GiveInput = dyn Fn() -> Result<Value, UnreadableText> + Send + Sync;

#[derive(Clone)]
pub struct CommandLine {
    /// The command up to the file, for usage lines: `lmthing run weather.lmt.mjs`.
    pub command: String,
    /// The arguments after the file.
    pub words: Vec<String>,
    /// The whole input (`run --input`).
    pub whole: Option<WholeInput>,
    /// Whether a program provides the input; messages then name properties instead of options.
    pub is_call: bool,
    /// The options of the command itself, without dashes, for hints about their position.
    pub own_options: fn() -> Vec<String>,
    pub sources: Arc<dyn TextSources>,
    /// The shape of the input, if an earlier run of the file has computed it.
    pub taken: Option<Arc<InputShape>>,
}

/// The input that a file takes. Computing it from a zod schema takes a large part of a short run.
pub struct InputShape {
    /// JSON Schema, with the keyword `tsType` at dates and big integers.
    pub shape: Value,
    pub declaration: Declaration,
}

impl CommandLine {
    /// The program and its command: `lmthing run`.
    pub(super) fn name(&self) -> String {
        self.command.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    pub fn without_words(command: String) -> Self {
        let (words, own_options, sources) = (Vec::new(), Vec::new as fn() -> _, Arc::new(NoTexts));
        CommandLine { command, words, whole: None, is_call: false, own_options, sources, taken: None }
    }

    /// A command line with a whole input that a program gives.
    pub fn given(command: String, give: impl Fn() -> Result<Value, UnreadableText> + Send + Sync + 'static) -> Self {
        CommandLine { whole: Some(WholeInput::Given(Arc::new(give))), ..CommandLine::without_words(command) }
    }
}

struct NoTexts;

impl TextSources for NoTexts {
    fn file(&self, _path: &str) -> Result<String, UnreadableText> {
        Err(UnreadableText("there is no such file or folder".to_owned()))
    }

    fn standard_input(&self) -> Result<String, UnreadableText> {
        Ok(String::new())
    }

    fn is_terminal(&self) -> bool {
        true
    }

    fn is_at_hand(&self) -> bool {
        true
    }
}

#[derive(Debug)]
pub struct FilledInput {
    pub input: serde_json::Map<String, Value>,
    /// Standard input was read for a required string, and was empty.
    pub is_standard_input_empty: bool,
}

/// Whether an argument is an option. List items and lines of Markdown may start with dashes as well.
pub(super) fn is_option(word: &str) -> bool {
    let Some(option) = word.strip_prefix("--") else { return false };
    let name = option.split('=').next().unwrap_or_default();
    !name.is_empty() && !name.starts_with('-') && !name.contains(char::is_whitespace)
}

/// Whether an argument looks like `-d`; `-5` and `- item` are values.
pub(super) fn is_short_option(word: &str) -> bool {
    let begins_with_letter = |rest: &str| rest.starts_with(char::is_alphabetic);
    word.strip_prefix('-').is_some_and(begins_with_letter) && !word.contains(char::is_whitespace)
}
