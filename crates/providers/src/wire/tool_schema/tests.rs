use serde_json::{Value, json};

use super::{ANTHROPIC, Dialect, GEMINI, NOVA, OPENAI, adapted, described, rewritten};

const ALL: [&Dialect; 4] = [&OPENAI, &ANTHROPIC, &NOVA, &GEMINI];

fn schema(schema: &Value, dialect: &Dialect) -> Value {
    adapted(schema, dialect).schema
}

#[test]
fn ordinary_schemas_stay_as_they_are() {
    let ordinary = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "city": { "type": "string", "minLength": 1, "description": "where" },
            "days": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            "tags": { "type": "array", "items": { "type": "string" } },
            "node": { "$ref": "#/definitions/node" },
            "$ref": { "type": "string" }
        },
        "required": ["city"],
        "additionalProperties": false,
        "definitions": { "node": { "type": "object", "properties": { "next": { "$ref": "#/definitions/node" } } } }
    });
    for dialect in [&OPENAI, &ANTHROPIC] {
        assert_eq!(schema(&ordinary, dialect).to_string(), ordinary.to_string());
    }
}

#[test]
fn alternatives_of_the_whole_become_one_object() {
    let by_kind = json!({
        "oneOf": [
            { "type": "object", "properties": { "kind": { "type": "string", "const": "a" }, "x": { "type": "number" } },
                "required": ["kind", "x"], "additionalProperties": false },
            { "type": "object", "properties": { "kind": { "type": "string", "const": "b" }, "x": { "type": "string" } },
                "required": ["kind"], "additionalProperties": false }
        ],
        "description": "either"
    });
    let expected = json!({
        "description": "either",
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["a", "b"] },
            "x": { "anyOf": [{ "type": "number" }, { "type": "string" }] }
        },
        "required": ["kind"],
        "additionalProperties": false
    });
    for dialect in [&OPENAI, &ANTHROPIC, &GEMINI] {
        assert_eq!(schema(&by_kind, dialect), expected, "{dialect:?}");
        let (description, _) = described("Sets.", &by_kind, dialect);
        assert_eq!(description, format!("Sets.\n\nThe arguments must match this JSON Schema: {by_kind}"));
    }
    let both = json!({ "allOf": [
        { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
        { "$ref": "#/$defs/b" }
    ], "$defs": { "b": { "properties": { "b": { "type": "number" } }, "required": ["b"] } } });
    let merged = adapted(&both, &GEMINI);
    let properties = json!({ "a": { "type": "string" }, "b": { "type": "number" } });
    assert_eq!(merged.schema, json!({ "type": "object", "properties": properties, "required": ["a", "b"] }));
    assert!(!merged.is_lossy);
}

#[test]
fn the_whole_is_always_an_object() {
    for given in [json!({}), json!(true), json!({ "$ref": "#/nowhere" }), json!({ "type": ["object", "null"] })] {
        assert_eq!(schema(&given, &OPENAI), json!({ "type": "object", "properties": {} }), "{given}");
        assert_eq!(schema(&given, &NOVA), json!({ "type": "object", "properties": {} }), "{given}");
        assert_eq!(schema(&given, &ANTHROPIC)["type"], "object", "{given}");
    }
    let nova = json!({ "$schema": "x", "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } },
        "additionalProperties": false, "$defs": { "a": { "type": "string" } } });
    assert_eq!(schema(&nova, &NOVA), json!({ "type": "object", "properties": { "a": { "type": "string" } } }));
}

#[test]
fn arrays_have_items() {
    let (string, number) = (json!({ "type": "string" }), json!({ "type": "number" }));
    let pair = json!({ "type": "array", "prefixItems": [string, number], "items": { "anyOf": [string, number] },
        "minItems": 2, "maxItems": 2 });
    let with_rest = json!({ "type": "array", "prefixItems": [string], "items": number });
    for (part, expected) in [
        (json!({ "type": "array", "items": [string, number] }), pair.clone()),
        (json!({ "type": "array", "prefixItems": [string, number] }), pair),
        (json!({ "type": "array", "items": [string], "additionalItems": number }), with_rest),
        (json!({ "type": "array" }), json!({ "type": "array", "items": {} })),
    ] {
        let whole = json!({ "type": "object", "properties": { "a": part } });
        for dialect in [&OPENAI, &GEMINI] {
            assert_eq!(schema(&whole, dialect)["properties"]["a"], expected, "{part} {dialect:?}");
        }
        assert!(!schema(&whole, &ANTHROPIC)["properties"]["a"]["items"].is_array());
    }
}

#[test]
fn gemini_gets_the_keywords_that_it_knows() {
    let given = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "one": { "oneOf": [{ "const": 1 }, { "type": "null" }], "description": "one" },
            "name": { "type": "string", "pattern": "^a", "not": { "const": "ab" } },
            "map": { "type": "object", "additionalProperties": { "type": "string" }, "propertyNames": { "minLength": 1 } },
            "open": { "type": "object", "properties": {}, "additionalProperties": true },
            "maybe": { "enum": ["a", null] },
            "part": { "$ref": "#/$defs/part", "description": "this use" },
            "both": { "allOf": [{ "type": "string" }, { "minLength": 1 }], "description": "d" },
            "const": { "type": "boolean" },
            "either": { "type": "object", "properties": { "x": { "type": "string" } }, "required": ["x", "z"],
                "anyOf": [{ "required": ["x"] }, { "properties": { "y": { "type": "number" } } }] }
        },
        "$defs": { "part": { "type": "string", "description": "in general" } }
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "one": { "description": "one", "anyOf": [{ "enum": [1], "type": "number" }, { "type": "null" }] },
            "name": { "type": "string" },
            "map": { "type": "object", "additionalProperties": { "type": "string" } },
            "open": { "type": "object", "properties": {} },
            "maybe": { "enum": ["a"], "type": ["null", "string"] },
            "part": { "type": "string", "description": "this use" },
            "both": { "type": "string", "description": "d" },
            "const": { "type": "boolean" },
            "either": { "type": "object", "properties": { "x": { "type": "string" }, "y": { "type": "number" } },
                "required": ["x"] }
        }
    });
    assert_eq!(rewritten(&given, &GEMINI), expected);
}

#[test]
fn properties_without_a_name_stay_when_the_whole_is_a_reference() {
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" },
        "patternProperties": { "^x": { "type": "number" } } });
    let given = json!({ "$ref": "#/$defs/map", "$defs": { "map": map } });
    let adapted = adapted(&given, &OPENAI);
    assert_eq!(adapted.schema["additionalProperties"], map["additionalProperties"]);
    assert_eq!(adapted.schema["patternProperties"], map["patternProperties"]);
    assert!(!adapted.is_lossy);
}

#[test]
fn recursive_parts_are_cut() {
    let listed = json!({ "type": "object", "properties": { "root": { "$ref": "#/$defs/node" } }, "$defs": { "node": {
        "type": "object", "properties": { "next": { "allOf": [{ "$ref": "#/$defs/node" }] } } } } });
    let text = schema(&listed, &GEMINI).to_string();
    assert_eq!(text.matches("next").count(), 2, "{text}");
    let tree = json!({ "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#" } } } });
    let text = schema(&tree, &GEMINI).to_string();
    assert_eq!((text.matches("children").count(), text.contains("$ref")), (3, false), "{text}");
    let definitions = |count: usize, part: &dyn Fn(usize) -> Value| -> Value {
        (0..count).map(|index| (format!("d{index}"), part(index))).collect::<serde_json::Map<_, _>>().into()
    };
    let reference = |index: usize| json!({ "$ref": format!("#/$defs/d{index}") });
    let doubling = |index: usize| json!({ "type": "object", "properties": { "a": reference(index + 1), "b": reference(index + 1) } });
    let all_to_all = |_| json!({ "anyOf": (0..12).map(reference).collect::<Vec<_>>() });
    let all_of =
        |_| json!({ "allOf": (0..12).map(reference).collect::<Vec<_>>(), "properties": { "x": reference(1) } });
    for part in [&doubling as &dyn Fn(usize) -> Value, &all_to_all, &all_of] {
        let hostile = json!({ "anyOf": [reference(0), reference(1)], "properties": { "p": reference(2) },
            "$defs": definitions(40, part) });
        for dialect in ALL {
            assert!(schema(&hostile, dialect).to_string().len() < 5_000_000);
        }
    }
}
