//! The partial form of a JSON Schema: what an answer matches while it comes.

use serde_json::{Map, Value, json};

/// Keywords that a value may only match once it is complete.
const OF_WHOLE_VALUES: [&str; 20] = [
    "required",
    "minItems",
    "minProperties",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "default",
    "examples",
    "title",
    "description",
];

/// What `schema` says of values whose objects and lists are incomplete. Texts have to match as they are.
pub(super) fn partial_schema(schema: &Value) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let mut partial = Map::new();
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (keyword, _) if OF_WHOLE_VALUES.contains(&keyword) => {}
            ("enum", Value::Array(values)) if values.iter().any(is_compound) => {}
            ("const", value) if is_compound(value) => {}
            // An incomplete value may match several alternatives.
            ("oneOf", Value::Array(schemas)) => {
                let any = json!({ "anyOf": schemas.iter().map(partial_schema).collect::<Value>() });
                add_all_of(&mut partial, vec![any]);
            }
            ("allOf", Value::Array(schemas)) => {
                add_all_of(&mut partial, schemas.iter().map(partial_schema).collect());
            }
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(schemas)) => {
                let schemas = schemas.iter().map(|(name, schema)| (name.clone(), partial_schema(schema)));
                partial.insert(keyword.clone(), Value::Object(schemas.collect()));
            }
            ("anyOf" | "items" | "prefixItems", Value::Array(schemas)) => {
                partial.insert(keyword.clone(), schemas.iter().map(partial_schema).collect());
            }
            ("items" | "additionalItems" | "additionalProperties", schema) => {
                partial.insert(keyword.clone(), partial_schema(schema));
            }
            (_, value) => drop(partial.insert(keyword.clone(), value.clone())),
        }
    }
    partial.into()
}

fn add_all_of(partial: &mut Map<String, Value>, schemas: Vec<Value>) {
    if let Value::Array(all) = partial.entry("allOf").or_insert_with(|| json!([])) {
        all.extend(schemas);
    }
}

fn is_compound(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
