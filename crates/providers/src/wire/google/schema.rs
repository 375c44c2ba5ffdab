//! Converts JSON Schema to the subset of OpenAPI that Gemini supports.

use serde_json::{Map, Value, json};

const SUPPORTED_KEYS: [&str; 5] = ["description", "required", "format", "enum", "minLength"];

pub(super) fn parameters(schema: &Value) -> Option<Value> {
    if is_empty_object(schema) { None } else { Some(convert(schema)) }
}

fn is_empty_object(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema.is_null() };
    let no_properties = schema.get("properties").is_none_or(|p| p.as_object().is_some_and(Map::is_empty));
    let open = match schema.get("additionalProperties") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(_) => true,
    };
    schema.get("type").and_then(Value::as_str) == Some("object") && no_properties && !open
}

fn convert(schema: &Value) -> Value {
    if is_empty_object(schema) {
        let mut empty = json!({ "type": "object" });
        if let Some(description) = schema.get("description") {
            empty["description"] = description.clone();
        }
        return empty;
    }
    let Some(schema) = schema.as_object() else {
        return json!({ "type": "boolean", "properties": {} });
    };
    let mut result = Map::new();
    for key in SUPPORTED_KEYS {
        if let Some(value) = schema.get(key).filter(|value| !value.is_null()) {
            result.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(constant) = schema.get("const") {
        result.insert("enum".into(), json!([constant]));
    }
    put_type(schema.get("type"), &mut result);
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let converted: Map<String, Value> =
            properties.iter().map(|(name, property)| (name.clone(), convert(property))).collect();
        result.insert("properties".into(), converted.into());
    }
    match schema.get("items") {
        Some(Value::Array(items)) => drop(result.insert("items".into(), all(items))),
        Some(items) if !items.is_null() => drop(result.insert("items".into(), convert(items))),
        _ => {}
    }
    for key in ["allOf", "oneOf"] {
        if let Some(Value::Array(items)) = schema.get(key) {
            result.insert(key.to_owned(), all(items));
        }
    }
    if let Some(Value::Array(items)) = schema.get("anyOf") {
        put_any_of(items, &mut result);
    }
    Value::Object(result)
}

fn all(items: &[Value]) -> Value {
    items.iter().map(convert).collect()
}

fn put_type(kind: Option<&Value>, result: &mut Map<String, Value>) {
    let Some(kind) = kind.filter(|kind| !kind.is_null()) else { return };
    let Some(kinds) = kind.as_array() else {
        result.insert("type".into(), kind.clone());
        return;
    };
    let others: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").map(|kind| json!({ "type": kind })).collect();
    if others.is_empty() {
        result.insert("type".into(), "null".into());
        return;
    }
    if others.len() < kinds.len() {
        result.insert("nullable".into(), true.into());
    }
    result.insert("anyOf".into(), others.into());
}

fn put_any_of(items: &[Value], result: &mut Map<String, Value>) {
    let is_null = |item: &&Value| item.get("type").and_then(Value::as_str) == Some("null");
    let others: Vec<&Value> = items.iter().filter(|item| !is_null(item)).collect();
    if others.len() == items.len() {
        result.insert("anyOf".into(), all(items));
        return;
    }
    result.insert("nullable".into(), true.into());
    if let [other] = others.as_slice() {
        if let Value::Object(converted) = convert(other) {
            result.extend(converted);
        }
        return;
    }
    result.insert("anyOf".into(), others.into_iter().map(convert).collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_subset_is_kept() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "default": "x" },
                "kind": { "const": "fixed", "type": "string" },
                "count": { "type": ["integer", "null"], "minimum": 1 },
                "either": { "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "or nothing" },
                "choice": { "anyOf": [{ "type": "string" }, { "type": "number" }, { "type": "null" }] },
                "anything": true,
                "nothing": { "type": "object", "properties": {}, "additionalProperties": false },
                "map": { "type": "object", "additionalProperties": { "type": "string" } },
                "list": { "type": "array", "minItems": 2, "items": { "type": "number", "format": "float" } }
            },
            "required": ["name"],
            "additionalProperties": false
        });
        assert_eq!(
            parameters(&schema),
            Some(json!({
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": { "type": "string", "minLength": 1 },
                    "kind": { "type": "string", "enum": ["fixed"] },
                    "count": { "anyOf": [{ "type": "integer" }], "nullable": true },
                    "either": { "type": "string", "description": "or nothing", "nullable": true },
                    "choice": { "anyOf": [{ "type": "string" }, { "type": "number" }], "nullable": true },
                    "anything": { "type": "boolean", "properties": {} },
                    "nothing": { "type": "object" },
                    "map": { "type": "object" },
                    "list": { "type": "array", "items": { "type": "number", "format": "float" } }
                }
            }))
        );
    }

    #[test]
    fn an_object_without_properties_has_no_parameters() {
        assert_eq!(parameters(&json!({ "type": "object", "properties": {}, "additionalProperties": false })), None);
    }
}
