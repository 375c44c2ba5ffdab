//! Holding a Gemini model to the schema of the answer.

use serde_json::{Map, Value};

use super::{
    models::{bare_name, version},
    schema,
};
use crate::{
    chat::ModelRequest,
    provider::wire::answer_schema::{References, Subset, reduce},
};

/// What the conversion to Gemini's own schemas carries over.
const SUBSET: Subset = Subset {
    narrowing: &["minLength"],
    formats: &["date-time", "enum", "float", "double", "int32", "int64"],
    all_required: false,
    references: References::None,
};

/// Puts the schema into the `generationConfig`. Where that cannot be, the model has its instructions.
pub(super) fn put(
    generation: &mut Map<String, Value>,
    request: &ModelRequest,
    model_id: &str,
    options: Option<&Map<String, Value>>,
) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    let id = bare_name(model_id);
    let version = version(&id);
    // Models before the third refuse JSON together with functions, and Gemma refuses it altogether.
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
        // Newer models read JSON Schema itself, which says more.
        None if version.is_none_or(|version| version >= (2, 5)) => {
            generation.insert("responseJsonSchema".into(), format.schema.clone());
        }
        None => {}
    }
}
