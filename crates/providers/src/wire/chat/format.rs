//! Output schemas in chat completions.

use serde_json::{Map, Value, json};

use super::{dialect::Dialect, hosts, server::Server};
use crate::wire::openai_format::{json_schema, takes_schema};
use lmthing_base::chat::ModelRequest;

const GROQ_WITHOUT_SCHEMA: [&str; 9] =
    ["llama-3", "llama3", "llama-guard", "gemma", "qwen", "deepseek", "mixtral", "compound", "allam"];

pub(super) fn put(
    body: &mut Map<String, Value>,
    request: &ModelRequest,
    (model_id, server): (&str, Server),
    dialect: &Dialect,
    options: &Map<String, Value>,
) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    let is_off = options.get("structuredOutputs") == Some(&Value::Bool(false));
    let takes = match dialect {
        Dialect::OpenAi => takes_schema(model_id),
        // The service refuses schemas together with tools.
        Dialect::Groq => {
            request.tools.is_empty() && !GROQ_WITHOUT_SCHEMA.iter().any(|family| model_id.contains(family))
        }
        Dialect::Mistral | Dialect::Compatible(_) => true,
    };
    let Some(schema) = json_schema(format, Some(options)).filter(|_| takes && !is_off) else { return };
    // With tools, any answer would have to be JSON.
    let format = match hosts::takes_schema(server) {
        true => json!({ "type": "json_schema", "json_schema": schema }),
        false if !request.tools.is_empty() => return,
        false => json!({ "type": "json_object" }),
    };
    // A `response_format` in the options wins.
    body.entry("response_format").or_insert(format);
}
