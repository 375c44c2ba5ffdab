//! Rewrites every part of a schema for a dialect.

use serde_json::{Map, Value, json};

use super::{dialect::Dialect, flatten::flattened, references::target};
use lmthing_base::schema::json_type;

/// How often a recursive part is repeated.
const MAX_REPEATS: usize = 2;

/// The parts of one schema: references to a part may double it at each level.
const MAX_PARTS: usize = 10_000;

const MAX_DEPTH: usize = 60;

const SCHEMAS: [&str; 10] = [
    "items",
    "additionalProperties",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
];

const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

const MAPS: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

pub(super) struct Rewriter<'a> {
    dialect: &'a Dialect,
    root: &'a Value,
    /// The references that lead to the current part.
    open: Vec<String>,
    parts: usize,
    depth: usize,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(dialect: &'a Dialect, root: &'a Value) -> Self {
        Rewriter { dialect, root, open: Vec::new(), parts: 0, depth: 0 }
    }

    pub(super) fn rewrite(&mut self, schema: &Value) -> Value {
        let Value::Object(keywords) = schema else {
            // `true` and `false`, for which only JSON Schema itself has a form.
            return if self.dialect.keywords.is_some() { json!({}) } else { schema.clone() };
        };
        if self.dialect.inlines_references && (self.parts > MAX_PARTS || self.depth > MAX_DEPTH) {
            return cut(schema);
        }
        self.parts += 1;
        self.depth += 1;
        let rewritten = match keywords.get("$ref").and_then(Value::as_str) {
            Some(reference) if self.dialect.inlines_references => self.inlined(reference, schema),
            _ if self.dialect.merges_all_of && is_combined(keywords) => self.merged(keywords),
            _ => self.keywords(keywords).into(),
        };
        self.depth -= 1;
        rewritten
    }

    fn inlined(&mut self, reference: &str, schema: &Value) -> Value {
        let Some(whole) = self.with_target(reference, schema) else { return json!({}) };
        self.open.push(reference.to_owned());
        let inlined = self.rewrite(&whole);
        self.open.pop();
        inlined
    }

    /// A part with `allOf`: one object for all, or, for other types, all keywords together.
    fn merged(&mut self, keywords: &Map<String, Value>) -> Value {
        let already_open = self.open.len();
        let parts = keywords.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let all: Vec<Value> = parts.map(|part| self.resolved(part)).collect();
        let has_properties = |part: &Map<String, Value>| part.contains_key("properties");
        let rewritten = if has_properties(keywords) || all.iter().filter_map(Value::as_object).any(has_properties) {
            let mut whole = keywords.clone();
            if !all.is_empty() {
                whole.insert("allOf".into(), all.into());
            }
            let (flat, _) = flattened(&whole.into(), self.root);
            self.rewrite(&flat)
        } else {
            let whole = all.iter().filter_map(Value::as_object).chain([keywords]).flatten();
            let whole = whole.filter(|(key, _)| *key != "allOf").map(|(key, value)| (key.clone(), value.clone()));
            self.rewrite(&Value::Object(whole.collect()))
        };
        self.open.truncate(already_open);
        rewritten
    }

    /// A part of `allOf` in place of the reference to it, which is open from then on.
    fn resolved(&mut self, part: &Value) -> Value {
        let Some(reference) = part.get("$ref").and_then(Value::as_str) else { return part.clone() };
        let Some(whole) = self.with_target(reference, part) else { return json!({}) };
        self.open.push(reference.to_owned());
        whole
    }

    /// What a reference stands for; `None` if there is no such part. It is cut off where it repeats too often.
    fn with_target(&self, reference: &str, keywords: &Value) -> Option<Value> {
        let part = target(self.root, reference)?;
        if self.open.iter().filter(|open| *open == reference).count() >= MAX_REPEATS {
            return Some(cut(part));
        }
        // Keywords next to a reference hold as well, and describe this use of the part.
        let mut whole = part.as_object().cloned().unwrap_or_default();
        let own = keywords.as_object().into_iter().flatten().filter(|(key, _)| *key != "$ref");
        whole.extend(own.map(|(key, value)| (key.clone(), value.clone())));
        Some(whole.into())
    }

    fn keywords(&mut self, keywords: &Map<String, Value>) -> Map<String, Value> {
        let mut result = Map::new();
        for (keyword, value) in keywords {
            let key = keyword.as_str();
            let value = match (key, value) {
                ("items", Value::Array(items)) => {
                    result.insert("prefixItems".into(), self.list(items));
                    continue;
                }
                // What follows the items of a tuple has another name in later drafts.
                ("additionalItems", rest) if keywords.get("items").is_some_and(Value::is_array) => {
                    if rest.is_object() {
                        let rest = self.rewrite(rest);
                        result.insert("items".into(), rest);
                    }
                    continue;
                }
                (key, Value::Object(_)) if SCHEMAS.contains(&key) => self.rewrite(value),
                (key, Value::Array(items)) if LISTS.contains(&key) => self.list(items),
                ("$defs" | "definitions", _) if self.dialect.inlines_references => continue,
                (key, Value::Object(parts)) if MAPS.contains(&key) => self.map(parts),
                _ => value.clone(),
            };
            result.insert(keyword.clone(), value);
        }
        self.complete_array(&mut result);
        if let Some(known) = self.dialect.keywords {
            keep_known(&mut result, known);
        }
        result
    }

    fn list(&mut self, items: &[Value]) -> Value {
        items.iter().map(|item| self.rewrite(item)).collect()
    }

    fn map(&mut self, parts: &Map<String, Value>) -> Value {
        Value::Object(parts.iter().map(|(name, part)| (name.clone(), self.rewrite(part))).collect())
    }

    /// Adds `items`. Those of a tuple are any of its parts, and as many as there are.
    fn complete_array(&self, keywords: &mut Map<String, Value>) {
        let has_items = keywords.get("items").is_some_and(Value::is_object);
        if let Some(Value::Array(parts)) = keywords.get("prefixItems")
            && !has_items
        {
            let (count, mut different) = (parts.len(), Vec::new());
            for part in parts {
                if !different.contains(part) {
                    different.push(part.clone());
                }
            }
            let items = if different.len() == 1 { different.remove(0) } else { json!({ "anyOf": different }) };
            keywords.insert("items".into(), items);
            keywords.entry("minItems").or_insert_with(|| count.into());
            keywords.entry("maxItems").or_insert_with(|| count.into());
            return;
        }
        let is_array = match keywords.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
            kind => kind.is_some_and(|kind| kind == "array"),
        };
        if is_array && !has_items && self.dialect.needs_members {
            keywords.insert("items".into(), json!({}));
        }
    }
}

/// Whether a part consists of several that hold for the same value.
fn is_combined(keywords: &Map<String, Value>) -> bool {
    let has = |keyword: &str| keywords.contains_key(keyword);
    has("allOf") || (has("properties") && (has("anyOf") || has("oneOf")))
}

/// What is left of a part that is not repeated further.
fn cut(part: &Value) -> Value {
    let kept = ["type", "description"].iter().filter_map(|key| Some(((*key).to_owned(), part.get(key)?.clone())));
    Value::Object(kept.collect())
}

/// Leaves out keywords that the service does not know, in favour of those that say the same.
fn keep_known(keywords: &mut Map<String, Value>, known: &[&str]) {
    if let Some(alternatives) = keywords.shift_remove("oneOf") {
        keywords.entry("anyOf").or_insert(alternatives);
    }
    if let Some(constant) = keywords.shift_remove("const") {
        keywords.entry("enum").or_insert_with(|| json!([constant]));
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum") {
        let kind = kind_of(values);
        values.retain(|value| value.is_string() || value.is_number());
        if values.is_empty() {
            keywords.shift_remove("enum");
        }
        if let Some(kind) = kind {
            keywords.entry("type").or_insert(kind);
        }
    }
    if let (Some(Value::Object(properties)), Some(required)) = (keywords.get("properties"), keywords.get("required")) {
        let names = required.as_array().into_iter().flatten();
        let known = names.filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name))).cloned();
        let known: Vec<Value> = known.collect();
        keywords.insert("required".into(), known.into());
    }
    if let Some(Value::Bool(true)) = keywords.get("additionalProperties") {
        keywords.shift_remove("additionalProperties");
    }
    keywords.retain(|keyword, _| known.contains(&keyword.as_str()));
}

/// The type of listed values, where all have the same; `null` may be one of them.
fn kind_of(values: &[Value]) -> Option<Value> {
    let mut kinds: Vec<&str> = values.iter().map(json_type).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [one] => Some((*one).into()),
        [_, _] if kinds.contains(&"null") => Some(kinds.into()),
        _ => None,
    }
}
