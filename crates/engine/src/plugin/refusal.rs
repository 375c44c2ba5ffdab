//! Results of tools that refuse a request.

use serde_json::{Map, Value, json};

/// How many ids a message lists: a model that is lost needs some, not all of 500.
const LISTED_IDS: usize = 30;

/// Why a transition was refused. It becomes the tool's result, and the state is unchanged.
#[derive(Debug)]
pub(super) struct ToolRefusal {
    /// A short description, such as `Task not found: 9`.
    error: String,
    /// A full sentence that also says what to do instead.
    message: String,
    details: Map<String, Value>,
}

impl ToolRefusal {
    pub(super) fn new(error: impl Into<String>, message: impl Into<String>) -> Self {
        ToolRefusal { error: error.into(), message: message.into(), details: Map::new() }
    }

    pub(super) fn unknown_task<'a>(task_id: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let message = format!("There is no task \"{task_id}\". {}.", known_ids(known));
        ToolRefusal::new(format!("Task not found: {task_id}"), message).with("taskId", json!(task_id))
    }

    pub(super) fn with(mut self, key: &str, value: Value) -> Self {
        self.details.insert(key.to_owned(), value);
        self
    }

    /// The tool's result: `{success: false, …details, error, message}`.
    pub(super) fn into_value(self) -> Value {
        let mut result = Map::new();
        result.insert("success".to_owned(), Value::Bool(false));
        result.extend(self.details);
        result.insert("error".to_owned(), Value::String(self.error));
        result.insert("message".to_owned(), Value::String(self.message));
        Value::Object(result)
    }
}

/// `Known tasks: a, b, c`, shortened if there are many.
fn known_ids<'a>(known: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = known.collect();
    match all.len() {
        0 => "There are no tasks yet".to_owned(),
        count if count <= LISTED_IDS => format!("Known tasks: {}", all.join(", ")),
        count => format!("Known tasks: {} and {} more", all[..LISTED_IDS].join(", "), count - LISTED_IDS),
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Example: `"a", "b"`.
pub(super) fn quoted<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> String {
    ids.into_iter().map(|id| format!("\"{}\"", id.as_ref())).collect::<Vec<_>>().join(", ")
}

pub(super) fn count_tasks(count: usize) -> String {
    format!("{count} task{}", if count == 1 { "" } else { "s" })
}

/// Removes the brackets that the status section puts around an id, and that models copy.
pub(super) fn strip_brackets(task_id: &str) -> &str {
    let trimmed = task_id.trim();
    trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(trimmed)
}
