//! What was typed, where the texts are that it names, and what it gave. Must not know what it means.

use std::sync::Arc;

use serde_json::{Map, Value};

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
}

/// What a command line gives.
#[derive(Debug)]
pub(crate) struct Filled {
    /// The input.
    pub input: Map<String, Value>,
    /// Standard input was read for a string that is required, and there was nothing.
    pub is_standard_input_empty: bool,
}
