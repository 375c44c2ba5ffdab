//! Validates the elements of an answer that is a list, one by one.

use serde_json::{Map, Value, json};

use crate::schema::Validator;

/// Keywords about a list as a whole.
const OF_LISTS: [&str; 6] = ["minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"];

/// The schemas of a list's elements. One that cannot be compiled accepts everything; the whole answer is validated later.
#[derive(Debug)]
pub struct ElementCheck {
    /// Of the first elements, if each has a schema of its own.
    first: Vec<Option<Validator>>,
    /// Validates a list of one element.
    other: Option<Validator>,
}

impl ElementCheck {
    /// `None` if the schema is not one of lists.
    pub fn new(schema: &Value) -> Option<Self> {
        let is_list = match schema.get("type") {
            None => schema != &Value::Bool(false),
            Some(Value::Array(types)) => types.iter().any(|kind| kind == "array"),
            Some(kind) => kind == "array",
        };
        if !is_list {
            return None;
        }
        let Some(keywords) = schema.as_object() else { return Some(ElementCheck { first: Vec::new(), other: None }) };
        let mut list: Map<String, Value> = keywords.clone();
        list.retain(|keyword, _| !OF_LISTS.contains(&keyword.as_str()));
        // The draft before 2020-12 has `items` for the first elements and `additionalItems` for others.
        let is_old = list.get("items").is_some_and(Value::is_array);
        let first = list.shift_remove(if is_old { "items" } else { "prefixItems" });
        if is_old && let Some(other) = list.shift_remove("additionalItems") {
            list.insert("items".into(), other);
        }
        let first = first.as_ref().and_then(Value::as_array).into_iter().flatten();
        let first = first.map(|schema| Validator::new(&with_definitions(schema, keywords)).ok()).collect();
        Some(ElementCheck { first, other: Validator::new(&Value::Object(list)).ok() })
    }

    pub fn accepts(&self, index: usize, element: &Value) -> bool {
        match self.first.get(index) {
            Some(validator) => validator.as_ref().is_none_or(|validator| validator.accepts(element)),
            None => self.other.as_ref().is_none_or(|validator| validator.accepts(&json!([element]))),
        }
    }
}

/// The schema of an element together with what its references mean.
fn with_definitions(element: &Value, list: &Map<String, Value>) -> Value {
    let mut schema = Map::new();
    for keyword in ["$schema", "$defs", "definitions"] {
        if let Some(value) = list.get(keyword) {
            schema.insert(keyword.into(), value.clone());
        }
    }
    schema.insert("allOf".into(), json!([element]));
    schema.into()
}
