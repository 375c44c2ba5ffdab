//! The arguments of a tool call (docs/reference/tools.md).

use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::json::{JsonError, MAX_DEPTH, read_json};

/// The arguments of a tool call: the text that the model wrote, and its value.
///
/// Both are needed. Providers cache their prompts by text, so arguments are sent back unchanged; and JSON text can hold what no
/// Rust value can, such as a lone surrogate, so JavaScript parses the text. Rust code works with the value. Two inputs are equal
/// when their values are. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct ToolInput {
    text: Option<Rc<str>>,
    value: Rc<Value>,
    problem: Option<String>,
}

impl ToolInput {
    /// Reads text that a model wrote. Empty text means `{}`; text that cannot be read becomes a JSON string, see
    /// [`ToolInput::problem`].
    pub fn from_text(text: &str) -> Self {
        if text.trim().is_empty() {
            return Value::Object(Map::new()).into();
        }
        match read_json::<Value>(text) {
            Ok(value) => ToolInput { text: Some(text.into()), ..value.into() },
            Err(JsonError::TooDeep) => ToolInput {
                text: Some(text.into()),
                value: Rc::new(Value::String(text.to_owned())),
                problem: Some(format!("the arguments are nested deeper than {MAX_DEPTH} levels")),
            },
            Err(JsonError::Invalid(_)) => Value::String(text.to_owned()).into(),
        }
    }

    /// Reads text that `JSON.stringify` wrote. The text is stored only where the value would lose something.
    pub fn from_stringified(text: &str) -> Self {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => value.into(),
            Err(_) => ToolInput::from_text(text),
        }
    }

    /// The value. Lone surrogates in it are U+FFFD.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The JSON text, where the original is known.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Why no tool can be called with these arguments: the text is not JSON, is a JSON string, or is too deeply nested.
    /// Lists and numbers are left to the tool's schema.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    pub fn is_readable(&self) -> bool {
        self.problem.is_none()
    }
}

impl From<Value> for ToolInput {
    fn from(value: Value) -> Self {
        // Arguments that are not JSON are stored as a string, also in recordings and in conversations that a script builds.
        let problem = value.is_string().then(|| "the arguments are not a JSON object".to_owned());
        ToolInput { text: None, value: Rc::new(value), problem }
    }
}

impl PartialEq for ToolInput {
    fn eq(&self, other: &Self) -> bool {
        // A replay has only the value, and whitespace must not make it a different request.
        self.value == other.value
    }
}

impl Serialize for ToolInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(ToolInput::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_is_kept_as_the_model_wrote_it() {
        let input = ToolInput::from_text("{ \"n\": 1.0, \"half\": \"\\ud800\" }\n");
        assert_eq!(input.text(), Some("{ \"n\": 1.0, \"half\": \"\\ud800\" }\n"));
        assert_eq!(*input.value(), json!({ "n": 1.0, "half": "\u{fffd}" }));
        assert!(input.is_readable());
        assert_eq!(input, ToolInput::from(json!({ "half": "\u{fffd}", "n": 1.0 })));
    }

    #[test]
    fn missing_arguments_are_an_empty_object() {
        for text in ["", " \n"] {
            let input = ToolInput::from_text(text);
            assert_eq!((input.value(), input.text(), input.is_readable()), (&json!({}), None, true));
        }
    }

    #[test]
    fn unreadable_arguments_become_strings_with_a_problem() {
        let broken = ToolInput::from_text("{\"a\":");
        assert_eq!((broken.value(), broken.text()), (&json!("{\"a\":"), None));
        assert_eq!(broken.problem(), Some("the arguments are not a JSON object"));
        let string = ToolInput::from_text("\"a\"");
        assert_eq!((string.value(), string.text(), string.is_readable()), (&json!("a"), Some("\"a\""), false));
        let text = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let deep = ToolInput::from_text(&text);
        assert_eq!((deep.value(), deep.text()), (&json!(text), Some(text.as_str())));
        assert_eq!(deep.problem(), Some("the arguments are nested deeper than 127 levels"));
    }

    #[test]
    fn stringified_text_is_stored_only_where_the_value_loses_something() {
        assert_eq!(ToolInput::from_stringified("{\"a\":1}").text(), None);
        assert_eq!(ToolInput::from_stringified("{\"a\":\"\\ud800\"}").text(), Some("{\"a\":\"\\ud800\"}"));
    }

    #[test]
    fn it_is_written_and_read_as_its_value() {
        let input = ToolInput::from_text("{ \"a\": 1 }");
        assert_eq!(serde_json::to_value(&input).unwrap(), json!({ "a": 1 }));
        assert_eq!(serde_json::from_value::<ToolInput>(json!({ "a": 1 })).unwrap(), input);
    }
}
