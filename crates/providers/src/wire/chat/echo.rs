//! Data that servers require back with the assistant's message: reasoning details (OpenRouter and others) and
//! `extra_content` (signatures of Gemini's compatible API).

use serde_json::{Map, Value, json};

use crate::wire::values::metadata;
use lmthing_base::chat::ProviderOptions;

const STREAMED_FIELDS: [&str; 3] = ["text", "summary", "data"];

#[derive(Debug, Default)]
pub(super) struct Echo {
    details: Vec<Map<String, Value>>,
    extra_content: Option<Value>,
    has_new: bool,
}

impl Echo {
    pub(super) fn details(&mut self, details: Value) -> String {
        let details = match details {
            Value::Array(details) => details,
            Value::Object(_) => vec![details],
            _ => Vec::new(),
        };
        let mut shown = String::new();
        for detail in details {
            let Value::Object(detail) = detail else { continue };
            let text = |key: &str| detail.get(key).and_then(Value::as_str);
            shown.push_str(text("text").or_else(|| text("summary")).unwrap_or_default());
            self.has_new = true;
            let numbered = detail.get("index").is_some_and(|index| !index.is_null());
            let nearest = if numbered { self.details.len() } else { 1 };
            match self.details.iter_mut().rev().take(nearest).find(|known| continues(known, &detail)) {
                Some(known) => append_piece(known, detail),
                None => self.details.push(detail),
            }
        }
        shown
    }

    pub(super) fn extra_content(&mut self, extra: Value) {
        if !extra.is_object() {
            return;
        }
        self.has_new = true;
        match &mut self.extra_content {
            Some(known) => merge(known, extra),
            None => self.extra_content = Some(extra),
        }
    }

    pub(super) fn take_new(&mut self, provider: &str) -> Option<ProviderOptions> {
        if !std::mem::take(&mut self.has_new) {
            return None;
        }
        let details = (!self.details.is_empty()).then(|| ("reasoningDetails", json!(self.details)));
        let extra = self.extra_content.clone().map(|extra| ("extraContent", extra));
        Some(metadata(provider, details.into_iter().chain(extra)))
    }
}

pub(super) fn thought_signature(signature: &Value) -> Value {
    json!({ "google": { "thought_signature": signature } })
}

/// Whether a detail continues a known one. Details have an index; without one, a signature or data ends a detail.
fn continues(known: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let given = |detail: &Map<String, Value>, key: &str| detail.get(key).filter(|value| !value.is_null()).cloned();
    let same = |key: &str| given(known, key) == given(piece, key);
    // Several calls may have details with the same index and different ids.
    let same_id = same("id") || given(known, "id").is_none() || given(piece, "id").is_none();
    if !same("type") || !same("index") || !same_id {
        return false;
    }
    given(piece, "index").is_some() || (given(known, "data").is_none() && given(known, "signature").is_none())
}

fn append_piece(known: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (key, value) in piece {
        match (known.get_mut(&key), value) {
            (_, Value::Null) => {
                known.entry(key).or_insert(Value::Null);
            }
            (Some(Value::String(text)), Value::String(more)) if STREAMED_FIELDS.contains(&key.as_str()) => {
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
