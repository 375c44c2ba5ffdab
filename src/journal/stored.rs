//! What is written down of a run, without its secrets. Must not know tables.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::checkpoint::{Entry, MemoryChange, StateText};

/// Why a state with a secret in it counts as one that cannot be stored.
const HOLDS_SECRET: &str = "it holds a secret";

/// Under which name the options of a run have the invocation of Restate that it belongs to. Restate goes on with it; who did so by
/// hand would do what has been done elsewhere.
pub(crate) const INVOCATION: &str = "invocation";

/// How the entry begins with which a step is over.
pub(super) const STEP_ENDS: &str = r#"{"step-ends":"#;

/// Knows the secrets of a run.
pub(crate) trait Secrets {
    /// Replaces them in all texts of a value.
    fn replace(&self, value: &mut Value);

    /// Whether there is one in a text; it may be that of a whole value.
    fn are_in(&self, text: &str) -> bool;
}

/// What a run was started with: all that another process needs to start it once more.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Start {
    /// The prompt file, as an absolute path.
    pub file: PathBuf,
    /// As it was named.
    pub shown: String,
    /// The working directory.
    pub directory: PathBuf,
    /// What stood behind the file.
    pub words: Vec<String>,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// The whole input as it was read, with the texts of files and of standard input in it, before its schema has seen
    /// it; `None` when the file takes none.
    pub input: Option<Map<String, Value>>,
    /// `-m`.
    pub model: Option<String>,
    /// `--mock`, as an absolute path.
    pub mock: Option<PathBuf>,
    /// `--env-file`s, as absolute paths.
    pub env_files: Vec<PathBuf>,
    /// Why no other process can go on with it, as the end of a sentence.
    pub not_resumable: Option<String>,
    /// Other options that matter to whoever starts it again, by their names.
    pub options: BTreeMap<String, Value>,
}

impl Start {
    /// As it is stored. What is secret is replaced; a run whose words or input change by that cannot be started again.
    pub(super) fn without_secrets(&mut self, secrets: &dyn Secrets) {
        let before = serde_json::to_value(&*self).unwrap_or_default();
        if !secrets.are_in(&before.to_string()) {
            return;
        }
        let mut after = before.clone();
        secrets.replace(&mut after);
        let changed: Vec<&str> = ["words", "input"].into_iter().filter(|name| after[name] != before[name]).collect();
        if let Ok(start) = serde_json::from_value(after.clone()) {
            *self = start;
        }
        if !changed.is_empty() {
            self.not_resumable = Some("its input holds a secret, which is not stored".to_owned());
        }
    }
}

/// An entry as it is stored.
pub(super) fn entry_text(mut entry: Entry, secrets: &dyn Secrets) -> serde_json::Result<String> {
    let text = serde_json::to_string(&entry)?;
    if !secrets.are_in(&text) {
        return Ok(text);
    }
    lose_secret_states(&mut entry, secrets);
    let mut value = serde_json::to_value(&entry)?;
    // A state that is left has none; going through it may only change how it is written.
    secrets.replace(&mut value);
    serde_json::to_string(&value)
}

/// Whether a step is over with an entry that is stored as this text. The last one of the file's own prompt is over with the run.
pub(super) fn is_step_over(key: &str, text: &str) -> bool {
    text.starts_with(STEP_ENDS) || text == r#""ends""# && !key.is_empty()
}

/// A line of JSON as it is stored.
pub(super) fn line_text(line: String, secrets: &dyn Secrets) -> String {
    if !secrets.are_in(&line) {
        return line;
    }
    // As values: a secret may be next to a quote, and the line has to stay JSON.
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else { return line };
    secrets.replace(&mut value);
    value.to_string()
}

/// A text of a model as it is stored.
pub(super) fn plain_text(text: String, secrets: &dyn Secrets) -> String {
    if !secrets.are_in(&text) {
        return text;
    }
    let mut value = Value::String(text);
    secrets.replace(&mut value);
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn lose_secret_states(entry: &mut Entry, secrets: &dyn Secrets) {
    let Some(memory) = memory(entry) else { return };
    for text in memory.states.values_mut() {
        if matches!(text, Some(StateText::Value(value)) if secrets.are_in(value.get())) {
            *text = Some(StateText::Lost(HOLDS_SECRET.to_owned()));
        }
    }
}

fn memory(entry: &mut Entry) -> Option<&mut MemoryChange> {
    match entry {
        Entry::Answered(answered) => Some(&mut answered.memory),
        Entry::CallEnds(end) => Some(&mut end.memory),
        Entry::StepEnds { memory, .. } | Entry::Part { memory, .. } | Entry::Remembers { memory, .. } => Some(memory),
        Entry::CallBegins { .. } | Entry::Waits(_) | Entry::Decided { .. } | Entry::Ends => None,
    }
}

/// Knows no secrets.
#[cfg(test)]
impl Secrets for () {
    fn replace(&self, _value: &mut Value) {}

    fn are_in(&self, _text: &str) -> bool {
        false
    }
}
