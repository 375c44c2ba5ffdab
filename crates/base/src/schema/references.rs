//! Limits how often the parts of a schema are checked against one value. A reference that occurs twice is followed twice: thirty
//! definitions, each of which references the next one twice, make 2^30 checks.

use std::{collections::HashMap, sync::Arc};

use jsonschema::{Draft, Registry, Uri, uri};
use serde_json::{Map, Value};
use thiserror::Error;

/// The highest number of checks of one value.
const MAX_CHECKS: u64 = 100_000;

const MAX_STEPS: usize = 2_000;

/// Keywords whose schemas apply to the same value.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLE: [&str; 4] = ["not", "if", "then", "else"];
const BY_PROPERTY: [&str; 2] = ["dependentSchemas", "dependencies"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The references of a schema multiply its parts.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "a single value would be checked against more than {MAX_CHECKS} parts of it. Use fewer nested references to the same definition"
)]
pub struct TooManyChecks;

/// Fails if a value would be checked more than [`MAX_CHECKS`] times.
pub fn check_references(schema: &Value) -> Result<(), TooManyChecks> {
    if !has_references(schema) {
        return Ok(());
    }
    // A schema with wrong addresses is never compiled; the compiler reports the error.
    let draft = Draft::default().detect(schema);
    let resource = draft.create_resource_ref(schema);
    let Ok(base) = uri::from_str(resource.id().unwrap_or_default()) else { return Ok(()) };
    let registry = Registry::new().draft(draft).add(base.as_str(), resource).and_then(|registry| registry.prepare());
    let Ok(registry) = registry else { return Ok(()) };
    let root = Part { schema, draft, base: Arc::new(base) };
    let mut counter = CheckCounter { registry: &registry, dynamic: HashMap::new(), known: HashMap::new(), steps: 0 };
    counter.collect(&root);
    counter.is_within_limit(&root).then_some(()).ok_or(TooManyChecks)
}

fn has_references(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => {
            REFERENCES.iter().any(|keyword| keywords.contains_key(*keyword)) || keywords.values().any(has_references)
        }
        Value::Array(parts) => parts.iter().any(has_references),
        _ => false,
    }
}

#[derive(Clone)]
struct Part<'a> {
    schema: &'a Value,
    draft: Draft,
    base: Arc<Uri<String>>,
}

impl<'a> Part<'a> {
    fn key(&self) -> (*const Value, Arc<Uri<String>>) {
        (self.schema, self.base.clone())
    }
}

struct CheckCounter<'a> {
    /// Resolves references as the validator does.
    registry: &'a Registry<'a>,
    /// Parts with a dynamic anchor, by name: references to it resolve depending on the path of the validator.
    dynamic: HashMap<&'a str, Vec<Part<'a>>>,
    /// The number of checks per part; 0 while it is being counted.
    known: HashMap<(*const Value, Arc<Uri<String>>), u64>,
    steps: usize,
}

impl<'a> CheckCounter<'a> {
    fn child(&self, part: &Part<'a>, schema: &'a Value) -> Part<'a> {
        let draft = part.draft.detect(schema);
        let id = draft.create_resource_ref(schema);
        let base = id.id().and_then(|id| self.registry.resolve_uri(&part.base.borrow(), id).ok());
        Part { schema, draft, base: base.unwrap_or_else(|| part.base.clone()) }
    }

    fn children(&self, part: &Part<'a>) -> Vec<Part<'a>> {
        match part.schema {
            Value::Object(keywords) => keywords.values().map(|schema| self.child(part, schema)).collect(),
            Value::Array(parts) => parts.iter().map(|schema| self.child(part, schema)).collect(),
            _ => Vec::new(),
        }
    }

    /// Collects the dynamic anchors. The one of `$recursiveAnchor` has no name.
    fn collect(&mut self, part: &Part<'a>) {
        let name = part.schema.get("$dynamicAnchor").and_then(Value::as_str);
        let recursive = part.schema.get("$recursiveAnchor").and_then(Value::as_bool).filter(|is_set| *is_set);
        for name in name.into_iter().chain(recursive.map(|_| "")) {
            self.dynamic.entry(name).or_default().push(part.clone());
        }
        self.children(part).iter().for_each(|part| self.collect(part));
    }

    fn is_within_limit(&mut self, part: &Part<'a>) -> bool {
        self.checks(part) <= MAX_CHECKS && self.children(part).iter().all(|part| self.is_within_limit(part))
    }

    fn checks(&mut self, part: &Part<'a>) -> u64 {
        let Value::Object(keywords) = part.schema else { return 1 };
        if let Some(known) = self.known.get(&part.key()) {
            return *known;
        }
        if self.steps >= MAX_STEPS {
            return u64::MAX;
        }
        self.known.insert(part.key(), 0);
        self.steps += 1;
        let parts = self.same_value(part, keywords);
        let checks = parts.iter().fold(1, |sum: u64, part| sum.saturating_add(self.checks(part)));
        self.steps -= 1;
        self.known.insert(part.key(), checks);
        checks
    }

    /// The schemas that also apply to the same value.
    fn same_value(&self, part: &Part<'a>, keywords: &'a Map<String, Value>) -> Vec<Part<'a>> {
        let lists = LISTS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_array()).flatten();
        let single = SINGLE.iter().filter_map(|keyword| keywords.get(*keyword));
        let by_property = BY_PROPERTY.iter().filter_map(|keyword| keywords.get(*keyword)?.as_object());
        let inner = lists.chain(single).chain(by_property.flat_map(Map::values)).map(|schema| self.child(part, schema));
        let references = REFERENCES.iter().filter_map(|keyword| keywords.get(*keyword)?.as_str());
        inner.chain(references.flat_map(|reference| self.targets(part, reference))).collect()
    }

    /// Every part that a reference may resolve to.
    fn targets(&self, part: &Part<'a>, reference: &str) -> Vec<Part<'a>> {
        let resolved = self.registry.resolver((*part.base).clone()).lookup(reference).ok();
        let target = resolved.map(|resolved| {
            let (schema, resolver, draft) = resolved.into_inner();
            Part { schema, draft, base: resolver.base_uri() }
        });
        let mut targets = Vec::from_iter(target);
        let name = reference.split_once('#').map_or("", |(_, name)| name);
        for other in self.dynamic.get(name).into_iter().flatten() {
            if targets.iter().all(|target| target.key() != other.key()) {
                targets.push(other.clone());
            }
        }
        targets
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Definitions, each of which references the next one twice.
    fn doubling(levels: usize, twice: impl Fn(Value) -> Value) -> Value {
        let mut definitions: Map<String, Value> = (0..levels)
            .map(|level| (format!("d{level}"), twice(json!({ "$ref": format!("#/$defs/d{}", level + 1) }))))
            .collect();
        definitions.insert(format!("d{levels}"), json!({ "type": "string" }));
        json!({ "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
    }

    #[test]
    fn references_that_multiply_are_refused() {
        for keyword in LISTS {
            assert!(check_references(&doubling(30, |next| json!({ keyword: [next, next] }))).is_err(), "{keyword}");
            assert!(check_references(&doubling(10, |next| json!({ keyword: [next, next] }))).is_ok(), "{keyword}");
        }
        assert!(check_references(&doubling(30, |next| json!({ "if": next, "then": next }))).is_err());
        assert!(check_references(&doubling(1_000_000 >> 8, |next| json!({ "not": next }))).is_err());
    }

    /// Like [`doubling`], with names and references in different notations.
    fn doubling_as(levels: usize, definition: impl Fn(usize) -> Value, reference: impl Fn(usize) -> String) -> Value {
        let definitions: Map<String, Value> = (0..levels)
            .map(|level| {
                let mut part = definition(level);
                let next = json!({ "$ref": reference(level + 1) });
                part["allOf"] = json!([next, next]);
                (format!("d{level}"), part)
            })
            .chain([(format!("d{levels}"), definition(levels))])
            .collect();
        json!({ "$ref": reference(0), "$defs": definitions })
    }

    #[test]
    fn references_that_multiply_are_found_however_they_are_written() {
        let plain = |_| json!({});
        let escaped = |level| format!("#/%24defs/d{level}");
        let absolute = |level| json!({ "$id": format!("http://x.test/d{level}.json") });
        let relative = |level| json!({ "$id": format!("d{level}.json") });
        let file = |level| format!("d{level}.json");
        let anchor = |level| json!({ "$anchor": format!("d{level}") });
        let dynamic = |level| json!({ "$dynamicAnchor": format!("d{level}") });
        let name = |level| format!("#d{level}");
        // A pointer in a part with its own `$id` starts at that part.
        let nested = |level| json!({ "$id": "http://x.test/all.json", "$defs": doubling_as(level, plain, escaped)["$defs"], "$ref": "#/$defs/d0" });
        for levels in [5, 26] {
            for schema in [
                doubling_as(levels, plain, escaped),
                doubling_as(levels, absolute, |level| format!("http://x.test/d{level}.json")),
                doubling_as(levels, relative, file),
                doubling_as(levels, anchor, name),
                doubling_as(levels, dynamic, name),
                json!({ "properties": { "a": nested(levels) } }),
            ] {
                assert!(jsonschema::validator_for(&schema).is_ok(), "{schema}");
                assert_eq!(check_references(&schema).is_ok(), levels == 5, "{schema}");
            }
            for keyword in BY_PROPERTY {
                let schema = doubling(levels, |next| json!({ keyword: { "a": next, "b": next, "c": ["a"] } }));
                assert_eq!(check_references(&schema).is_ok(), levels == 5, "{keyword}");
            }
        }
    }

    #[test]
    fn unresolvable_references_are_left_to_the_validator() {
        for reference in ["http://x.test/other.json", "#/no/such", "#no", "http://json-schema.org/draft-07/schema#"] {
            assert_eq!(check_references(&json!({ "$ref": reference })), Ok(()), "{reference}");
        }
    }

    #[test]
    fn checks_of_nested_values_do_not_add_up() {
        let object = |next: Value| json!({ "properties": { "x": next, "y": next }, "items": [next, next] });
        assert!(check_references(&doubling(60, object)).is_ok());
        let node = json!({ "anyOf": [
            { "properties": { "left": { "$ref": "#" }, "right": { "$ref": "#" } } },
            { "items": { "$ref": "#" } },
            { "$ref": "#" },
        ] });
        assert!(check_references(&node).is_ok());
        assert!(check_references(&json!({ "type": "object" })).is_ok());
    }
}
