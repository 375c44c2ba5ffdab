//! What was typed, where the texts are that it names, and what it gave. Must not know what it means.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::property::Declaration;

/// Texts that words only name. Reading may block.
pub(crate) trait Sources: Send + Sync {
    /// The text of a file; `path` counts from the working directory.
    ///
    /// # Errors
    /// Says why it cannot be read: `there is no such file`.
    fn file(&self, path: &str) -> Result<String, String>;

    /// All of standard input.
    ///
    /// # Errors
    /// Says why it cannot be read.
    fn standard_input(&self) -> Result<String, String>;

    /// Whether somebody would have to type what [`Sources::standard_input`] gives.
    fn is_terminal(&self) -> bool;

    /// Whether nothing is waited for: every text is known already.
    fn is_at_hand(&self) -> bool {
        false
    }
}

/// What was typed for a prompt file.
#[derive(Clone)]
pub(crate) struct CommandLine {
    /// The command up to the file, for usage lines: `lmthing run weather.lmt.mjs`.
    pub command: String,
    /// What stands behind the file.
    pub words: Vec<String>,
    /// The whole input (`run --input`).
    pub whole: Option<String>,
    /// Whether a program hands the input in, which knows properties and neither options nor commands.
    pub is_call: bool,
    /// The options of the command itself, without dashes. They are only known to tell where they belong.
    pub own_options: fn() -> Vec<String>,
    /// Where the texts are that words name.
    pub sources: Arc<dyn Sources>,
    /// What the file takes, when another run of it has told.
    pub taken: Option<Arc<Taken>>,
}

/// What a file takes. To make it of a schema of zod is a good part of a short run.
pub(crate) struct Taken {
    /// As JSON Schema, with the keyword `tsType` at dates and big integers.
    pub shape: Value,
    /// As it is typed.
    pub declaration: Declaration,
}

impl CommandLine {
    /// A line on which nothing is typed; nothing is piped into it either.
    pub(crate) fn without_words(command: String) -> Self {
        let (words, own_options, sources) = (Vec::new(), Vec::new as fn() -> _, Arc::new(Nothing));
        CommandLine { command, words, whole: None, is_call: false, own_options, sources, taken: None }
    }

    /// A line without words, for which the whole input is known, as JSON. Words in it that begin with `@` name no files.
    pub(crate) fn known(command: String, input: String, own_options: fn() -> Vec<String>) -> Self {
        let (words, whole) = (Vec::new(), Some("-".to_owned()));
        CommandLine { command, words, whole, is_call: false, own_options, sources: Arc::new(Known(input)), taken: None }
    }
}

/// No texts at all.
struct Nothing;

impl Sources for Nothing {
    fn file(&self, _path: &str) -> Result<String, String> {
        Err("there is no such file or folder".to_owned())
    }

    fn standard_input(&self) -> Result<String, String> {
        Ok(String::new())
    }

    fn is_terminal(&self) -> bool {
        true
    }

    fn is_at_hand(&self) -> bool {
        true
    }
}

/// Only the input that is known, as standard input.
struct Known(String);

impl Sources for Known {
    fn file(&self, _path: &str) -> Result<String, String> {
        Err("the input was read before".to_owned())
    }

    fn standard_input(&self) -> Result<String, String> {
        Ok(self.0.clone())
    }

    fn is_terminal(&self) -> bool {
        false
    }

    fn is_at_hand(&self) -> bool {
        true
    }
}

/// What a command line gives.
#[derive(Debug)]
pub(crate) struct Filled {
    /// The input.
    pub input: Map<String, Value>,
    /// Standard input was read for a string that is required, and there was nothing.
    pub is_standard_input_empty: bool,
}
