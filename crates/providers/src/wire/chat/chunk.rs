//! The chunks of a streamed answer of chat completions.

use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::{Value, json, value::RawValue};

use super::{
    tool_calls::{FunctionPiece, ToolCallPiece},
    usage::WireUsage,
};
use crate::wire::lenient::{self, TextOrJson};
use lmthing_base::chat::read_json;

// Rare fields are boxed, because every chunk is moved several times.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    // Repeated in every chunk and needed once, so not parsed.
    #[serde(default)]
    pub(super) id: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) created: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) model: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "lenient::list")]
    pub(super) choices: Vec<Choice>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) usage: Option<Box<WireUsage>>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) x_groq: Option<Box<GroqExtra>>,
    #[serde(default)]
    pub(super) citations: Option<Box<Value>>,
    #[serde(default)]
    pub(super) search_results: Option<Box<Value>>,
    #[serde(default, deserialize_with = "error_object")]
    pub(super) error: Option<Box<Value>>,
    #[serde(default)]
    pub(super) message: Option<Box<Value>>,
    #[serde(default)]
    pub(super) detail: Option<Box<Value>>,
    #[serde(default, rename = "type")]
    pub(super) kind: Option<Box<Value>>,
    #[serde(default)]
    pub(super) code: Option<Box<Value>>,
    #[serde(default)]
    pub(super) service_tier: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) delta: Option<Delta>,
    /// The whole message, from servers that do not stream.
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) message: Option<Box<Delta>>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    pub(super) finish_reason: Option<String>,
    /// The finish reason of the service that a router has asked.
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    pub(super) native_finish_reason: Option<String>,
    /// Azure.
    #[serde(default)]
    pub(super) content_filter_results: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) usage: Option<Box<WireUsage>>,
    #[serde(default, deserialize_with = "error_object")]
    pub(super) error: Option<Box<Value>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    /// A string; Mistral also sends a list of text and thinking parts.
    #[serde(default, deserialize_with = "lenient::text_or_json")]
    pub(super) content: TextOrJson,
    #[serde(default, deserialize_with = "lenient::text_or_json")]
    pub(super) reasoning: TextOrJson,
    #[serde(default, deserialize_with = "lenient::text_or_json")]
    pub(super) reasoning_content: TextOrJson,
    #[serde(default)]
    pub(super) reasoning_details: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    pub(super) refusal: Option<String>,
    #[serde(default, deserialize_with = "lenient::list")]
    pub(super) tool_calls: Vec<ToolCallPiece>,
    /// The deprecated form of `tool_calls`.
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) function_call: Option<Box<FunctionPiece>>,
    #[serde(default)]
    pub(super) extra_content: Option<Box<Value>>,
    #[serde(default)]
    pub(super) annotations: Option<Box<Value>>,
    #[serde(default)]
    pub(super) executed_tools: Option<Box<Value>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GroqExtra {
    #[serde(default, deserialize_with = "lenient::object")]
    pub(super) usage: Option<Box<WireUsage>>,
    #[serde(default, deserialize_with = "error_object")]
    pub(super) error: Option<Box<Value>>,
}

pub(super) fn has_choices(answer: &str) -> bool {
    #[derive(Deserialize)]
    struct Choices {
        choices: Vec<IgnoredAny>,
    }
    read_json::<Choices>(answer).is_ok_and(|whole| !whole.choices.is_empty())
}

/// Ignores empty errors, which some servers send with good responses.
fn error_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Value>>, D::Error> {
    let is_error = |error: &Value| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(object) => !object.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    Ok(Some(Value::deserialize(deserializer)?).filter(is_error).map(Box::new))
}

impl Chunk {
    pub(super) fn take_error(&mut self) -> Option<Box<Value>> {
        let error = self.error.take();
        let error = error.or_else(|| self.x_groq.as_mut().and_then(|extra| extra.error.take()));
        let error = error.or_else(|| self.choices.iter_mut().find_map(|choice| choice.error.take()));
        if error.is_some() || !self.choices.is_empty() {
            return error;
        }
        let text_of =
            |value: Option<Box<Value>>| value.filter(|value| value.as_str().is_some_and(|text| !text.is_empty()));
        let message = text_of(self.message.take()).or_else(|| text_of(self.detail.take()))?;
        Some(Box::new(json!({ "message": message, "type": self.kind.take(), "code": self.code.take() })))
    }
}
