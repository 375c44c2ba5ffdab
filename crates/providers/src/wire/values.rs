//! JSON helpers of encoders.

use std::borrow::Cow;

use serde_json::{Map, Value};

use lmthing_base::chat::{Content, ContentPart, Message, ProviderOptions, ToolInput, number};

pub(crate) fn normalize_numbers(value: &mut Value) {
    match value {
        Value::Number(n) if n.is_f64() => {
            if let Some(float) = n.as_f64() {
                *value = number(float);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize_numbers),
        Value::Object(map) => map.values_mut().for_each(normalize_numbers),
        _ => {}
    }
}

pub(crate) fn put<T: Into<Value>>(map: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

pub(crate) fn options_of<'a>(options: &'a ProviderOptions, names: &[&str]) -> Option<&'a Map<String, Value>> {
    names.iter().find_map(|name| options.get(*name).and_then(Value::as_object))
}

pub(crate) fn option<'a>(options: Option<&'a ProviderOptions>, provider: &str, key: &str) -> Option<&'a Value> {
    options?.get(provider)?.get(key).filter(|value| !value.is_null())
}

/// Copies options into a body. `table` has pairs of JavaScript name and wire name; both are accepted.
pub(crate) fn copy_options(
    options: Option<&Map<String, Value>>,
    table: &[(&str, &str)],
    body: &mut Map<String, Value>,
) {
    let Some(options) = options else { return };
    for (name, wire_name) in table {
        let value = options.get(*name).or_else(|| options.get(*wire_name));
        if let Some(value) = value.filter(|value| !value.is_null()) {
            body.insert((*wire_name).to_owned(), value.clone());
        }
    }
}

/// Copies options whose inner names are changed to those of the wire too.
pub(crate) fn copy_nested_options(
    options: Option<&Map<String, Value>>,
    table: &[(&str, &str)],
    body: &mut Map<String, Value>,
) {
    copy_options(options, table, body);
    for (_, wire_name) in table {
        if let Some(value) = body.get_mut(*wire_name) {
            *value = with_snake_case(value);
        }
    }
}

/// An option that is set.
pub(crate) fn set_option<'a>(options: Option<&'a Map<String, Value>>, name: &str) -> Option<&'a Value> {
    options?.get(name).filter(|value| !value.is_null())
}

pub(crate) fn with_snake_case(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(with_snake_case).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (snake_case(name), with_snake_case(value))).collect())
        }
        other => other.clone(),
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// The non-empty parts of a message. Borrowed if possible: a conversation is sent with every step, and may be large.
pub(crate) fn parts_of(message: &Message) -> Cow<'_, [ContentPart]> {
    let is_empty = |part: &ContentPart| matches!(part, ContentPart::Text { text, .. } if text.is_empty());
    match &message.content {
        Content::Text(text) if text.is_empty() => Cow::Borrowed(&[]),
        Content::Text(text) => Cow::Owned(vec![ContentPart::text(text.clone())]),
        Content::Parts(parts) if parts.iter().any(is_empty) => {
            Cow::Owned(parts.iter().filter(|part| !is_empty(part)).cloned().collect())
        }
        Content::Parts(parts) => Cow::Borrowed(parts),
    }
}

fn json_text(value: &Value) -> String {
    let mut value = value.clone();
    normalize_numbers(&mut value);
    value.to_string()
}

/// A tool call's arguments as JSON text, exactly as the model wrote them, so that the provider's prompt cache
/// matches.
pub(crate) fn arguments_text(input: &ToolInput) -> String {
    input.text().map_or_else(|| json_text(input.value()), str::to_owned)
}

pub(crate) fn arguments_object(input: &ToolInput) -> Value {
    if input.value().is_object() { input.value().clone() } else { Value::Object(Map::new()) }
}

pub(crate) fn metadata(provider: &str, entries: impl IntoIterator<Item = (&'static str, Value)>) -> ProviderOptions {
    let inner: Map<String, Value> = entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut outer = Map::new();
    outer.insert(provider.to_owned(), Value::Object(inner));
    outer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        assert_eq!(json_text(&json!({"a": 1.0, "b": [0.5, -0.0, 1e3]})), r#"{"a":1,"b":[0.5,0,1000]}"#);
    }

    #[test]
    fn arguments_that_are_not_json_become_an_empty_object() {
        assert_eq!(arguments_object(&ToolInput::from_text("{broken")), json!({}));
        assert_eq!(arguments_object(&ToolInput::from_text("{\"a\": 1}")), json!({"a": 1}));
    }

    #[test]
    fn arguments_are_sent_back_unchanged() {
        for text in ["{ \"a\" : 1.0 }", "{\"a\":\"\\ud800\"}", "[1]"] {
            assert_eq!(arguments_text(&ToolInput::from_text(text)), text);
        }
        assert_eq!(arguments_text(&ToolInput::from_text("{broken")), "\"{broken\"");
        assert_eq!(arguments_text(&ToolInput::from_text("")), "{}");
        assert_eq!(json_text(&json!({"a": 1.0})), "{\"a\":1}");
    }
}
