//! Finds the parts of an input that JSON cannot represent, dates, big integers and files, by the keyword `tsType`.

use serde_json::{Map, Value};

use super::{file::is_resource, kind::resolve};
use crate::schema::Validator;

/// The limit of compared parts: nested alternatives multiply.
const MAX_COMPARED: usize = 100_000;

const MAX_DEPTH: usize = 100;

#[derive(Debug, PartialEq)]
pub struct Revival {
    pub path: Vec<String>,
    pub becomes: RevivedType,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RevivedType {
    Date,
    BigInteger,
    File,
}

/// The conversions needed for `value` to fit `schema`. Of several alternatives, one that accepts the value without conversion is
/// preferred, then the first.
pub fn revivals(schema: &Value, value: &Value) -> Vec<Revival> {
    RevivalSearch { root: schema, left: MAX_COMPARED }.revivals(schema, value, 0)
}

struct RevivalSearch<'a> {
    root: &'a Value,
    left: usize,
}

impl<'a> RevivalSearch<'a> {
    fn revivals(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Vec<Revival> {
        let Some(keywords) = self.keywords(schema, depth) else { return Vec::new() };
        if let Some(becomes) = becomes(keywords) {
            let is_one = match becomes {
                RevivedType::Date => value.is_string(),
                RevivedType::BigInteger => value.is_string() || value.is_number(),
                RevivedType::File => is_resource(value),
            };
            return if is_one { vec![Revival { path: Vec::new(), becomes }] } else { Vec::new() };
        }
        let mut found = Vec::new();
        for (name, schema, part) in parts(keywords, value) {
            let inner = self.revivals(schema, part, depth + 1).into_iter();
            found.extend(inner.map(|Revival { mut path, becomes }| {
                path.insert(0, name.clone());
                Revival { path, becomes }
            }));
        }
        for part in list(keywords, "allOf") {
            found.extend(self.revivals(part, value, depth + 1));
        }
        let mut first = None;
        for form in forms(keywords) {
            if self.fits(form, value, depth + 1) {
                let inner = self.revivals(form, value, depth + 1);
                if inner.is_empty() {
                    return found;
                }
                first.get_or_insert(inner);
            }
        }
        found.extend(first.unwrap_or_default());
        found
    }

    /// Whether `schema` may accept `value` after conversion.
    fn fits(&mut self, schema: &'a Value, value: &Value, depth: usize) -> bool {
        let Some(keywords) = self.keywords(schema, depth) else { return *schema != Value::Bool(false) };
        match becomes(keywords) {
            Some(RevivedType::Date) => return value.is_string(),
            Some(RevivedType::BigInteger) => return is_whole(value),
            Some(RevivedType::File) => return is_resource(value),
            None => {}
        }
        if !is_nested(keywords) {
            return is_valid(keywords, value);
        }
        let forms = forms(keywords);
        has_type(keywords, value)
            && has_names(keywords, value)
            && parts(keywords, value).into_iter().all(|(_, schema, part)| self.fits(schema, part, depth + 1))
            && list(keywords, "allOf").iter().all(|part| self.fits(part, value, depth + 1))
            && (forms.is_empty() || forms.iter().any(|form| self.fits(form, value, depth + 1)))
    }

    fn keywords(&mut self, schema: &'a Value, depth: usize) -> Option<&'a Map<String, Value>> {
        self.left = self.left.checked_sub(1).filter(|_| depth < MAX_DEPTH)?;
        resolve(schema, self.root).as_object()
    }
}

fn becomes(keywords: &Map<String, Value>) -> Option<RevivedType> {
    match keywords.get("tsType")?.as_str()? {
        "Date" => Some(RevivedType::Date),
        "bigint" => Some(RevivedType::BigInteger),
        "File" => Some(RevivedType::File),
        _ => None,
    }
}

fn is_whole(value: &Value) -> bool {
    let is_digits = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.chars().all(|character| character.is_ascii_digit())
    };
    value.as_f64().is_some_and(|number| number.fract() == 0.0) || value.as_str().is_some_and(is_digits)
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    keywords.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn forms(keywords: &Map<String, Value>) -> &[Value] {
    match list(keywords, "anyOf") {
        [] => list(keywords, "oneOf"),
        forms => forms,
    }
}

fn parts<'a, 'v>(keywords: &'a Map<String, Value>, value: &'v Value) -> Vec<(String, &'a Value, &'v Value)> {
    match value {
        Value::Array(items) => {
            let (first, rest) = (list(keywords, "prefixItems"), keywords.get("items"));
            let part = |(index, item): (usize, &'v Value)| Some((index.to_string(), first.get(index).or(rest)?, item));
            items.iter().enumerate().filter_map(part).collect()
        }
        Value::Object(fields) => {
            let known = keywords.get("properties").and_then(Value::as_object);
            let others = keywords.get("additionalProperties");
            let part = |(name, field): (&String, &'v Value)| {
                Some((name.clone(), known.and_then(|known| known.get(name)).or(others)?, field))
            };
            fields.iter().filter_map(part).collect()
        }
        _ => Vec::new(),
    }
}

fn is_nested(keywords: &Map<String, Value>) -> bool {
    ["properties", "additionalProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf"]
        .iter()
        .any(|keyword| keywords.contains_key(*keyword))
}

fn is_valid(keywords: &Map<String, Value>, value: &Value) -> bool {
    // An invalid schema does not reject the value.
    Validator::new(&Value::Object(keywords.clone())).map_or(true, |validator| validator.validate(value).is_ok())
}

fn has_type(keywords: &Map<String, Value>, value: &Value) -> bool {
    let Some(name) = keywords.get("type") else { return true };
    is_valid(&Map::from_iter([("type".to_owned(), name.clone())]), value)
}

fn has_names(keywords: &Map<String, Value>, value: &Value) -> bool {
    let Value::Object(fields) = value else { return true };
    list(keywords, "required").iter().all(|name| name.as_str().is_none_or(|name| fields.contains_key(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(schema: &Value, value: &Value) -> Vec<String> {
        let shown = |revival: Revival| format!("{}:{:?}", revival.path.join("."), revival.becomes);
        revivals(schema, value).into_iter().map(shown).collect()
    }

    #[test]
    fn a_form_that_takes_the_value_as_it_stands_wins() {
        let (date, big) = (json!({"tsType": "Date"}), json!({"tsType": "bigint"}));
        assert_eq!(paths(&json!({"anyOf": [big, {"type": "number"}]}), &json!(5)), [""; 0]);
        assert_eq!(paths(&json!({"anyOf": [{"type": "number"}, date]}), &json!("2026-01-31")), [":Date"]);
        let pattern = json!({"type": "string", "pattern": "^x"});
        assert_eq!(paths(&json!({"anyOf": [pattern, date]}), &json!("2026-01-31")), [":Date"]);
        let form = |kind: &str, at: &Value| json!({"type": "object", "required": ["kind", "at"], "properties": {"kind": {"const": kind}, "at": at}});
        let forms = json!({"properties": {"q": {"anyOf": [form("d", &date), form("s", &json!({"type": "string"}))]}}});
        assert_eq!(paths(&forms, &json!({"q": {"kind": "s", "at": "2026-01-31"}})), [""; 0]);
        assert_eq!(paths(&forms, &json!({"q": {"kind": "d", "at": "2026-01-31"}})), ["q.at:Date"]);
    }

    #[test]
    fn lists_tuples_and_records_are_searched() {
        let schema = json!({"additionalProperties": {"items": {"tsType": "Date"}}, "properties": {
            "two": {"prefixItems": [{"tsType": "bigint"}, {}]}}});
        let value = json!({"two": ["1", "2"], "days": ["2026-01-31", "2026-02-01"]});
        assert_eq!(paths(&schema, &value), ["two.0:BigInteger", "days.0:Date", "days.1:Date"]);
    }

    #[test]
    fn recursive_alternatives_terminate() {
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert_eq!(paths(&schema, &json!({"a": "x"})), [""; 0]);
    }
}
