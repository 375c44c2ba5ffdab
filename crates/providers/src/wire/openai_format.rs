//! Output schemas in OpenAI's format, for Responses and chat completions.

use serde_json::{Map, Value};

use super::{
    output_schema::{STRICT, is_object, reduce},
    tool_schema::{OPENAI, adapted},
};
use lmthing_base::chat::ResponseFormat;

const WITHOUT_SCHEMA: [&str; 6] = ["gpt-3.5", "gpt-4-", "gpt-4o-2024-05-13", "chatgpt-4o", "o1-mini", "o1-preview"];

pub(super) fn takes_schema(model_id: &str) -> bool {
    model_id != "gpt-4" && !WITHOUT_SCHEMA.iter().any(|old| model_id.starts_with(old))
}

/// `{name, schema, strict}`, strict if the schema allows it; `None` if the output is not an object.
pub(super) fn json_schema(format: &ResponseFormat, options: Option<&Map<String, Value>>) -> Option<Map<String, Value>> {
    if !is_object(&format.schema) {
        return None;
    }
    let may_be_strict = options.and_then(|options| options.get("strictJsonSchema")) != Some(&Value::Bool(false));
    let strict = reduce(&format.schema, &STRICT).filter(|_| may_be_strict);
    let mut wire = Map::new();
    wire.insert("name".into(), format.name.clone().into());
    wire.insert("strict".into(), strict.is_some().into());
    wire.insert("schema".into(), strict.unwrap_or_else(|| adapted(&format.schema, &OPENAI).schema));
    Some(wire)
}
