//! Holding a model to the schema of the answer in the Responses API.

use serde_json::{Map, Value, json};

use crate::{
    chat::CallSettings,
    provider::wire::openai_format::{self, takes_schema},
};

/// Puts the schema beside what else is said of the text. Where that cannot be, the model has its instructions.
pub(super) fn put(
    body: &mut Map<String, Value>,
    settings: &CallSettings,
    model_id: &str,
    options: Option<&Map<String, Value>>,
) {
    let Some(format) = settings.response_format.as_ref().filter(|_| takes_schema(model_id)) else { return };
    let Some(mut wire) = openai_format::json_schema(format, options) else { return };
    wire.insert("type".into(), "json_schema".into());
    if let Value::Object(text) = body.entry("text").or_insert_with(|| json!({})) {
        text.insert("format".into(), wire.into());
    }
}
