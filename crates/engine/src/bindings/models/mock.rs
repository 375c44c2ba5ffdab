//! Mock models from a script's array (docs/reference/mock-models.md).

use std::{rc::Rc, time::Duration};

use rquickjs::{Ctx, Object, Result, Value, atom::PredefinedAtom, function::Opt, object::Filter};
use serde_json::{Map, Value as Json};

use super::resolve::model_object;
use crate::bindings::{
    services,
    values::{kind_of, message_of, property, to_json, to_json_text, type_error},
};
use lmthing_base::chat::Usage;
use lmthing_node::{host::host, string_text};
use lmthing_providers::{InvalidMockItem, MockItem, MockModel, MockOptions};

/// `createMockModel(items, {delay, usage, streaming}?)` of `lmthing/test`. `delay` is in milliseconds before each
/// item, `usage` holds token counts of every turn, `streaming: false` joins consecutive texts.
pub(crate) fn create_mock_model<'js>(
    ctx: Ctx<'js>,
    items: Opt<Value<'js>>,
    options: Opt<Value<'js>>,
) -> Result<Value<'js>> {
    let items = items.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
    let options = options.0.and_then(Value::into_object);
    let options = options.map(|options| mock_options(&ctx, &options)).transpose()?.unwrap_or_default();
    let model = mock_model(&ctx, &items, "createMockModel", options)?;
    services::count_mock(&ctx, &model)?;
    model_object(&ctx, Rc::new(model))
}

pub(crate) fn mock_model<'js>(
    ctx: &Ctx<'js>,
    items: &Value<'js>,
    place: &str,
    options: MockOptions,
) -> Result<MockModel> {
    let Some(list) = items.as_array() else {
        return Err(type_error(ctx, format!("{place}: the items must be an array, got {}", kind_of(items))));
    };
    let mut script = Vec::with_capacity(list.len());
    for (index, item) in list.iter::<Value>().enumerate() {
        let item = mock_item(ctx, index, &item?)?;
        script.push(item.map_err(|problem| type_error(ctx, format!("{place}: {problem}")))?);
    }
    let inner = host(ctx)?;
    let place = place.to_owned();
    Ok(MockModel::new(script, options).on_exhausted(move |count| inner.warn(&used_up_message(&place, count))))
}

/// Reads one item of a mock array. The inner error describes an invalid item.
pub(crate) fn mock_item<'js>(
    ctx: &Ctx<'js>,
    index: usize,
    item: &Value<'js>,
) -> Result<std::result::Result<MockItem, InvalidMockItem>> {
    if let Some(text) = plain_text(item)? {
        return Ok(Ok(MockItem::Text(text.into())));
    }
    let failed = |error| type_error(ctx, format!("mock item {index}: {}", message_of(ctx, error)));
    let mut json = match texts(item)? {
        Some(texts) => texts,
        None => to_json(ctx, item).map_err(failed)?,
    };
    // As text: a value would lose lone surrogates.
    let args = item.as_object().map(|item| property(item, "args")).transpose()?.flatten();
    if let Some(args) = args.filter(|args| !args.is_string()) {
        json["args"] = to_json_text(ctx, &args).map_err(failed)?.into();
    }
    Ok(MockItem::from_json(index, &json))
}

/// The properties of an object that has only texts, but for `args`, which is left out. A fast path, as most items of a
/// long script are calls.
fn texts(item: &Value<'_>) -> Result<Option<Json>> {
    let Some(object) = item.as_object().filter(|_| !item.is_array() && !item.is_proxy()) else { return Ok(None) };
    let mut texts = Map::new();
    for entry in object.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (name, value) = entry?;
        match value.as_string() {
            Some(text) => drop(texts.insert(name, string_text(text)?.into())),
            // Keeps its place.
            None if name == "args" && value.is_object() && !value.is_function() => drop(texts.insert(name, Json::Null)),
            None => return Ok(None),
        }
    }
    Ok((!object.contains_key(PredefinedAtom::ToJSON)?).then_some(Json::Object(texts)))
}

pub(crate) fn used_up_message(place: &str, count: usize) -> String {
    let items = match count {
        1 => "its one item has been played".to_owned(),
        count => format!("its {count} items have been played"),
    };
    format!("{place} is used up: {items}, and the model answers with nothing from now on")
}

/// The text of `{type: 'text', text}`. A fast path, as most items of a long script have this form.
fn plain_text(item: &Value<'_>) -> Result<Option<String>> {
    let Some(object) = item.as_object().filter(|_| !item.is_array()) else { return Ok(None) };
    let mut keys = object.own_keys::<String>(Filter::new().string());
    let is_known =
        |key: Option<Result<String>>| key.is_none_or(|key| key.is_ok_and(|key| key == "type" || key == "text"));
    if !(is_known(keys.next()) && is_known(keys.next()) && keys.next().is_none()) {
        return Ok(None);
    }
    let kind: Value = object.get("type")?;
    let text: Value = object.get("text")?;
    let is_text = kind.as_string().is_some_and(|kind| kind.to_string().is_ok_and(|kind| kind == "text"));
    // Lone surrogates cannot be a Rust string.
    Ok(text.as_string().filter(|_| is_text).and_then(|text| text.to_string().ok()))
}

fn mock_options<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<MockOptions> {
    let mut read = MockOptions::default();
    if let Some(delay) = property(options, "delay")? {
        let delay = delay.as_number().and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
        read.delay = delay.ok_or_else(|| type_error(ctx, "createMockModel: delay must be milliseconds"))?;
    }
    if let Some(usage) = property(options, "usage")? {
        let wrong = |error| type_error(ctx, format!("createMockModel: usage must hold token counts: {error}"));
        let usage: Usage = serde_json::from_value(to_json(ctx, &usage)?).map_err(wrong)?;
        // The total defaults to the sum of the two counts, as with real providers.
        let total = Usage::new(usage.input_tokens, usage.output_tokens).total_tokens;
        read.usage = Some(Usage { total_tokens: usage.total_tokens.or(total), ..usage });
    }
    if let Some(streaming) = property(options, "streaming")? {
        let streaming = streaming.as_bool();
        read.streaming =
            streaming.ok_or_else(|| type_error(ctx, "createMockModel: streaming must be true or false"))?;
    }
    Ok(read)
}
