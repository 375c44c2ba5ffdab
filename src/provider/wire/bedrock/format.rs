//! Output schemas for models at Bedrock.

use serde_json::{Map, Value, json};

use crate::{
    chat::ModelRequest,
    provider::wire::anthropic::{has_structured_outputs, schema_form},
};

const FAMILIES: [&str; 6] = ["openai.gpt-oss", "qwen.qwen3", "deepseek.v3", "google.gemma-3", "minimax.", "moonshot"];

pub(super) fn put(body: &mut Map<String, Value>, request: &ModelRequest, model_id: &str) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    let takes = if model_id.contains("anthropic") {
        has_structured_outputs(model_id) && !model_id.contains("opus-4-1")
    } else {
        FAMILIES.iter().any(|family| model_id.contains(family))
    };
    let Some(schema) = schema_form(&format.schema).filter(|_| takes) else { return };
    let structure = json!({ "jsonSchema": { "name": format.name, "schema": schema.to_string() } });
    let text_format = json!({ "type": "json_schema", "structure": structure });
    body.entry("outputConfig").or_insert_with(|| json!({ "textFormat": text_format }));
}
