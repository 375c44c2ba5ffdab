//! Texts and structured data of values in a prompt (docs/reference/prompt.md).

use std::rc::Rc;

use rquickjs::{CString, Ctx, Result, Value, atom::PredefinedAtom, object::Filter};

use super::{property, size::check_size, thrown_message, to_text, type_error};
use crate::prompt::Data;
use lmthing_base::chat::MAX_JSON_DEPTH;

/// The text of a string, number, boolean or bigint, or of an object with a string `value`, such as a reference.
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

/// Converts a value to structured data. Returns `before` if it was made from the same JSON: writing YAML is slow.
pub(crate) fn data_of<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    before: Option<&Rc<Data>>,
    place: &str,
) -> Result<Rc<Data>> {
    let wrong = |reason: String| type_error(ctx, format!("{place}: the data cannot be written: {reason}"));
    check_size(ctx, value, MAX_JSON_DEPTH).map_err(|error| wrong(format!("not JSON: {error}")))?;
    let json = ctx.json_stringify(value.clone()).map_err(|error| match error {
        rquickjs::Error::Exception => wrong(thrown_message(ctx, &ctx.catch())),
        other => other,
    })?;
    // Not copied: it may be many megabytes, and is nearly always the same as before.
    let json = json.map(CString::from_string).transpose()?;
    let json = json.as_ref().map_or("null", |json| json.as_str());
    match before.filter(|before| before.is_made_of(json)) {
        Some(before) => Ok(before.clone()),
        None => {
            // JSON shows a promise as `{}`, so other data needs no search.
            if json.contains("{}")
                && let Some(path) = path_to_promise(value, 0)
            {
                return Err(type_error(
                    ctx,
                    format!("{place}: {} is a promise; is an await missing?", shown_path(&path)),
                ));
            }
            Data::from_json(json).map(Rc::new).map_err(|error| wrong(error.to_string()))
        }
    }
}

/// The path to a promise in data, innermost step first. Skips proxies, `toJSON` and properties that throw.
fn path_to_promise(value: &Value<'_>, depth: usize) -> Option<Vec<String>> {
    let object = value.as_object().filter(|object| depth < MAX_JSON_DEPTH && !object.is_proxy())?;
    if value.is_promise() {
        return Some(Vec::new());
    }
    if let Some(array) = object.as_array() {
        return (0..array.len()).find_map(|index| {
            let item: Value = read(value.ctx(), array.get(index))?;
            step_to_promise(&item, depth, || format!("[{index}]"))
        });
    }
    let writes_itself = read(value.ctx(), object.contains_key(PredefinedAtom::ToJSON)).unwrap_or(true);
    if writes_itself || value.is_function() {
        return None;
    }
    object.own_props::<String, Value>(Filter::new().string().enum_only()).find_map(|entry| {
        let (name, item) = read(value.ctx(), entry)?;
        step_to_promise(&item, depth, || if is_name(&name) { format!(".{name}") } else { format!("['{name}']") })
    })
}

fn step_to_promise(value: &Value<'_>, depth: usize, step: impl FnOnce() -> String) -> Option<Vec<String>> {
    let mut path = path_to_promise(value, depth + 1)?;
    path.push(step());
    Some(path)
}

fn read<T>(ctx: &Ctx<'_>, value: Result<T>) -> Option<T> {
    value.map_err(|_| ctx.catch()).ok()
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
}

fn shown_path(path: &[String]) -> String {
    let path: String = path.iter().rev().map(String::as_str).collect();
    path.strip_prefix('.').map(str::to_owned).unwrap_or(path)
}
