//! The schema of an answer in OpenAI's words; shared by the Responses and the chat completions format.

use serde_json::{Map, Value};

use super::answer_schema::{STRICT, is_object, reduce};
use crate::chat::ResponseFormat;

/// OpenAI's models from before there were schemas.
const WITHOUT_SCHEMA: [&str; 6] = ["gpt-3.5", "gpt-4-", "gpt-4o-2024-05-13", "chatgpt-4o", "o1-mini", "o1-preview"];

/// Whether a model of OpenAI's takes a schema; one that is not known is a newer one.
pub(super) fn takes_schema(model_id: &str) -> bool {
    model_id != "gpt-4" && !WITHOUT_SCHEMA.iter().any(|old| model_id.starts_with(old))
}

/// `{name, schema, strict}`, strictly where the schema allows it; `None` for an answer that is no object, which is not
/// taken.
pub(super) fn json_schema(format: &ResponseFormat, options: Option<&Map<String, Value>>) -> Option<Map<String, Value>> {
    if !is_object(&format.schema) {
        return None;
    }
    let may_be_strict = options.and_then(|options| options.get("strictJsonSchema")) != Some(&Value::Bool(false));
    let strict = reduce(&format.schema, &STRICT).filter(|_| may_be_strict);
    let mut wire = Map::new();
    wire.insert("name".into(), format.name.clone().into());
    wire.insert("strict".into(), strict.is_some().into());
    wire.insert("schema".into(), strict.unwrap_or_else(|| format.schema.clone()));
    Some(wire)
}
