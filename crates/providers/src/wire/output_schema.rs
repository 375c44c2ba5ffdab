//! Reduces JSON Schemas of outputs to the subset that a provider enforces.
//!
//! Unsupported keywords that only narrow a value (`minLength`) are removed: the model reads the whole schema in its
//! instructions, and the output is validated against it. With other unsupported keywords, there is no reduced schema.

use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct Subset {
    pub narrowing: &'static [&'static str],
    pub formats: &'static [&'static str],
    pub all_required: bool,
    pub references: References,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    None,
    Plain,
    Any,
}

pub(super) const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// OpenAI's strict mode, which other services copy.
pub(super) const STRICT: Subset = Subset {
    narrowing: &[
        "pattern",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    ],
    formats: FORMATS,
    all_required: true,
    references: References::Any,
};

const ANNOTATIONS: [&str; 9] =
    ["$schema", "$id", "$comment", "title", "default", "examples", "deprecated", "readOnly", "writeOnly"];

const NARROWING: [&str; 14] = [
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contentEncoding",
    "contentMediaType",
];

pub(super) fn is_object(schema: &Value) -> bool {
    schema["type"] == "object"
}

pub(super) fn reduce(schema: &Value, subset: &Subset) -> Option<Value> {
    reduce_in(schema, subset, false)
}

fn reduce_in(schema: &Value, subset: &Subset, defined: bool) -> Option<Value> {
    let schema = schema.as_object()?;
    if let Some(reference) = schema.get("$ref") {
        let plain = !defined && reference != "#";
        let taken = subset.references == References::Any || (subset.references == References::Plain && plain);
        // Strict services allow no keywords next to a reference.
        return taken.then(|| Map::from_iter([("$ref".to_owned(), reference.clone())]).into());
    }
    // Without any of these the schema allows any value.
    if !["type", "enum", "const", "anyOf", "oneOf"].iter().any(|keyword| schema.contains_key(*keyword)) {
        return None;
    }
    let mut reduced = Map::new();
    for (keyword, value) in schema {
        let value = match keyword.as_str() {
            "type" | "description" | "enum" | "const" => value.clone(),
            "anyOf" | "oneOf" if !reduced.contains_key("anyOf") => {
                // A value that matches several alternatives is found by the validation.
                let all = value.as_array()?.iter().map(|schema| reduce_in(schema, subset, defined));
                reduced.insert("anyOf".into(), all.collect::<Option<Value>>()?);
                continue;
            }
            "properties" => reduce_all(value, subset, defined)?,
            "$defs" | "definitions" => reduce_all(value, subset, true)?,
            "items" => reduce_in(value, subset, defined)?,
            "required" | "additionalProperties" => continue,
            keyword if ANNOTATIONS.contains(&keyword) => continue,
            keyword if NARROWING.contains(&keyword) => {
                if is_supported(keyword, value, subset) {
                    value.clone()
                } else {
                    continue;
                }
            }
            _ => return None,
        };
        reduced.insert(keyword.clone(), value);
    }
    if is_type(schema, "array") && !schema.contains_key("items") {
        return None;
    }
    if is_type(schema, "object") {
        close_object(schema, &mut reduced, subset)?;
    }
    if reduced.contains_key("format") {
        // Where the format is enforced, zod's long pattern for it is superfluous.
        reduced.shift_remove("pattern");
    }
    Some(reduced.into())
}

fn is_type(schema: &Map<String, Value>, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|kind| kind == wanted),
        kind => kind.is_some_and(|kind| kind == wanted),
    }
}

fn reduce_all(schemas: &Value, subset: &Subset, defined: bool) -> Option<Value> {
    let all = schemas.as_object()?.iter();
    let reduced = all.map(|(name, schema)| Some((name.clone(), reduce_in(schema, subset, defined)?)));
    Some(Value::Object(reduced.collect::<Option<Map<_, _>>>()?))
}

/// Disallows additional properties, as services support only closed objects.
fn close_object(schema: &Map<String, Value>, reduced: &mut Map<String, Value>, subset: &Subset) -> Option<()> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = || properties.into_iter().flat_map(Map::keys);
    match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        None if names().next().is_some() => {}
        _ => return None,
    }
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if subset.all_required && names().any(|name| !required.contains(&name.as_str())) {
        return None;
    }
    if properties.is_none() {
        reduced.insert("properties".into(), Map::new().into());
    }
    if subset.all_required || !required.is_empty() {
        reduced.insert("required".into(), required.into());
    }
    reduced.insert("additionalProperties".into(), false.into());
    Some(())
}

fn is_supported(keyword: &str, value: &Value, subset: &Subset) -> bool {
    match (keyword, value.as_str()) {
        ("format", format) => format.is_some_and(|format| subset.formats.contains(&format)),
        ("pattern", Some(pattern)) => subset.narrowing.contains(&keyword) && is_enforceable(pattern),
        _ => subset.narrowing.contains(&keyword),
    }
}

/// Whether a pattern can be enforced during generation: it must not look ahead or back.
fn is_enforceable(pattern: &str) -> bool {
    let looks_around = ["(?=", "(?!", "(?<", "\\b", "\\B"].iter().any(|piece| pattern.contains(piece));
    let refers_back = (1..=9).any(|group| pattern.contains(&format!("\\{group}")));
    !looks_around && !refers_back
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn narrowing_keywords_are_removed() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1, "pattern": "^[a-z]+$", "default": "x" },
                "mail": { "type": "string", "format": "email", "pattern": "^.+@.+$" },
                "word": { "type": "string", "pattern": "^(?!a).+$" },
                "page": { "type": "string", "format": "uri" },
                "count": { "type": "integer", "minimum": 1 },
                "either": { "oneOf": [{ "type": "string", "maxLength": 3 }, { "type": "null" }] },
                "list": { "type": "array", "items": { "const": "a" }, "minItems": 1, "uniqueItems": true },
                "node": { "$ref": "#/$defs/node", "description": "a node" }
            },
            "required": ["name", "mail", "word", "page", "count", "either", "list", "node"],
            "$defs": { "node": { "type": "object", "properties": {}, "additionalProperties": false } }
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "pattern": "^[a-z]+$" },
                "mail": { "type": "string", "format": "email" },
                "word": { "type": "string" },
                "page": { "type": "string" },
                "count": { "type": "integer", "minimum": 1 },
                "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "list": { "type": "array", "items": { "const": "a" }, "minItems": 1 },
                "node": { "$ref": "#/$defs/node" }
            },
            "required": ["name", "mail", "word", "page", "count", "either", "list", "node"],
            "$defs": { "node": { "type": "object", "properties": {}, "required": [], "additionalProperties": false } },
            "additionalProperties": false
        });
        assert_eq!(reduce(&schema, &STRICT), Some(expected));
    }

    #[test]
    fn unsupported_schemas_have_no_reduced_form() {
        let object = |property: Value, required: Value| json!({ "type": "object", "properties": { "a": property }, "required": required });
        let whole = |property: Value| object(property, json!(["a"]));
        let cases = [
            ("optional", object(json!({ "type": "string" }), json!([]))),
            ("anything", whole(json!({}))),
            ("boolean schema", whole(json!(true))),
            ("map", whole(json!({ "type": "object", "additionalProperties": { "type": "string" } }))),
            ("open", json!({ "type": "object", "properties": {}, "additionalProperties": true })),
            ("bare object", whole(json!({ "type": "object" }))),
            ("tuple", whole(json!({ "type": "array", "items": [{ "type": "string" }] }))),
            ("bare array", whole(json!({ "type": "array" }))),
            ("condition", whole(json!({ "type": "string", "not": { "const": "b" } }))),
        ];
        for (name, schema) in cases {
            assert_eq!(reduce(&schema, &STRICT), None, "{name}");
        }
    }

    #[test]
    fn references_are_supported_as_configured() {
        let with = |references| Subset { references, ..STRICT };
        let leaf = json!({ "type": "array", "items": { "$ref": "#/$defs/a" }, "$defs": { "a": { "type": "null" } } });
        let tree = json!({
            "type": "array", "items": { "$ref": "#/$defs/a" },
            "$defs": { "a": { "type": "array", "items": { "$ref": "#/$defs/a" } } }
        });
        for (references, takes_leaf, takes_tree) in
            [(References::None, false, false), (References::Plain, true, false), (References::Any, true, true)]
        {
            assert_eq!(reduce(&leaf, &with(references)).is_some(), takes_leaf, "{references:?}");
            assert_eq!(reduce(&tree, &with(references)).is_some(), takes_tree, "{references:?}");
        }
    }
}
