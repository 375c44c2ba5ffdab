//! The text that stands for a value in a prompt (docs/reference.md, "The prompt").

use std::rc::Rc;

use rquickjs::{CString, Ctx, Result, Value};

use super::{property, thrown_message, to_text, type_error};
use crate::prompt::Data;

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

/// A value as structured data; `place` opens the error message. `before` is kept when the value still is what it was made
/// of: YAML is dear to write.
pub(crate) fn data_of<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    before: Option<&Rc<Data>>,
    place: &str,
) -> Result<Rc<Data>> {
    let wrong = |reason: String| type_error(ctx, format!("{place}: the data cannot be written: {reason}"));
    let json = ctx.json_stringify(value.clone()).map_err(|error| match error {
        rquickjs::Error::Exception => wrong(thrown_message(ctx, &ctx.catch())),
        other => other,
    })?;
    // Not copied: it may be many megabytes, and nearly always it is the same as before.
    let json = json.map(CString::from_string).transpose()?;
    let json = json.as_ref().map_or("null", |json| json.as_str());
    match before.filter(|before| before.is_made_of(json)) {
        Some(before) => Ok(before.clone()),
        None => Data::from_json(json).map(Rc::new).map_err(wrong),
    }
}
