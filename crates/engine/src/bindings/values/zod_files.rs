//! Files in zod schemas and in the JSON Schemas of them.

use rquickjs::{Object, Result, Value};

use super::{blob::new_file, property};
use lmthing_base::input::InputFile;

/// Whether a part is what zod makes of `z.file()`.
pub(super) fn has_file(schema: &serde_json::Value) -> bool {
    match schema {
        serde_json::Value::Array(parts) => parts.iter().any(has_file),
        serde_json::Value::Object(keywords) => {
            let is_binary = |key| keywords.get(key).is_some_and(|value| value == "binary");
            (is_binary("format") && is_binary("contentEncoding")) || keywords.values().any(has_file)
        }
        _ => false,
    }
}

/// Whether it is the definition of a part that takes files.
pub(super) fn is_file(definition: &Object<'_>) -> Result<bool> {
    match definition.get::<_, String>("type")?.as_str() {
        "file" => Ok(true),
        "custom" => takes_files(definition),
        _ => Ok(false),
    }
}

/// Whether it is `z.instanceof(Blob)` or `z.instanceof(File)`, which also hold with further checks: it takes a file and
/// no other object.
fn takes_files<'js>(definition: &Object<'js>) -> Result<bool> {
    let ctx = definition.ctx();
    let Some(test) = property(definition, "fn")?.and_then(Value::into_function) else { return Ok(false) };
    let file = new_file(ctx, &InputFile { name: "a".into(), bytes: vec![0], ..InputFile::default() })?;
    let takes = |value: Value<'js>| match test.call::<_, Value>((value,)) {
        Ok(answer) => answer.as_bool() == Some(true),
        Err(_) => {
            ctx.catch();
            false
        }
    };
    Ok(takes(file) && !takes(Object::new(ctx.clone())?.into_value()))
}
