//! What a word can be for one part of a schema. Must not know words.

use serde_json::{Map, Value};

use super::property::{Fields, Property};

/// Objects within objects are looked into this deep.
const MAX_DEPTH: usize = 12;

/// So many references are followed in all: a schema may refer to itself in many places, and again in each of them.
const MAX_REFERENCES: usize = 4096;

/// Where in a schema a part stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    root: &'a Value,
    depth: usize,
    /// How many references may still be followed from here on. Neighbours share evenly: what one unfolds must not leave
    /// the next without a kind.
    references: usize,
}

impl<'a> Place<'a> {
    pub(super) fn of_root(root: &'a Value) -> Self {
        Place { root, depth: 0, references: MAX_REFERENCES }
    }

    /// The place of one of `count` parts of the part that stands here.
    pub(super) fn inner(self, count: usize) -> Self {
        Place { depth: self.depth + 1, references: self.references / count.max(1), ..self }
    }

    pub(super) fn resolve(self, schema: &'a Value) -> &'a Value {
        resolve(schema, self.root)
    }
}

/// What a value is, as far as words have to tell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// `one_line` when there is a format or pattern, which no line break at the end of a file fits.
    Text {
        one_line: bool,
    },
    /// Text that becomes a `Date`.
    Date,
    /// Digits that become a `bigint`.
    BigInteger,
    Number,
    Integer,
    Boolean,
    Null,
    /// One of these values.
    Choice(Vec<Value>),
    /// Any number of values of one kind.
    List(Box<Kind>),
    /// A list with a kind for each place.
    Tuple,
    Object(Fields),
    /// One of these, but for `null`.
    AnyOf(Vec<Kind>),
    /// The kind or `null`.
    Nullable(Box<Kind>),
    Anything,
}

impl Kind {
    /// The kind that `schema`, the part at `place`, describes. The keyword `tsType` tells dates and big integers, which
    /// JSON has no words for.
    pub(super) fn read(schema: &Value, place: Place<'_>) -> Kind {
        let is_too_much = place.references == 0 && schema.get("$ref").is_some();
        let Some(keywords) = place.resolve(schema).as_object() else { return Kind::Anything };
        if is_too_much || place.depth > MAX_DEPTH {
            return Kind::Anything;
        }
        match keywords.get("tsType").and_then(Value::as_str) {
            Some("Date") => return Kind::Date,
            Some("bigint") => return Kind::BigInteger,
            _ => {}
        }
        if let Some(value) = keywords.get("const") {
            return Kind::union(vec![Kind::Choice(vec![value.clone()])]);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            return Kind::union(values.iter().map(|value| Kind::Choice(vec![value.clone()])).collect());
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(forms)) = keywords.get(keyword).filter(|_| !keywords.contains_key("properties")) {
                return Kind::union(forms.iter().map(|form| Kind::read(form, place.inner(forms.len()))).collect());
            }
        }
        match keywords.get("type") {
            Some(Value::Array(types)) => {
                let typed = |name: &Value| Kind::typed(name.as_str().unwrap_or_default(), keywords, place);
                Kind::union(types.iter().map(typed).collect())
            }
            Some(Value::String(name)) => Kind::typed(name, keywords, place),
            _ if keywords.contains_key("properties") || keywords.contains_key("allOf") => {
                Kind::typed("object", keywords, place)
            }
            _ if keywords.contains_key("items") => Kind::typed("array", keywords, place),
            _ => Kind::Anything,
        }
    }

    fn typed(name: &str, keywords: &Map<String, Value>, place: Place<'_>) -> Kind {
        match name {
            "string" => Kind::Text { one_line: keywords.contains_key("format") || keywords.contains_key("pattern") },
            "number" => Kind::Number,
            "integer" => Kind::Integer,
            "boolean" => Kind::Boolean,
            "null" => Kind::Null,
            "object" => Kind::Object(Fields::read(keywords, place)),
            "array" => match keywords.get("items") {
                Some(items @ Value::Object(_)) if !keywords.contains_key("prefixItems") => {
                    Kind::List(Box::new(Kind::read(items, place.inner(1))))
                }
                Some(_) => Kind::Tuple,
                None if keywords.contains_key("prefixItems") => Kind::Tuple,
                None => Kind::List(Box::new(Kind::Anything)),
            },
            _ => Kind::Anything,
        }
    }

    /// One of several kinds: what may be `null` says so outside, values to choose from come together.
    fn union(kinds: Vec<Kind>) -> Kind {
        let (mut rest, mut choices, mut may_be_null) = (Vec::new(), Vec::new(), false);
        for kind in kinds {
            match kind {
                Kind::Null => may_be_null = true,
                Kind::Choice(values) => {
                    may_be_null |= values.contains(&Value::Null);
                    choices.extend(values.into_iter().filter(|value| !value.is_null()));
                }
                Kind::Nullable(kind) => {
                    may_be_null = true;
                    rest.push(*kind);
                }
                Kind::AnyOf(kinds) => rest.extend(kinds),
                kind => rest.push(kind),
            }
        }
        if !choices.is_empty() {
            rest.insert(0, Kind::Choice(choices));
        }
        let kind = match rest.len() {
            0 => return Kind::Null,
            1 => rest.remove(0),
            _ => Kind::AnyOf(rest),
        };
        if may_be_null { Kind::Nullable(Box::new(kind)) } else { kind }
    }

    /// The kind without `null`.
    pub(super) fn inner(&self) -> &Kind {
        match self {
            Kind::Nullable(kind) => kind,
            kind => kind,
        }
    }

    /// Whether it is on or off.
    pub(super) fn is_flag(&self) -> bool {
        match self.inner() {
            Kind::Boolean => true,
            Kind::Choice(values) => values.iter().all(Value::is_boolean),
            _ => false,
        }
    }

    /// Whether it is free text, which standard input may be.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.inner(), Kind::Text { .. })
    }

    /// The type in a few characters, as help shows it: `integer`, `string[]`, `fast|slow`.
    pub(super) fn name(&self) -> String {
        match self {
            Kind::Text { .. } => "string".into(),
            Kind::Date => "date".into(),
            Kind::BigInteger | Kind::Integer => "integer".into(),
            Kind::Number => "number".into(),
            Kind::Boolean => "boolean".into(),
            Kind::Null => "null".into(),
            Kind::Choice(values) => values.iter().map(plain).collect::<Vec<_>>().join("|"),
            Kind::List(item) => match item.name() {
                name if name.contains('|') => format!("({name})[]"),
                name => format!("{name}[]"),
            },
            Kind::Tuple => "array".into(),
            Kind::Object(fields) if fields.properties.is_empty() => "object".into(),
            Kind::Object(fields) => {
                let name = |field: &Property| format!("{}{}", field.name, if field.is_required { "" } else { "?" });
                format!("{{{}}}", fields.properties.iter().map(name).collect::<Vec<_>>().join(", "))
            }
            Kind::AnyOf(kinds) => kinds.iter().map(Kind::name).collect::<Vec<_>>().join("|"),
            Kind::Nullable(kind) => format!("{}|null", kind.name()),
            Kind::Anything => "any".into(),
        }
    }

    /// What is expected, for messages: `an integer (a whole number)`.
    pub(super) fn expected(&self) -> String {
        match self {
            Kind::Text { .. } => "a string".into(),
            Kind::Date => "a date such as 2026-01-31".into(),
            Kind::BigInteger | Kind::Integer => "an integer (a whole number)".into(),
            Kind::Number => "a number".into(),
            Kind::Boolean => "a boolean (true or false)".into(),
            Kind::Null => "null".into(),
            Kind::Choice(values) if values.len() == 1 => plain(&values[0]),
            Kind::Choice(values) => format!("one of {}", values.iter().map(plain).collect::<Vec<_>>().join(", ")),
            Kind::List(_) => format!("a JSON array ({})", self.name()),
            Kind::Tuple => "a JSON array".into(),
            Kind::Object(fields) if fields.properties.is_empty() => "a JSON object".into(),
            Kind::Object(_) => format!("a JSON object {}", self.name()),
            Kind::AnyOf(kinds) => kinds.iter().map(Kind::expected).collect::<Vec<_>>().join(", or "),
            Kind::Nullable(kind) => format!("{}, or null", kind.expected()),
            Kind::Anything => "a value".into(),
        }
    }

    /// Whether a JSON value is of this kind, as far as words have to tell: the schema says the rest.
    pub(super) fn takes(&self, value: &Value) -> bool {
        match self {
            Kind::Text { .. } | Kind::Date => value.is_string(),
            Kind::BigInteger => value.is_number() || value.is_string(),
            Kind::Number => value.is_number(),
            Kind::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Kind::Boolean => value.is_boolean(),
            Kind::Null => value.is_null(),
            Kind::Choice(values) => values.contains(value),
            Kind::List(item) => value.as_array().is_some_and(|values| values.iter().all(|value| item.takes(value))),
            Kind::Tuple => value.is_array(),
            Kind::Object(_) => value.is_object(),
            Kind::AnyOf(kinds) => kinds.iter().any(|kind| kind.takes(value)),
            Kind::Nullable(kind) => value.is_null() || kind.takes(value),
            Kind::Anything => true,
        }
    }
}

/// The schema itself, or what its `$ref` leads to within `root`.
pub(super) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    // References may lead in a circle.
    for _ in 0..MAX_DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return schema };
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else { break };
        schema = target;
    }
    schema
}

/// A value as one would type it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
