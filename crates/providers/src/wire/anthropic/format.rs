//! Output schemas for Anthropic's models.

use serde_json::{Map, Value, json};

use super::models;
use crate::wire::{
    output_schema::{FORMATS, References, Subset, is_object, reduce},
    values::set_option,
};
use lmthing_base::chat::{ModelRequest, Role};

const SUBSET: Subset =
    Subset { narrowing: &["pattern"], formats: FORMATS, all_required: false, references: References::Plain };

pub(super) fn put(
    body: &mut Map<String, Value>,
    request: &ModelRequest,
    model_id: &str,
    options: Option<&Map<String, Value>>,
) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    // The service refuses a format together with a prefilled response.
    let begun = request.messages.last().is_some_and(|message| message.role == Role::Assistant);
    let takes = takes_format(options, has_structured_outputs(model_id)) && !begun;
    let Some(schema) = schema_form(&format.schema).filter(|_| takes) else { return };
    let config = body.entry("output_config").or_insert_with(|| json!({}));
    if let Value::Object(config) = config {
        config.insert("format".into(), json!({ "type": "json_schema", "schema": schema }));
    }
}

/// The option `structuredOutputMode`, which decides whether a schema is sent. It is in the instructions otherwise.
pub(crate) fn takes_format(options: Option<&Map<String, Value>>, model_does: bool) -> bool {
    match set_option(options, "structuredOutputMode").and_then(Value::as_str) {
        Some("outputFormat") => true,
        Some("jsonTool") => false,
        _ => model_does,
    }
}

pub(crate) fn has_structured_outputs(model_id: &str) -> bool {
    models::model(model_id).structured_outputs
}

pub(crate) fn schema_form(schema: &Value) -> Option<Value> {
    reduce(schema, &SUBSET).filter(is_object)
}
