//! Reads tasks of prompt files and models: lenient where the meaning is clear, exact about what is wrong.

use serde_json::{Map, Value};
use thiserror::Error;

use super::refusal::ToolRefusal;
use lmthing_base::diagnostic::json_kind;

/// Tasks with a wrong shape; one sentence per fault, with task and field.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", .0.join("; "))]
pub struct ShapeError(pub Vec<String>);

/// The fields of one object. Those that are not read are the user's own.
pub(super) struct TaskFields {
    label: String,
    map: Map<String, Value>,
    faults: Vec<String>,
}

impl TaskFields {
    /// `label` names the object in messages, such as `tasks[2]`.
    pub(super) fn new(value: &Value, label: &str) -> Result<Self, ShapeError> {
        match value {
            Value::Object(map) => {
                let map: Map<String, Value> =
                    // Models write `null` for fields that they leave out.
                    map.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect();
                let label = match map.get("id") {
                    Some(Value::String(id)) => format!("{label} (\"{id}\")"),
                    _ => label.to_owned(),
                };
                Ok(TaskFields { label, map, faults: Vec::new() })
            }
            other => Err(ShapeError(vec![format!("{label} must be an object, not {}", json_kind(other))])),
        }
    }

    pub(super) fn fault(&mut self, text: impl AsRef<str>) {
        self.faults.push(format!("{}: {}", self.label, text.as_ref()));
    }

    /// A string; numbers and booleans are converted. `None` if absent or `null`.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let value = self.map.shift_remove(key)?;
        let text = scalar_text(&value);
        if text.is_none() {
            self.fault(format!("{key} must be a string, not {}", json_kind(&value)));
        }
        text
    }

    /// A string; other JSON values become compact JSON. For results, which models also give as objects.
    pub(super) fn text_or_json(&mut self, key: &str) -> Option<String> {
        self.map.shift_remove(key).map(|value| any_text(&value))
    }

    /// A non-blank string. Otherwise records a fault and returns an empty string.
    pub(super) fn required_text(&mut self, key: &str) -> String {
        let faults = self.faults.len();
        match self.text(key) {
            Some(text) if !text.trim().is_empty() => text,
            _ => {
                // A wrong type was recorded already.
                if self.faults.len() == faults {
                    self.fault(format!("{key} is missing; it must be a non-empty string"));
                }
                String::new()
            }
        }
    }

    /// An array of strings. Absent and `null` are empty, and a single string is an array of one.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        match self.map.shift_remove(key) {
            None => Vec::new(),
            Some(Value::String(text)) if text.trim().is_empty() => Vec::new(),
            Some(Value::Array(items)) => {
                let texts: Option<Vec<String>> = items.iter().map(scalar_text).collect();
                texts.unwrap_or_else(|| {
                    self.fault(format!("{key} must be an array of strings"));
                    Vec::new()
                })
            }
            Some(value) => scalar_text(&value).map(|text| vec![text]).unwrap_or_else(|| {
                self.fault(format!("{key} must be an array of strings, not {}", json_kind(&value)));
                Vec::new()
            }),
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.shift_remove(key)
    }

    pub(super) fn finish(self) -> Result<Map<String, Value>, ShapeError> {
        if self.faults.is_empty() { Ok(self.map) } else { Err(ShapeError(self.faults)) }
    }
}

/// Reads each element of an array, collecting the faults of all of them. A string with a JSON array is accepted, because models
/// send those.
pub(super) fn read_array<T>(
    value: &Value,
    name: &str,
    read: impl Fn(&Value, &str) -> Result<T, ShapeError>,
) -> Result<Vec<T>, ShapeError> {
    let parsed;
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => {
                parsed = items;
                &parsed
            }
            _ => return Err(ShapeError(vec![format!("{name} must be an array of tasks, not a string")])),
        },
        other => return Err(ShapeError(vec![format!("{name} must be an array of tasks, not {}", json_kind(other))])),
    };
    let mut tasks = Vec::with_capacity(items.len());
    let mut faults = Vec::new();
    for (position, item) in items.iter().enumerate() {
        match read(item, &format!("{name}[{position}]")) {
            Ok(task) => tasks.push(task),
            Err(ShapeError(found)) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(tasks) } else { Err(ShapeError(faults)) }
}

/// Normalizes a status: `In-Progress` becomes `in_progress`.
pub(super) fn normalized_status(text: &str) -> String {
    text.trim().to_lowercase().replace(['-', ' '], "_")
}

/// A tool argument that must be a non-blank string; a number is converted.
pub(super) fn argument(input: &Value, key: &str) -> Result<String, ToolRefusal> {
    let given = input.get(key).filter(|value| !value.is_null());
    match given.and_then(scalar_text) {
        Some(text) if !text.trim().is_empty() => Ok(text),
        _ => {
            let found = given.map(|value| format!(", not {}", json_kind(value))).unwrap_or_default();
            Err(ToolRefusal::new(format!("Missing {key}"), format!("\"{key}\" must be a non-empty string{found}.")))
        }
    }
}

/// An optional argument; blank and `null` count as absent, values other than strings become compact JSON.
pub(super) fn optional_argument(input: &Value, key: &str) -> Option<String> {
    input.get(key).filter(|value| !value.is_null()).map(any_text).filter(|text| !text.trim().is_empty())
}

fn any_text(value: &Value) -> String {
    scalar_text(value).unwrap_or_else(|| value.to_string())
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
