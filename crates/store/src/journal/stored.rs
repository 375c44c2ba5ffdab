//! The stored form of a run's start, entries and events, without secrets.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use lmthing_base::checkpoint::{Entry, StateText, StoredFuture};

/// Why a state with a secret counts as one that cannot be stored.
const HOLDS_SECRET: &str = "it holds a secret";

/// The option with the id of the Restate invocation that a run belongs to. Restate resumes such a run; resuming it by hand would
/// repeat work.
pub const INVOCATION: &str = "invocation";

/// The option with the texts of `--say`.
pub const SAY: &str = "say";

/// The option of runs that are conversations.
pub const CHAT: &str = "chat";

/// How the text of an entry with settings of the user begins.
pub(super) const CHOSEN: &str = r#"{"chosen""#;

/// How the text of an entry with texts to say begins.
pub(super) const TO_SAY: &str = r#"{"to-say""#;

pub trait SecretFilter {
    /// Replaces them in all texts of a value.
    fn replace(&self, value: &mut Value);

    /// Whether a text contains one; the text may be that of a whole value.
    fn contain_secret(&self, text: &str) -> bool;
}

/// Stores a copy of each entry that is written.
pub trait EntryMirror {
    /// Copies an entry. `is_over` says whether it ends a step.
    fn copy_entry(&self, key: &str, text: String, is_over: bool);

    /// See [`lmthing_base::checkpoint::Checkpoints::stored`].
    fn stored(&self) -> Option<StoredFuture<'static>>;
}

/// How a run was started: all that another process needs to start it again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunStart {
    /// An absolute path.
    pub file: PathBuf,
    /// The file as it was named.
    pub shown: String,
    pub directory: PathBuf,
    /// The arguments after the file.
    pub words: Vec<String>,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// The whole input as it was read, including texts of files and standard input, before validation; `None` if the file takes
    /// none.
    pub input: Option<Map<String, Value>>,
    /// `-m`.
    pub model: Option<String>,
    /// `--mock`, as an absolute path.
    pub mock: Option<PathBuf>,
    /// `--env-file`, as absolute paths.
    pub env_files: Vec<PathBuf>,
    /// Why no other process can resume it, as the end of a sentence.
    pub not_resumable: Option<String>,
    /// Other options that matter for another start, by name.
    pub options: BTreeMap<String, Value>,
}

impl RunStart {
    /// Replaces secrets. A run whose arguments or input contain some cannot be started again.
    pub(super) fn without_secrets(&mut self, secrets: &dyn SecretFilter) {
        if serde_json::to_string(&*self).is_ok_and(|text| !secrets.contain_secret(&text)) {
            return;
        }
        let before = serde_json::to_value(&*self).unwrap_or_default();
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

pub(super) fn entry_text(mut entry: Entry, secrets: &dyn SecretFilter) -> serde_json::Result<String> {
    let text = serde_json::to_string(&entry)?;
    if !secrets.contain_secret(&text) {
        return Ok(text);
    }
    lose_secret_states(&mut entry, secrets);
    let mut value = serde_json::to_value(&entry)?;
    // A remaining state has no secret; replacing could change its notation.
    secrets.replace(&mut value);
    serde_json::to_string(&value)
}

/// Whether the entry ends a step. The last step of the file's own prompt ends with the run.
pub(super) fn is_step_over(key: &str, entry: &Entry) -> bool {
    match entry {
        Entry::StepEnds { .. } => true,
        Entry::Ends => !key.is_empty(),
        _ => false,
    }
}

pub(super) fn line_text(line: String, secrets: &dyn SecretFilter) -> String {
    if !secrets.contain_secret(&line) {
        return line;
    }
    // As a value: a secret may be next to a quote, and the line has to stay JSON.
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else { return line };
    secrets.replace(&mut value);
    value.to_string()
}

pub(super) fn plain_text(text: String, secrets: &dyn SecretFilter) -> String {
    if !secrets.contain_secret(&text) {
        return text;
    }
    let mut value = Value::String(text);
    secrets.replace(&mut value);
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn lose_secret_states(entry: &mut Entry, secrets: &dyn SecretFilter) {
    let Some(memory) = entry.memory_mut() else { return };
    for text in memory.states.values_mut() {
        if matches!(text, Some(StateText::Value(value)) if secrets.contain_secret(value.get())) {
            *text = Some(StateText::Lost(HOLDS_SECRET.to_owned()));
        }
    }
}

#[cfg(test)]
impl SecretFilter for () {
    fn replace(&self, _value: &mut Value) {}

    fn contain_secret(&self, _text: &str) -> bool {
        false
    }
}
