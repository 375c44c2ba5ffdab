//! Hashes of prompt files and inputs, and idempotency keys of remote runs.

use std::{
    collections::{BTreeMap, BTreeSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    path::PathBuf,
};

use serde_json::{Map, Value, value::RawValue};
use sha2::{Digest, Sha256};

/// Hash of the contents of all files. Missing files are skipped.
pub fn hash_files(files: &BTreeSet<PathBuf>) -> String {
    let mut hash = Sha256::new();
    for contents in files.iter().filter_map(|file| std::fs::read(file).ok()) {
        hash.update((contents.len() as u64).to_le_bytes());
        hash.update(&contents);
    }
    hex(&hash.finalize())
}

/// Hash of an input, independent of the order of its keys. Not stable across processes.
pub(super) fn hash_input(input: &Map<String, Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_object(input, &mut hasher);
    hasher.finish()
}

pub(super) fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn fresh_salt() -> String {
    let mut random = [0_u8; 16];
    if getrandom::fill(&mut random).is_err() {
        random.fill_with(|| fastrand::u8(..));
    }
    hex(&random)
}

/// Idempotency key of a run on a Restate server. It depends on its arguments only, not on the process or the order of
/// keys.
pub(super) fn idempotency_key(
    salt: &str,
    service: &str,
    input: &Map<String, Value>,
    (copy, failures): (u32, u32),
) -> String {
    let mut hash = Sha256::new();
    for part in [salt, service, &sorted(&Value::Object(input.clone())).to_string()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(copy.to_le_bytes());
    hash.update(failures.to_le_bytes());
    hex(&hash.finalize()[..20])
}

/// Hash of an input, independent of the order of its keys and stable across processes and versions.
pub fn stable_hash(input: &Map<String, Value>) -> String {
    hash_of(&sorted(&Value::Object(input.clone())).to_string())
}

/// A short hash of a text, stable across processes and versions.
pub fn hash_of(text: &str) -> String {
    hex(&Sha256::digest(text)[..16])
}

/// Fields of requests that limits of the run change, and those within other fields.
const LIMITS: [&str; 3] = ["max_output_tokens", "max_completion_tokens", "max_tokens"];
const INNER_LIMITS: [(&str, &str); 2] = [("generationConfig", "maxOutputTokens"), ("thinking", "budget_tokens")];

/// A hash of the body of a request. How long the answer may be is no part of what it asks, and left out; whether there
/// is a limit counts, as a model may refuse the field.
pub(crate) fn hash_of_request(body: &RawValue) -> String {
    let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(body.get()) else {
        return hash_of(body.get());
    };
    let mut hash = Sha256::new();
    for (name, field) in &fields {
        hash.update(format!("{name:?}:"));
        match INNER_LIMITS.iter().find(|(outer, _)| name == outer) {
            Some((_, limit)) => hash.update(without(field, limit)),
            None if LIMITS.contains(&name.as_str()) => {}
            None => hash.update(field.get()),
        }
    }
    hex(&hash.finalize()[..16])
}

fn without(object: &RawValue, limit: &str) -> String {
    let mut object: Value = serde_json::from_str(object.get()).unwrap_or_default();
    object.get_mut(limit).map(Value::take);
    object.to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(&String, &Value)> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash_object(object: &Map<String, Value>, hasher: &mut DefaultHasher) {
    let mut keys: Vec<&String> = object.keys().collect();
    keys.sort_unstable();
    keys.len().hash(hasher);
    for key in keys {
        key.hash(hasher);
        hash_value(&object[key.as_str()], hasher);
    }
}

fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Object(object) => hash_object(object, hasher),
        Value::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash_value(item, hasher));
        }
        other => other.to_string().hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_change_hashes() {
        let hash = |value: Value| hash_input(value.as_object().unwrap());
        assert_eq!(
            hash(json!({ "a": 1, "b": { "c": [1], "d": 2 } })),
            hash(json!({ "b": { "d": 2, "c": [1] }, "a": 1 }))
        );
        assert_ne!(hash(json!({ "a": "1" })), hash(json!({ "a": 1 })));
        let key = |value: Value, of| idempotency_key("salt", "p", value.as_object().unwrap(), of);
        let first = key(json!({ "a": [{ "x": 1, "y": 2 }], "b": 1 }), (0, 0));
        assert_eq!(first, key(json!({ "b": 1, "a": [{ "y": 2, "x": 1 }] }), (0, 0)));
        assert_ne!(first, key(json!({ "a": [{ "x": 1, "y": 2 }], "b": 1 }), (1, 0)));
        assert_ne!(first, key(json!({ "a": [{ "x": 1, "y": 2 }], "b": 1 }), (0, 1)));
    }
}
