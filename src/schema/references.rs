//! How often the parts of a schema are checked against one and the same value. A reference that stands twice is followed twice: thirty
//! definitions, each of which names the next one twice, are a thousand million checks. Must not know values.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// More checks of one value than this are not what anybody has meant.
const MAX_CHECKS: u64 = 100_000;

/// References that lead to each other in a longer row than this are not followed.
const MAX_STEPS: usize = 2_000;

/// Keywords whose schemas are about the same value.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLE: [&str; 4] = ["not", "if", "then", "else"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Checks that no value is checked too often.
///
/// # Errors
/// It would be.
pub(crate) fn check_references(schema: &Value) -> Result<(), String> {
    let mut search = Search { root: schema, named: HashMap::new(), known: HashMap::new(), steps: 0 };
    if !search.collect(schema) {
        return Ok(());
    }
    let too_many = || {
        format!(
            "its references multiply: more than {MAX_CHECKS} of its parts are about one value. Refer to each definition once"
        )
    };
    search.is_fine_within(schema).then_some(()).ok_or_else(too_many)
}

struct Search<'a> {
    root: &'a Value,
    /// What references can name: anchors as `#name`, and ids.
    named: HashMap<String, &'a Value>,
    /// How many checks a part takes, by its address; 0 while that is being counted.
    known: HashMap<*const Value, u64>,
    steps: usize,
}

impl<'a> Search<'a> {
    /// Learns the names in a part; says whether it refers to anything.
    fn collect(&mut self, part: &'a Value) -> bool {
        match part {
            Value::Object(keywords) => {
                for (keyword, prefix) in [("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", "")] {
                    if let Some(Value::String(name)) = keywords.get(keyword) {
                        self.named.insert(format!("{prefix}{name}"), part);
                    }
                }
                let refers = REFERENCES.iter().any(|keyword| keywords.contains_key(*keyword));
                keywords.values().fold(refers, |refers, part| self.collect(part) | refers)
            }
            Value::Array(parts) => parts.iter().fold(false, |refers, part| self.collect(part) | refers),
            _ => false,
        }
    }

    /// Whether that holds for a part and all parts in it.
    fn is_fine_within(&mut self, part: &'a Value) -> bool {
        match part {
            Value::Object(keywords) => {
                self.checks(part) <= MAX_CHECKS && keywords.values().all(|part| self.is_fine_within(part))
            }
            Value::Array(parts) => parts.iter().all(|part| self.is_fine_within(part)),
            _ => true,
        }
    }

    /// How many checks of a value a part takes.
    fn checks(&mut self, part: &'a Value) -> u64 {
        let Value::Object(keywords) = part else { return 1 };
        if let Some(known) = self.known.get(&std::ptr::from_ref(part)) {
            return *known;
        }
        if self.steps >= MAX_STEPS {
            return u64::MAX;
        }
        self.known.insert(part, 0);
        self.steps += 1;
        let checks =
            self.same_value(keywords).into_iter().fold(1, |sum: u64, part| sum.saturating_add(self.checks(part)));
        self.steps -= 1;
        self.known.insert(part, checks);
        checks
    }

    /// The schemas that the value has to fit as well.
    fn same_value(&self, keywords: &'a Map<String, Value>) -> Vec<&'a Value> {
        let lists = LISTS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_array()).flatten();
        let single = SINGLE.iter().filter_map(|keyword| keywords.get(*keyword));
        let dependent = keywords.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let references = REFERENCES.iter().filter_map(|keyword| self.target(keywords.get(*keyword)?.as_str()?));
        lists.chain(single).chain(dependent).chain(references).collect()
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        if let Some(named) = self.named.get(reference) {
            return Some(named);
        }
        let (id, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if id.is_empty() { self.root } else { self.named.get(id)? };
        base.pointer(pointer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Definitions of which each names the next one twice.
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

    #[test]
    fn parts_of_a_value_are_values_of_their_own() {
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
