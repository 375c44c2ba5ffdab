//! `def`, `defData`, `defSystem`, `defMessage`, `$`, `getRemindedItems`.

use std::rc::Rc;

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::{call::Call, recorded, reference::Reference, written_data::WrittenData};
use crate::{
    bindings::values::{
        blob::{blob_parts, refuse_blobs},
        kind_of, messages,
        text::{data_of, scalar_text},
        to_json, to_text, type_error,
    },
    prompt::{Data, DefinitionKind, Variable},
};
use lmthing_base::chat::{ContentPart, Role};

pub(crate) fn def(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "def: the name")?;
    let value = call.arg(1);
    let text = scalar_text(&call.ctx, &value)?.ok_or_else(|| {
        let hint = if value.is_object() { "; use defData for objects and arrays" } else { "" };
        let kind = kind_of(&value);
        type_error(&call.ctx, format!("def('{name}'): the value must be a string, got {kind}{hint}"))
    })?;
    define_variable(call, DefinitionKind::Def, name, Variable::Text(text))
}

pub(crate) fn def_data(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defData: the name")?;
    let value = call.arg(1);
    // `JSON.stringify` omits the first three and writes `{}` for a promise, so each is a mistake.
    if value.is_undefined() || value.is_function() || value.is_symbol() || value.is_promise() {
        let kind = kind_of(&value);
        return Err(type_error(&call.ctx, format!("defData('{name}'): the data must be JSON-like, got {kind}")));
    }
    refuse_blobs(&call.ctx, &value, &format!("defData('{name}')"))?;
    // Read first: a `toJSON` of the script may define something.
    let before = call.core.prompt.borrow().data(&name).cloned();
    let data = written_data(&call, &name, &value, before)?;
    define_variable(call, DefinitionKind::DefData, name, Variable::Data(data))
}

fn written_data<'js>(call: &Call<'js>, name: &str, value: &Value<'js>, before: Option<Rc<Data>>) -> Result<Rc<Data>> {
    let written = call.prompt.borrow().bag.take_written(name).filter(|written| written.is_for(before.as_ref()));
    let (data, written) = match (&before, written) {
        (Some(before), Some(written)) if written.is_unchanged(&call.ctx, value) => (before.clone(), Some(written)),
        (_, written) => {
            let data = data_of(&call.ctx, value, before.as_ref(), &format!("defData('{name}')"))?;
            let written = WrittenData::new(&call.ctx, value, &data, written);
            (data, written)
        }
    };
    if let Some(written) = written {
        call.prompt.borrow().bag.set_written(name, written);
    }
    Ok(data)
}

fn define_variable(call: Call<'_>, kind: DefinitionKind, name: String, value: Variable) -> Result<Value<'_>> {
    recorded::record(&call.ctx, &call.prompt, kind, &name)?;
    let defined = call.core.prompt.borrow_mut().define_variable(kind, &name, value);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    Reference::create(&call.ctx, &call.core, kind, name)
}

pub(crate) fn def_system(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defSystem: the name")?;
    let value = call.arg(1);
    let text = scalar_text(&call.ctx, &value)?.ok_or_else(|| {
        let kind = kind_of(&value);
        type_error(&call.ctx, format!("defSystem('{name}'): the content must be a string, got {kind}"))
    })?;
    recorded::record(&call.ctx, &call.prompt, DefinitionKind::DefSystem, &name)?;
    let defined = call.core.prompt.borrow_mut().define_system(&name, text);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    Reference::create(&call.ctx, &call.core, DefinitionKind::DefSystem, name)
}

/// `defMessage(role, content)`: a message of the conversation, added on the first run only. Rules:
/// docs/reference/messages.md.
pub(crate) fn def_message(call: Call<'_>) -> Result<Value<'_>> {
    let role = call.string(0, "defMessage: the role")?;
    let role = match role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        other => {
            let message = format!("defMessage: the role must be 'user', 'assistant' or 'system', got '{other}'");
            return Err(type_error(&call.ctx, message));
        }
    };
    let parts = messages::parts_from_js(&call.ctx, &call.arg(1), "defMessage: the content")?;
    if role == Role::System && parts.iter().any(|part| !matches!(part, ContentPart::Text { .. })) {
        let message = "defMessage: a system message is text; give files to defMessage('user', …)";
        return Err(type_error(&call.ctx, message));
    }
    add_message(&call, "defMessage", role, parts)?;
    Ok(Value::new_undefined(call.ctx.clone()))
}

/// `` $`…` `` or `$(text)`: a user message. `undefined` is dropped, an object with a `value` is replaced by it, other
/// plain objects appear as JSON.
pub(crate) fn dollar(call: Call<'_>) -> Result<Value<'_>> {
    let first = call.arg(0);
    let parts = if let Some(text) = first.as_string() {
        vec![ContentPart::text(text.to_string()?)]
    } else if let Some(parts) = blob_parts(&call.ctx, &first)? {
        parts
    } else if let Some(strings) = first.as_array() {
        template_parts(&call, strings)?
    } else {
        let kind = kind_of(&first);
        return Err(type_error(&call.ctx, format!("$ is a template tag: write $`your message`; got {kind}")));
    };
    add_message(&call, "$", Role::User, parts)?;
    Ok(Value::new_undefined(call.ctx.clone()))
}

fn add_message(call: &Call<'_>, method: &'static str, role: Role, parts: Vec<ContentPart>) -> Result<()> {
    if call.core.prompt.borrow().takes_messages() {
        recorded::record_message(&call.ctx, method, role, &parts)?;
    }
    call.core.prompt.borrow_mut().add_message(role, parts);
    Ok(())
}

/// The text of a template, which files divide.
fn template_parts<'js>(call: &Call<'js>, strings: &Array<'js>) -> Result<Vec<ContentPart>> {
    let (mut parts, mut text) = (Vec::new(), String::new());
    for (index, piece) in strings.iter::<Value>().enumerate() {
        let piece = piece?;
        if index > 0 {
            let value = call.arg(index);
            match blob_parts(&call.ctx, &value)? {
                Some(files) => {
                    end_text(&mut parts, &mut text);
                    parts.extend(files);
                }
                None => append(&mut text, interpolated(&call.ctx, value)?),
            }
        }
        refuse_blobs(&call.ctx, &piece, "$")?;
        // A piece is `undefined` if it has an invalid escape such as `\users`.
        if !piece.is_undefined() {
            append(&mut text, to_text(&call.ctx, piece)?);
        }
    }
    if parts.is_empty() {
        return Ok(vec![ContentPart::text(text)]);
    }
    end_text(&mut parts, &mut text);
    Ok(parts)
}

/// Providers refuse blank text between files.
fn end_text(parts: &mut Vec<ContentPart>, text: &mut String) {
    let text = std::mem::take(text);
    if !text.trim().is_empty() {
        parts.push(ContentPart::text(text));
    }
}

/// Appends into the buffer of the longer text, which may be large.
fn append(text: &mut String, mut more: String) {
    if more.len() > text.len() {
        more.insert_str(0, text);
        *text = more;
    } else {
        text.push_str(&more);
    }
}

fn interpolated<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<String> {
    if value.is_undefined() {
        return Ok(String::new());
    }
    if value.is_promise() {
        return Err(type_error(ctx, "a promise cannot stand in a message; is an await missing?"));
    }
    let Some(object) = value.as_object().filter(|_| !value.is_function()) else { return to_text(ctx, value) };
    refuse_blobs(ctx, &value, "$")?;
    if object.contains_key("value")? {
        let inner: Value = object.get("value")?;
        return if inner.is_undefined() { Ok(String::new()) } else { to_text(ctx, inner) };
    }
    let text = to_text(ctx, value.clone())?;
    if text == "[object Object]" { Ok(to_json(ctx, &value)?.to_string()) } else { Ok(text) }
}

/// `getRemindedItems()`: `[{type, name}]` of reminders that were not sent yet, in call order.
pub(crate) fn get_reminded_items(call: Call<'_>) -> Result<Value<'_>> {
    // Copied first: setting properties may run a setter on a prototype, which may define something.
    let items: Vec<(DefinitionKind, String)> = {
        let prompt = call.core.prompt.borrow();
        prompt.reminded_items().map(|(kind, name)| (kind, name.to_owned())).collect()
    };
    let list = Array::new(call.ctx.clone())?;
    for (index, (kind, name)) in items.into_iter().enumerate() {
        let item = Object::new(call.ctx.clone())?;
        item.set("type", kind.method())?;
        item.set("name", name)?;
        list.set(index, item)?;
    }
    Ok(list.into_value())
}
