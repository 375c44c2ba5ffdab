//! What a server wants back with the assistant's message just as it came: the details of its reasoning, as OpenRouter
//! and its like send them, and `extra_content`, in which Gemini's front has its signatures.

use serde_json::{Map, Value, json};

use crate::{chat::ProviderOptions, provider::wire::values::metadata};

/// The parts of a detail that arrive in pieces.
const STREAMED: [&str; 3] = ["text", "summary", "data"];

/// What has come of it so far.
#[derive(Debug, Default)]
pub(super) struct Echo {
    details: Vec<Map<String, Value>>,
    extra_content: Option<Value>,
    /// Something came that has not been handed out yet.
    unsent: bool,
}

impl Echo {
    /// Takes `reasoning_details` of a delta; gives back the text in them that is for people.
    pub(super) fn details(&mut self, details: Value) -> String {
        let details = match details {
            Value::Array(details) => details,
            Value::Object(_) => vec![details],
            _ => Vec::new(),
        };
        let mut shown = String::new();
        for detail in details {
            let Value::Object(detail) = detail else { continue };
            let said = |key: &str| detail.get(key).and_then(Value::as_str);
            shown.push_str(said("text").or_else(|| said("summary")).unwrap_or_default());
            self.unsent = true;
            let numbered = detail.get("index").is_some_and(|index| !index.is_null());
            // Without a number only the last one can be meant.
            let nearest = if numbered { self.details.len() } else { 1 };
            match self.details.iter_mut().rev().take(nearest).find(|known| goes_on(known, &detail)) {
                Some(known) => join(known, detail),
                None => self.details.push(detail),
            }
        }
        shown
    }

    /// Takes `extra_content` of a delta.
    pub(super) fn extra_content(&mut self, extra: Value) {
        if !extra.is_object() {
            return;
        }
        self.unsent = true;
        match &mut self.extra_content {
            Some(known) => merge(known, extra),
            None => self.extra_content = Some(extra),
        }
    }

    /// All of it as metadata, when there is something new; what was handed out before is in it again.
    pub(super) fn unsent(&mut self, provider: &str) -> Option<ProviderOptions> {
        if !std::mem::take(&mut self.unsent) {
            return None;
        }
        let details = (!self.details.is_empty()).then(|| ("reasoningDetails", json!(self.details)));
        let extra = self.extra_content.clone().map(|extra| ("extraContent", extra));
        Some(metadata(provider, details.into_iter().chain(extra)))
    }
}

/// A thought signature as Gemini's front has it in the `extra_content` of a call.
pub(super) fn thought_signature(signature: &Value) -> Value {
    json!({ "google": { "thought_signature": signature } })
}

/// Whether a detail is a further piece of a known one. Pieces are told by their index; without one, a signature or data
/// is the end of a detail.
fn goes_on(known: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let given = |detail: &Map<String, Value>, key: &str| detail.get(key).filter(|value| !value.is_null()).cloned();
    let same = |key: &str| given(known, key) == given(piece, key);
    // Calls of one answer may each bring a detail of the same index, with an id of its own.
    let same_id = same("id") || given(known, "id").is_none() || given(piece, "id").is_none();
    if !same("type") || !same("index") || !same_id {
        return false;
    }
    given(piece, "index").is_some() || (given(known, "data").is_none() && given(known, "signature").is_none())
}

fn join(known: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (key, value) in piece {
        match (known.get_mut(&key), value) {
            (_, Value::Null) => {
                known.entry(key).or_insert(Value::Null);
            }
            // Data that comes a second time is said again, not continued.
            (Some(Value::String(text)), Value::String(more)) if STREAMED.contains(&key.as_str()) => {
                if key != "data" || *text != more {
                    text.push_str(&more);
                }
            }
            (_, value) => {
                known.insert(key, value);
            }
        }
    }
}

/// Lays an object over another, key by key.
fn merge(known: &mut Value, over: Value) {
    match (known, over) {
        (Value::Object(known), Value::Object(over)) => {
            for (key, value) in over {
                merge(known.entry(key).or_insert(Value::Null), value);
            }
        }
        (known, over) => *known = over,
    }
}
