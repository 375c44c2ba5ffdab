//! Replaces combinations at the top of a schema by a single object.

use serde_json::{Map, Value, json};

use super::references::target;

const COMBINATIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The keywords for properties without a name.
const UNNAMED: [&str; 2] = ["additionalProperties", "patternProperties"];

/// Other keywords that services refuse at the top, or that say nothing without the combinations.
const REFUSED: [&str; 8] = ["not", "if", "then", "else", "enum", "const", "dependentSchemas", "unevaluatedProperties"];

/// The parts of one schema: references to a part may double it at each level.
const MAX_PARTS: usize = 1_000;

const MAX_DEPTH: usize = 60;

#[derive(Debug, Default)]
struct Flat {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// The schemas of properties without a name.
    unnamed: Map<String, Value>,
    /// Whether no other properties are allowed.
    is_closed: bool,
    is_lossy: bool,
}

/// The schema without combinations and references at its top, and whether it says less than before.
pub(super) fn flattened(schema: &Value, root: &Value) -> (Value, bool) {
    let Value::Object(keywords) = schema else { return (json!({}), false) };
    if !keywords.contains_key("$ref")
        && !COMBINATIONS.iter().chain(&REFUSED).any(|keyword| keywords.contains_key(*keyword))
    {
        return (schema.clone(), false);
    }
    let mut left = MAX_PARTS;
    let flat = flatten(schema, root, 0, &mut left);
    let mut result: Map<String, Value> = keywords
        .iter()
        .filter(|(keyword, _)| {
            *keyword != "$ref" && !COMBINATIONS.contains(&keyword.as_str()) && !REFUSED.contains(&keyword.as_str())
        })
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    result.insert("type".into(), "object".into());
    result.insert("properties".into(), flat.properties.into());
    result.shift_remove("required");
    if !flat.required.is_empty() {
        result.insert("required".into(), flat.required.into());
    }
    UNNAMED.iter().for_each(|keyword| drop(result.shift_remove(*keyword)));
    result.extend(flat.unnamed);
    if flat.is_closed {
        result.insert("additionalProperties".into(), false.into());
    }
    (result.into(), flat.is_lossy)
}

/// `left` is the number of parts that may still be read.
fn flatten(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Flat {
    if *left == 0 || depth > MAX_DEPTH {
        return Flat { is_lossy: true, ..Flat::default() };
    }
    *left -= 1;
    let depth = depth + 1;
    let mut flat = own(schema);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        match target(root, reference) {
            Some(part) => flat.add(flatten(part, root, depth, left)),
            None => flat.is_lossy = true,
        }
    }
    flat.is_lossy |= REFUSED.iter().any(|keyword| schema.get(keyword).is_some());
    let parts = |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    for part in parts("allOf") {
        flat.add(flatten(part, root, depth, left));
    }
    for keyword in ["anyOf", "oneOf"] {
        let alternatives: Vec<Flat> = parts(keyword).map(|part| flatten(part, root, depth, left)).collect();
        if let Some(either) = either(alternatives) {
            flat.add(either);
        }
    }
    flat
}

fn own(schema: &Value) -> Flat {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    Flat {
        properties: schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default(),
        required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        unnamed: UNNAMED
            .iter()
            .filter_map(|keyword| Some(((*keyword).to_owned(), schema.get(keyword)?.clone())))
            .filter(|(_, value)| value.is_object())
            .collect(),
        is_closed: schema.get("additionalProperties") == Some(&Value::Bool(false)),
        is_lossy: false,
    }
}

impl Flat {
    /// Adds what also has to hold.
    fn add(&mut self, other: Flat) {
        for (name, schema) in other.properties {
            match self.properties.get_mut(&name) {
                Some(known) if *known != schema => *known = json!({ "allOf": [known.take(), schema] }),
                Some(_) => {}
                None => drop(self.properties.insert(name, schema)),
            }
        }
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.is_lossy |= other.is_lossy;
        for (keyword, schema) in other.unnamed {
            let known = self.unnamed.entry(keyword).or_insert_with(|| schema.clone());
            self.is_lossy |= *known != schema;
        }
        self.is_closed |= other.is_closed;
    }
}

/// What holds for all alternatives, with the properties of each.
fn either(alternatives: Vec<Flat>) -> Option<Flat> {
    let is_lossy = alternatives.len() > 1;
    let mut all = alternatives.into_iter();
    let mut flat = all.next()?;
    flat.is_lossy |= is_lossy;
    let mut several: Map<String, Value> = Map::new();
    for (name, schema) in std::mem::take(&mut flat.properties) {
        several.insert(name, json!([schema]));
    }
    for other in all {
        for (name, schema) in other.properties {
            if let Some(Value::Array(known)) = several.get_mut(&name) {
                if !known.contains(&schema) {
                    known.push(schema);
                }
            } else {
                several.insert(name, json!([schema]));
            }
        }
        flat.required.retain(|name| other.required.contains(name));
        flat.is_closed &= other.is_closed;
        flat.unnamed.retain(|keyword, schema| other.unnamed.get(keyword) == Some(schema));
        flat.is_lossy |= other.is_lossy;
    }
    flat.properties = several.into_iter().map(|(name, schemas)| (name, any_of(schemas))).collect();
    Some(flat)
}

/// One schema for a list of different ones. Constants, which tell alternatives apart, become one list of values.
fn any_of(schemas: Value) -> Value {
    let Value::Array(mut schemas) = schemas else { return schemas };
    if schemas.len() == 1 {
        return schemas.remove(0);
    }
    let values: Option<Vec<&Value>> =
        schemas.iter().map(values).collect::<Option<Vec<_>>>().map(|lists| lists.concat());
    match values {
        Some(values) if values.iter().all(|value| value.is_string()) => json!({ "type": "string", "enum": values }),
        _ => json!({ "anyOf": schemas }),
    }
}

fn values(schema: &Value) -> Option<Vec<&Value>> {
    let listed = schema.get("enum").and_then(Value::as_array).map(|values| values.iter().collect());
    schema.get("const").map(|value| vec![value]).or(listed)
}
