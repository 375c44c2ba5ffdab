//! Output schemas for Gemini models.

use serde_json::{Map, Value};

use super::{
    model_name::{bare_name, version},
    schema,
};
use crate::wire::{
    output_schema::{References, Subset, reduce},
    tool_schema::{GEMINI, rewritten},
};
use lmthing_base::chat::ModelRequest;

const SUBSET: Subset =
    Subset { narrowing: &["minLength"], formats: schema::FORMATS, all_required: false, references: References::None };

pub(super) fn put(
    generation: &mut Map<String, Value>,
    request: &ModelRequest,
    model_id: &str,
    options: Option<&Map<String, Value>>,
) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    let id = bare_name(model_id);
    let version = version(&id);
    // Models before version 3 refuse JSON output together with functions, and Gemma always refuses it.
    if id.starts_with("gemma-") || (!request.tools.is_empty() && version.is_none_or(|version| version < (3, 0))) {
        return;
    }
    generation.insert("responseMimeType".into(), "application/json".into());
    if options.and_then(|options| options.get("structuredOutputs")) == Some(&Value::Bool(false)) {
        return;
    }
    let own = reduce(&format.schema, &SUBSET).and_then(|schema| schema::parameters(&schema));
    match own {
        Some(schema) => drop(generation.insert("responseSchema".into(), schema)),
        None if version.is_none_or(|version| version >= (2, 5)) => {
            generation.insert("responseJsonSchema".into(), rewritten(&format.schema, &GEMINI));
        }
        None => {}
    }
}
