//! Kinds of values that a part of a schema accepts.

use serde_json::{Map, Value};

use super::{
    file::is_resource,
    property::{ObjectFields, Property},
};

const MAX_DEPTH: usize = 12;

/// The limit of followed references in total: a schema may refer to itself in many places, and again in each of them.
const MAX_REFERENCES: usize = 4096;

#[derive(Clone, Copy)]
pub(super) struct SchemaContext<'a> {
    root: &'a Value,
    depth: usize,
    /// How many references may still be followed. Siblings share it evenly, so that one large part does not leave the next
    /// without a kind.
    references: usize,
}

impl<'a> SchemaContext<'a> {
    pub(super) fn of_root(root: &'a Value) -> Self {
        SchemaContext { root, depth: 0, references: MAX_REFERENCES }
    }

    /// The context of one of `count` parts of this part.
    pub(super) fn inner(self, count: usize) -> Self {
        SchemaContext { depth: self.depth + 1, references: self.references / count.max(1), ..self }
    }

    pub(super) fn resolve(self, schema: &'a Value) -> &'a Value {
        resolve(schema, self.root)
    }
}

/// The kind of a value, as far as its notation depends on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueKind {
    /// `one_line` if it has a format or pattern, which a newline at the end of a file would not match.
    Text {
        one_line: bool,
    },
    Date,
    BigInteger,
    /// JSON Schema has no files, so `tsType` marks them too.
    File,
    Number,
    Integer,
    Boolean,
    Null,
    Choice(Vec<Value>),
    List(Box<ValueKind>),
    Tuple(Vec<ValueKind>),
    Object(ObjectFields),
    AnyOf(Vec<ValueKind>),
    Nullable(Box<ValueKind>),
    Anything,
}

impl ValueKind {
    /// The kind that `schema` describes. The keyword `tsType` marks what JSON Schema does not have.
    pub(super) fn read(schema: &Value, place: SchemaContext<'_>) -> ValueKind {
        let is_too_much = place.references == 0 && schema.get("$ref").is_some();
        let Some(keywords) = place.resolve(schema).as_object() else { return ValueKind::Anything };
        if is_too_much || place.depth > MAX_DEPTH {
            return ValueKind::Anything;
        }
        match keywords.get("tsType").and_then(Value::as_str) {
            Some("Date") => return ValueKind::Date,
            Some("bigint") => return ValueKind::BigInteger,
            Some("File") => return ValueKind::File,
            _ => {}
        }
        let is_file = |part: &Value| place.resolve(part).get("tsType").is_some_and(|name| name == "File");
        if keywords.get("allOf").and_then(Value::as_array).is_some_and(|parts| parts.iter().any(is_file)) {
            return ValueKind::File;
        }
        if let Some(value) = keywords.get("const") {
            return ValueKind::union(vec![ValueKind::Choice(vec![value.clone()])]);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            return ValueKind::union(values.iter().map(|value| ValueKind::Choice(vec![value.clone()])).collect());
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(forms)) = keywords.get(keyword).filter(|_| !keywords.contains_key("properties")) {
                return ValueKind::union(
                    forms.iter().map(|form| ValueKind::read(form, place.inner(forms.len()))).collect(),
                );
            }
        }
        match keywords.get("type") {
            Some(Value::Array(types)) => {
                let typed = |name: &Value| ValueKind::typed(name.as_str().unwrap_or_default(), keywords, place);
                ValueKind::union(types.iter().map(typed).collect())
            }
            Some(Value::String(name)) => ValueKind::typed(name, keywords, place),
            _ if keywords.contains_key("properties") || keywords.contains_key("allOf") => {
                ValueKind::typed("object", keywords, place)
            }
            _ if keywords.contains_key("items") => ValueKind::typed("array", keywords, place),
            _ => ValueKind::Anything,
        }
    }

    fn typed(name: &str, keywords: &Map<String, Value>, place: SchemaContext<'_>) -> ValueKind {
        match name {
            "string" => {
                ValueKind::Text { one_line: keywords.contains_key("format") || keywords.contains_key("pattern") }
            }
            "number" => ValueKind::Number,
            "integer" => ValueKind::Integer,
            "boolean" => ValueKind::Boolean,
            "null" => ValueKind::Null,
            "object" => ValueKind::Object(ObjectFields::read(keywords, place)),
            "array" => match keywords.get("items") {
                Some(items @ Value::Object(_)) if !keywords.contains_key("prefixItems") => {
                    ValueKind::List(Box::new(ValueKind::read(items, place.inner(1))))
                }
                None if !keywords.contains_key("prefixItems") => ValueKind::List(Box::new(ValueKind::Anything)),
                _ => {
                    let items = keywords.get("prefixItems").and_then(Value::as_array);
                    let items = items.map(Vec::as_slice).unwrap_or_default();
                    ValueKind::Tuple(items.iter().map(|item| ValueKind::read(item, place.inner(items.len()))).collect())
                }
            },
            _ => ValueKind::Anything,
        }
    }

    /// One of several kinds: `null` becomes [`ValueKind::Nullable`], and choices are merged.
    fn union(kinds: Vec<ValueKind>) -> ValueKind {
        let (mut rest, mut choices, mut may_be_null) = (Vec::new(), Vec::new(), false);
        for kind in kinds {
            match kind {
                ValueKind::Null => may_be_null = true,
                ValueKind::Choice(values) => {
                    may_be_null |= values.contains(&Value::Null);
                    choices.extend(values.into_iter().filter(|value| !value.is_null()));
                }
                ValueKind::Nullable(kind) => {
                    may_be_null = true;
                    rest.push(*kind);
                }
                ValueKind::AnyOf(kinds) => rest.extend(kinds),
                kind => rest.push(kind),
            }
        }
        if !choices.is_empty() {
            rest.insert(0, ValueKind::Choice(choices));
        }
        let kind = match rest.len() {
            0 => return ValueKind::Null,
            1 => rest.remove(0),
            _ => ValueKind::AnyOf(rest),
        };
        if may_be_null { ValueKind::Nullable(Box::new(kind)) } else { kind }
    }

    pub(super) fn inner(&self) -> &ValueKind {
        match self {
            ValueKind::Nullable(kind) => kind,
            kind => kind,
        }
    }

    /// Whether a value of this kind may be a file.
    pub(super) fn takes_file(&self) -> bool {
        match self.inner() {
            ValueKind::File => true,
            ValueKind::AnyOf(kinds) => kinds.iter().any(ValueKind::takes_file),
            _ => false,
        }
    }

    /// Whether a value of this kind may be or contain a file.
    pub(super) fn has_file(&self) -> bool {
        match self.inner() {
            ValueKind::List(item) => item.has_file(),
            ValueKind::Tuple(items) => items.iter().any(ValueKind::has_file),
            ValueKind::Object(fields) => fields.kinds().any(ValueKind::has_file),
            ValueKind::AnyOf(kinds) => kinds.iter().any(ValueKind::has_file),
            kind => kind.takes_file(),
        }
    }

    /// The kind of an item of a list.
    pub(super) fn item(&self, index: usize) -> &ValueKind {
        match self.inner() {
            ValueKind::List(item) => item,
            ValueKind::Tuple(items) => items.get(index).unwrap_or(&ValueKind::Anything),
            ValueKind::AnyOf(kinds) => first_with_file(kinds.iter().map(|kind| kind.item(index))),
            _ => &ValueKind::Anything,
        }
    }

    /// The kind of a property of an object.
    pub(super) fn field(&self, name: &str) -> &ValueKind {
        match self.inner() {
            ValueKind::Object(fields) => fields.kind_of(name),
            ValueKind::AnyOf(kinds) => first_with_file(kinds.iter().map(|kind| kind.field(name))),
            _ => &ValueKind::Anything,
        }
    }

    pub(super) fn is_flag(&self) -> bool {
        match self.inner() {
            ValueKind::Boolean => true,
            ValueKind::Choice(values) => values.iter().all(Value::is_boolean),
            _ => false,
        }
    }

    /// The values of an enumeration, as they are typed; empty for other kinds.
    pub(super) fn choices(&self) -> Vec<String> {
        match self.inner() {
            ValueKind::Choice(values) => values.iter().map(plain_value).collect(),
            ValueKind::List(item) => item.choices(),
            _ => Vec::new(),
        }
    }

    /// Whether it is free text, which can come from standard input.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.inner(), ValueKind::Text { .. })
    }

    /// The short name in help: `integer`, `string[]`, `fast|slow`.
    pub(super) fn name(&self) -> String {
        match self {
            ValueKind::Text { .. } => "string".into(),
            ValueKind::Date => "date".into(),
            ValueKind::File => "file".into(),
            ValueKind::BigInteger | ValueKind::Integer => "integer".into(),
            ValueKind::Number => "number".into(),
            ValueKind::Boolean => "boolean".into(),
            ValueKind::Null => "null".into(),
            ValueKind::Choice(values) => values.iter().map(plain_value).collect::<Vec<_>>().join("|"),
            ValueKind::List(item) => match item.name() {
                name if name.contains('|') => format!("({name})[]"),
                name => format!("{name}[]"),
            },
            ValueKind::Tuple(_) => "array".into(),
            ValueKind::Object(fields) if fields.properties.is_empty() => "object".into(),
            ValueKind::Object(fields) => {
                let name = |field: &Property| format!("{}{}", field.name, if field.is_required { "" } else { "?" });
                format!("{{{}}}", fields.properties.iter().map(name).collect::<Vec<_>>().join(", "))
            }
            ValueKind::AnyOf(kinds) => kinds.iter().map(ValueKind::name).collect::<Vec<_>>().join("|"),
            ValueKind::Nullable(kind) => format!("{}|null", kind.name()),
            ValueKind::Anything => "any".into(),
        }
    }

    /// The expectation in messages: `an integer (a whole number)`.
    pub(super) fn expected(&self) -> String {
        match self {
            ValueKind::Text { .. } => "a string".into(),
            ValueKind::Date => "a date such as 2026-01-31".into(),
            ValueKind::File => "a file".into(),
            ValueKind::BigInteger | ValueKind::Integer => "an integer (a whole number)".into(),
            ValueKind::Number => "a number".into(),
            ValueKind::Boolean => "a boolean (true or false)".into(),
            ValueKind::Null => "null".into(),
            ValueKind::Choice(values) if values.len() == 1 => plain_value(&values[0]),
            ValueKind::Choice(values) => {
                format!("one of {}", values.iter().map(plain_value).collect::<Vec<_>>().join(", "))
            }
            ValueKind::List(_) => format!("a JSON array ({})", self.name()),
            ValueKind::Tuple(_) => "a JSON array".into(),
            ValueKind::Object(fields) if fields.properties.is_empty() => "a JSON object".into(),
            ValueKind::Object(_) => format!("a JSON object {}", self.name()),
            ValueKind::AnyOf(kinds) => kinds.iter().map(ValueKind::expected).collect::<Vec<_>>().join(", or "),
            ValueKind::Nullable(kind) => format!("{}, or null", kind.expected()),
            ValueKind::Anything => "a value".into(),
        }
    }

    /// Whether a JSON value is of this kind; the schema checks the rest.
    pub(super) fn takes(&self, value: &Value) -> bool {
        match self {
            ValueKind::Text { .. } | ValueKind::Date => value.is_string(),
            ValueKind::BigInteger => value.is_number() || value.is_string(),
            ValueKind::File => is_resource(value) || value.as_str().is_some_and(|text| text.starts_with('@')),
            ValueKind::Number => value.is_number(),
            ValueKind::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            ValueKind::Boolean => value.is_boolean(),
            ValueKind::Null => value.is_null(),
            ValueKind::Choice(values) => values.contains(value),
            ValueKind::List(item) => {
                value.as_array().is_some_and(|values| values.iter().all(|value| item.takes(value)))
            }
            ValueKind::Tuple(_) => value.is_array(),
            ValueKind::Object(_) => value.is_object(),
            ValueKind::AnyOf(kinds) => kinds.iter().any(|kind| kind.takes(value)),
            ValueKind::Nullable(kind) => value.is_null() || kind.takes(value),
            ValueKind::Anything => true,
        }
    }
}

fn first_with_file<'a>(mut kinds: impl Iterator<Item = &'a ValueKind>) -> &'a ValueKind {
    kinds.find(|kind| kind.has_file()).unwrap_or(&ValueKind::Anything)
}

/// Follows the `$ref` of a schema within `root`.
pub(super) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    // References may be circular.
    for _ in 0..MAX_DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return schema };
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else { break };
        schema = target;
    }
    schema
}

/// A value in the notation of an argument.
pub(super) fn plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
