//! Holding a model at Bedrock to the schema of the answer.

use serde_json::{Map, Value, json};

use crate::{
    chat::ModelRequest,
    provider::wire::anthropic::{has_structured_outputs, schema_form},
};

/// Families besides Claude that can be held to a schema.
const FAMILIES: [&str; 6] = ["openai.gpt-oss", "qwen.qwen3", "deepseek.v3", "google.gemma-3", "minimax.", "moonshot"];

/// Puts the schema, which this service takes as text. Where that cannot be, the model has its instructions.
pub(super) fn put(body: &mut Map<String, Value>, request: &ModelRequest, model_id: &str) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    let takes = if model_id.contains("anthropic") {
        // Anthropic's own service knows it of this one too.
        has_structured_outputs(model_id) && !model_id.contains("opus-4-1")
    } else {
        FAMILIES.iter().any(|family| model_id.contains(family))
    };
    let Some(schema) = schema_form(&format.schema).filter(|_| takes) else { return };
    let structure = json!({ "jsonSchema": { "name": format.name, "schema": schema.to_string() } });
    let text_format = json!({ "type": "json_schema", "structure": structure });
    // What the author gave goes to the top level as it is, and wins.
    body.entry("outputConfig").or_insert_with(|| json!({ "textFormat": text_format }));
}
