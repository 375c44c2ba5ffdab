//! Converts JSON Schema to the subset of OpenAPI that Gemini supports.

use serde_json::{Map, Value, json};

use crate::wire::tool_schema::{GEMINI, described};

pub(super) const FORMATS: &[&str] = &["date-time", "enum", "float", "double", "int32", "int64"];

const SUPPORTED_KEYS: [&str; 5] = ["description", "required", "format", "enum", "minLength"];

/// A tool's description, and its arguments with the field that can express them; `None` if it has none.
pub(super) fn of_tool(description: &str, schema: &Value) -> (String, Option<(&'static str, Value)>) {
    if is_empty_object(schema) {
        return (description.to_owned(), None);
    }
    if is_expressible(schema) {
        return (description.to_owned(), Some(("parameters", convert(schema))));
    }
    let (description, schema) = described(description, schema, &GEMINI);
    (description, Some(("parametersJsonSchema", schema)))
}

pub(super) fn parameters(schema: &Value) -> Option<Value> {
    if is_empty_object(schema) { None } else { Some(convert(schema)) }
}

/// Whether the service accepts the converted schema, and it says the same but for limits of single values.
fn is_expressible(schema: &Value) -> bool {
    let Some(keywords) = schema.as_object() else { return false };
    let kind = match keywords.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => {
            let mut others = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            let only = others.next().unwrap_or_default();
            if others.next().is_some() {
                return false;
            }
            only
        }
        _ => "",
    };
    let is_whole = match kind {
        "array" => keywords.get("items").is_some_and(Value::is_object),
        "object" => keywords.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty()),
        "string" | "number" | "integer" | "boolean" => true,
        _ => keywords.contains_key("anyOf"),
    };
    is_whole && keywords.iter().all(|(keyword, value)| is_expressible_keyword(keyword, value, keywords))
}

fn is_expressible_keyword(keyword: &str, value: &Value, keywords: &Map<String, Value>) -> bool {
    /// Keywords that are left out, as they only describe or limit a value.
    const LEFT_OUT: [&str; 18] = [
        "$schema",
        "$id",
        "$comment",
        "title",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "pattern",
        "maxLength",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    ];
    match keyword {
        "type" | "description" | "minLength" | "uniqueItems" => true,
        "required" => {
            let properties = keywords.get("properties").and_then(Value::as_object);
            let is_known =
                |name: &Value| properties.is_some_and(|all| name.as_str().is_some_and(|name| all.contains_key(name)));
            value.as_array().is_some_and(|names| names.iter().all(is_known))
        }
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        "enum" => value
            .as_array()
            .is_some_and(|values| values.iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty()))),
        "const" => value.is_string(),
        "properties" => value
            .as_object()
            .is_some_and(|all| all.iter().all(|(name, property)| is_parameter_name(name) && is_expressible(property))),
        "items" => is_expressible(value),
        "additionalProperties" => value.is_boolean(),
        "anyOf" => {
            let is_null = |part: &&Value| part.get("type").is_some_and(|kind| kind == "null");
            let (null, others): (Vec<&Value>, Vec<&Value>) = value.as_array().into_iter().flatten().partition(is_null);
            // Next to several alternatives, nothing else is accepted.
            let is_alone = keywords.len() == 1 && null.is_empty();
            (others.len() == 1 || is_alone) && others.into_iter().all(is_expressible)
        }
        keyword => LEFT_OUT.contains(&keyword),
    }
}

fn is_parameter_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.len() <= 64 && name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit())
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
    let Some(schema) = schema.as_object() else { return json!({}) };
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
    if let Some(items) = schema.get("items") {
        result.insert("items".into(), convert(items));
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
    let others: Vec<&Value> = kinds.iter().filter(|kind| *kind != "null").collect();
    match others.as_slice() {
        [] => drop(result.insert("type".into(), "null".into())),
        [one] => drop(result.insert("type".into(), (*one).clone())),
        several => drop(result.insert("anyOf".into(), several.iter().map(|kind| json!({ "type": kind })).collect())),
    }
    if others.len() < kinds.len() && !others.is_empty() {
        result.insert("nullable".into(), true.into());
    }
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
                "choice": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
                "list": { "type": "array", "minItems": 2, "items": { "type": "number", "format": "float" } }
            },
            "required": ["name"],
            "additionalProperties": false
        });
        assert_eq!(
            of_tool("", &schema).1,
            Some((
                "parameters",
                json!({
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": { "type": "string", "minLength": 1 },
                        "kind": { "type": "string", "enum": ["fixed"] },
                        "count": { "type": "integer", "nullable": true },
                        "either": { "type": "string", "description": "or nothing", "nullable": true },
                        "choice": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
                        "list": { "type": "array", "items": { "type": "number", "format": "float" } }
                    }
                })
            ))
        );
    }

    #[test]
    fn an_object_without_properties_has_no_parameters() {
        assert_eq!(
            of_tool("d", &json!({ "type": "object", "properties": {}, "additionalProperties": false })),
            ("d".to_owned(), None)
        );
    }

    #[test]
    fn what_parameters_cannot_say_is_sent_as_json_schema() {
        let string = json!({ "type": "string" });
        let parts = [
            ("one of", json!({ "oneOf": [string, { "type": "null" }] })),
            ("all of", json!({ "allOf": [string] })),
            ("several or null", json!({ "anyOf": [string, { "type": "number" }, { "type": "null" }] })),
            ("described alternatives", json!({ "anyOf": [string, { "type": "number" }], "description": "d" })),
            ("reference", json!({ "$ref": "#" })),
            ("several types", json!({ "type": ["string", "number"] })),
            ("list of anything", json!({ "type": "array" })),
            ("tuple", json!({ "type": "array", "items": [string] })),
            ("later tuple", json!({ "type": "array", "prefixItems": [string] })),
            ("map", json!({ "type": "object", "additionalProperties": string })),
            ("empty object", json!({ "type": "object", "properties": {} })),
            ("anything", json!({})),
            ("true", json!(true)),
            ("numbers", json!({ "type": "number", "enum": [1, 2] })),
            ("constant", json!({ "const": 1 })),
            ("empty value", json!({ "type": "string", "enum": ["", "a"] })),
            ("unknown name", json!({ "type": "object", "properties": { "b": string }, "required": ["c"] })),
            ("address", json!({ "type": "string", "format": "email" })),
        ];
        for (name, part) in parts {
            let schema = json!({ "type": "object", "properties": { "a": part } });
            assert_eq!(of_tool("", &schema).1.map(|(field, _)| field), Some("parametersJsonSchema"), "{name}");
        }
        let odd = json!({ "type": "object", "properties": { "größe": string } });
        assert_eq!(of_tool("", &odd).1.map(|(field, _)| field), Some("parametersJsonSchema"));
    }
}
