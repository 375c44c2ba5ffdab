//! Output schemas for Cohere's models.

use serde_json::{Map, Value, json};

use crate::wire::output_schema::{References, Subset, is_object, reduce};
use lmthing_base::chat::CallSettings;

const SUBSET: Subset = Subset {
    narrowing: &[],
    formats: &["date-time", "uuid", "date", "time"],
    all_required: false,
    references: References::Any,
};

const WITHOUT_SCHEMA: [&str; 3] = ["command", "command-light", "command-nightly"];

pub(super) fn put(body: &mut Map<String, Value>, settings: &CallSettings, model_id: &str) {
    let Some(format) = settings.response_format.as_ref() else { return };
    // The service refuses schemas together with tools or documents.
    let alone = !body.contains_key("tools") && !body.contains_key("documents");
    if !alone || WITHOUT_SCHEMA.contains(&model_id) || !is_object(&format.schema) {
        return;
    }
    let mut wire = json!({ "type": "json_object" });
    // At least one property must be required.
    let has_required = |schema: &Value| schema["required"].as_array().is_some_and(|names| !names.is_empty());
    if let Some(schema) = reduce(&format.schema, &SUBSET).filter(has_required) {
        wire["json_schema"] = schema;
    }
    body.insert("response_format".into(), wire);
}
