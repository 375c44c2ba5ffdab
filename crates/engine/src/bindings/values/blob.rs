//! Blobs and files of scripts, as parts of messages (docs/reference/messages.md) and in the JSON of inputs.

use rquickjs::{
    Array, Constructor, Ctx, Function, Object, Result, TypedArray, Value, atom::PredefinedAtom, object::Filter,
};

use super::{MAX_TEXT_DEPTH, from_json, property, size, type_error};
use lmthing_base::{
    chat::{ContentPart, read_json},
    input::InputFile,
};
use lmthing_node::{Bytes, import_builtin};
use lmthing_system::attachment;

/// In how many items of a value lost files are searched for, as data may be large.
const MAX_SEARCHED: usize = 100;

/// The content of a `Blob` or `File`; `None` for other values.
pub(crate) fn blob_content<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<InputFile>> {
    let Some(object) = value.as_object().filter(|_| is_branded(ctx, value)) else { return Ok(None) };
    let read: Function = import_builtin(ctx, "lmthing:internal/web/blob")?.get("bytesOf")?;
    // Only a true blob has bytes.
    let Ok(bytes) = read.call::<_, Bytes>((object.clone(),)) else {
        ctx.catch();
        return Ok(None);
    };
    let text = |key: &str| property(object, key).map(|value| value.and_then(|value| value.get::<String>().ok()));
    let time = property(object, "lastModified")?.and_then(|time| time.as_number());
    Ok(Some(InputFile {
        name: text("name")?.unwrap_or_default(),
        media_type: text("type")?.unwrap_or_default(),
        bytes: bytes.0,
        last_modified: time.map(|time| time as i64),
    }))
}

/// Cheap, as it is asked of every value in a message.
fn is_branded<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
    let Some(object) = value.as_object().filter(|object| !object.is_array() && !object.is_proxy()) else {
        return false;
    };
    tag(ctx, object).is_some_and(|tag| tag == "Blob" || tag == "File")
}

fn tag<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Option<String> {
    let tag = object.get::<_, Value>(PredefinedAtom::SymbolToStringTag);
    tag.map_err(|_| ctx.catch()).ok().and_then(|tag| tag.as_string()?.to_string().ok())
}

/// The part of a message for a `Blob` or `File`; `None` for other values.
pub(crate) fn blob_part<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<ContentPart>> {
    Ok(blob_content(ctx, value)?.map(|file| {
        let name = Some(file.name.as_str()).filter(|name| !name.is_empty());
        attachment::part(&file.bytes, name, &file.media_type)
    }))
}

/// The parts for a blob, or for a list of nothing but blobs.
pub(crate) fn blob_parts<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Vec<ContentPart>>> {
    let Some(list) = value.as_array().filter(|list| !list.is_empty()) else {
        return Ok(blob_part(ctx, value)?.map(|part| vec![part]));
    };
    list.iter::<Value>().map(|item| blob_part(ctx, &item?)).collect()
}

/// Fails if a value that becomes text or JSON contains a file, which would be lost.
pub(crate) fn refuse_blobs<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<()> {
    let Some(object) = value.as_object().filter(|object| !object.is_proxy() && !value.is_function()) else {
        return Ok(());
    };
    let has_blob = |part: Value<'js>| is_branded(ctx, &part);
    let has_blob = match (value.as_array(), tag(ctx, object)) {
        (Some(list), _) => list.iter::<Value>().take(MAX_SEARCHED).any(|item| item.is_ok_and(has_blob)),
        (None, Some(_)) => is_branded(ctx, value),
        (None, None) => object
            .own_props::<String, Value>(Filter::new().string().enum_only())
            .take(MAX_SEARCHED)
            .any(|part| part.is_ok_and(|(_, part)| has_blob(part))),
    };
    if !has_blob {
        // Of a getter that throws.
        ctx.catch();
        return Ok(());
    }
    let hint = "give it as ${file} by itself or in a list of files, or its text with await file.text()";
    Err(type_error(ctx, format!("{place}: a File or Blob has no text of its own; {hint}")))
}

/// Replaces the bytes of `{type: 'image', image}` and `{type: 'file', data}` by base64 where they are a blob, and adds
/// what the blob knows.
pub(super) fn put_blob<'js>(ctx: &Ctx<'js>, part: &Object<'js>, key: &str, json: &mut serde_json::Value) -> Result<()> {
    let Some(value) = property(part, key)? else { return Ok(()) };
    let Some(file) = blob_content(ctx, &value)? else { return Ok(()) };
    let name = Some(file.name).filter(|name| !name.is_empty());
    json[key] = attachment::base64(&file.bytes).into();
    if json.get("mediaType").is_none() {
        json["mediaType"] = attachment::sent_type(&file.bytes, name.as_deref(), &file.media_type).into();
    }
    if let Some(name) = name.filter(|_| key == "data" && json.get("filename").is_none()) {
        json["filename"] = name.into();
    }
    Ok(())
}

/// A `File` of the script.
pub(crate) fn new_file<'js>(ctx: &Ctx<'js>, file: &InputFile) -> Result<Value<'js>> {
    let class: Constructor = ctx.globals().get("File")?;
    let pieces = Array::new(ctx.clone())?;
    pieces.set(0, TypedArray::<u8>::new_copy(ctx.clone(), &file.bytes)?)?;
    let options = Object::new(ctx.clone())?;
    let found = || attachment::media_type(&file.bytes, Some(&file.name)).unwrap_or_default();
    options.set("type", if file.media_type.is_empty() { found() } else { &file.media_type })?;
    if let Some(time) = file.last_modified {
        options.set("lastModified", time as f64)?;
    }
    class.construct((pieces, file.name.as_str(), options))
}

/// The JSON of data in which files are embedded resources. Without their times: data that a file makes when it is loaded
/// is the same each time.
pub(crate) fn input_json<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<serde_json::Value> {
    let text = json_with_files(ctx, value, |file| InputFile { last_modified: None, ..file })?;
    read_json(&text).map_err(|error| type_error(ctx, format!("not JSON: {error}")))
}

/// The JSON of an input, in which files are embedded resources.
pub(crate) fn input_json_text<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String> {
    json_with_files(ctx, value, |file| file)
}

fn json_with_files<'js>(ctx: &Ctx<'js>, value: &Value<'js>, change: fn(InputFile) -> InputFile) -> Result<String> {
    let not_json = |error| type_error(ctx, format!("not JSON: {error}"));
    size::check_size(ctx, value, MAX_TEXT_DEPTH).map_err(not_json)?;
    let replace = move |ctx: Ctx<'js>, _key: Value<'js>, value: Value<'js>| match blob_content(&ctx, &value)? {
        Some(file) => from_json(&ctx, &change(file).to_json()),
        None => Ok(value),
    };
    let replacer = Function::new(ctx.clone(), replace)?;
    let text = ctx.json_stringify_replacer(value.clone(), replacer)?;
    text.map_or_else(|| Ok("null".into()), |text| text.to_string())
}
