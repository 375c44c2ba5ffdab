//! The text that stands for a value in a prompt (docs/reference.md, "The prompt").

use rquickjs::{Ctx, Result, Value};

use super::{property, thrown_message, to_json, to_text, type_error};
use crate::prompt::to_yaml;

/// The text of a value that has an obvious one: string, number, boolean, bigint, or an object with a string as its
/// `value`, as references have. `None` for anything else.
pub(crate) fn scalar_text<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<String>> {
    let plain = value.is_string() || value.is_number() || value.is_bool() || value.type_of() == rquickjs::Type::BigInt;
    if plain {
        return to_text(ctx, value.clone()).map(Some);
    }
    match value.as_object() {
        Some(object) if property(object, "value")?.is_some_and(|inner| inner.is_string()) && !value.is_array() => {
            object.get("value").map(Some)
        }
        _ => Ok(None),
    }
}

/// A value as YAML; `place` opens the error message.
pub(crate) fn yaml_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<String> {
    let json = to_json(ctx, value).map_err(|error| {
        let reason = thrown_message(ctx, &ctx.catch());
        match error {
            rquickjs::Error::Exception => type_error(ctx, format!("{place}: the data cannot be written: {reason}")),
            other => other,
        }
    })?;
    to_yaml(&json).map_err(|error| type_error(ctx, format!("{place}: the data cannot be written: {error}")))
}
