//! What an eval file exports.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// The exports of an eval file, checked.
#[derive(Clone, Debug)]
pub struct EvalFile {
    /// The eval file, absolute.
    pub path: PathBuf,
    /// As the user typed it.
    pub shown_path: String,
    pub rows: EvalRows,
    /// In the order of the file; one named `default` if the file exports none. Not empty.
    pub variants: Vec<Variant>,
    /// Names of the scores, in the order of the file. Not empty.
    pub scores: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum EvalRows {
    /// A file of rows, absolute.
    File(PathBuf),
    /// An array, or what a function has returned.
    Objects(Vec<Map<String, Value>>),
}

/// What is run for each row: a prompt file with what replaces its own settings.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: String,
    /// The prompt file, absolute: of the variant, else of the eval file.
    pub file: PathBuf,
    /// As the user would name it in a message.
    pub shown_file: String,
    /// Replaces the model of the prompt file and those of `--models`.
    pub model: Option<String>,
    /// Replaces entries of `config.options` of the prompt file.
    pub options: Map<String, Value>,
    /// Replaces properties of the input of each row.
    pub input: Map<String, Value>,
    /// Replaces entries of `config.limits` of the prompt file.
    pub limits: Map<String, Value>,
}
