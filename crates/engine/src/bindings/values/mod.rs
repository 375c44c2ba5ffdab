//! Conversion between JavaScript values and plain data, and the errors that bindings throw.

use rquickjs::{
    Array, Ctx, Error, Exception, FromJs, Function, IntoJs, Object, Result, Value,
    function::{Args, IntoArgs, This},
    object::Property,
    prelude::Coerced,
};

use lmthing_base::chat::{MAX_JSON_DEPTH, ToolInput, read_json};
use lmthing_node::{ScriptError, string_text};

pub(crate) mod abort;
pub(crate) mod blob;
pub(crate) mod messages;
pub(crate) mod schema;
mod size;
pub(crate) mod snapshot;
pub(crate) mod steps;
pub(crate) mod text;
mod zod_files;
pub(crate) mod zod_functions;
mod zod_parts;

pub(crate) fn type_error(ctx: &Ctx<'_>, message: impl Into<String>) -> Error {
    ScriptError::type_error(message).throw(ctx)
}

pub(crate) fn plain_error(ctx: &Ctx<'_>, message: impl Into<String>) -> Error {
    ScriptError::error(message).throw(ctx)
}

/// Limit for JSON text that only JavaScript reads. What Rust parses is limited by [`MAX_JSON_DEPTH`].
const MAX_TEXT_DEPTH: usize = 1000;

/// Converts as `JSON.stringify` does, with `null` for `undefined`. Cycles and bigints throw. Lone surrogates become
/// U+FFFD.
pub(crate) fn to_json<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<serde_json::Value> {
    if let Some(string) = value.as_string() {
        return string_text(string).map(serde_json::Value::String);
    }
    let not_json = |error: &dyn std::fmt::Display| type_error(ctx, format!("not JSON: {error}"));
    size::check_size(ctx, value, MAX_JSON_DEPTH).map_err(|error| not_json(&error))?;
    read_json(&stringify(ctx, value)?).map_err(|error| not_json(&error))
}

pub(crate) fn to_json_text<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String> {
    size::check_size(ctx, value, MAX_TEXT_DEPTH).map_err(|error| type_error(ctx, format!("not JSON: {error}")))?;
    stringify(ctx, value)
}

fn stringify<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String> {
    ctx.json_stringify(value.clone())?.map_or_else(|| Ok("null".into()), |text| text.to_string())
}

pub(crate) fn from_json<'js>(ctx: &Ctx<'js>, value: &serde_json::Value) -> Result<Value<'js>> {
    match value {
        serde_json::Value::Null => Ok(Value::new_null(ctx.clone())),
        serde_json::Value::Bool(flag) => Ok(Value::new_bool(ctx.clone(), *flag)),
        serde_json::Value::String(text) => text.as_str().into_js(ctx),
        serde_json::Value::Number(number) => match number.as_i64() {
            // As in `JSON.parse`: integers above 31 bits are doubles.
            Some(integer) if i32::try_from(integer).is_ok() => (integer as i32).into_js(ctx),
            _ => number.as_f64().unwrap_or(f64::NAN).into_js(ctx),
        },
        serde_json::Value::Array(values) if has_long_text(value) => {
            let array = Array::new(ctx.clone())?;
            for (index, value) in values.iter().enumerate() {
                array.set(index, from_json(ctx, value)?)?;
            }
            Ok(array.into_value())
        }
        serde_json::Value::Object(fields) if has_long_text(value) => {
            let object = Object::new(ctx.clone())?;
            for (name, value) in fields {
                let value = Property::from(from_json(ctx, value)?).writable().enumerable().configurable();
                // Not `set`, which would treat the JSON key `__proto__` as the prototype.
                object.prop(name.as_str(), value)?;
            }
            Ok(object.into_value())
        }
        // One call into the engine instead of one for each property.
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => ctx.json_parse(value.to_string()),
    }
}

fn has_long_text(value: &serde_json::Value) -> bool {
    const LONG: usize = 1 << 20;
    match value {
        serde_json::Value::String(text) => text.len() > LONG,
        serde_json::Value::Array(values) => values.iter().any(has_long_text),
        serde_json::Value::Object(fields) => fields.values().any(has_long_text),
        _ => false,
    }
}

pub(crate) fn from_tool_input<'js>(ctx: &Ctx<'js>, input: &ToolInput) -> Result<Value<'js>> {
    match input.text().filter(|_| input.is_readable()) {
        Some(text) => ctx.json_parse(text),
        None => from_json(ctx, input.value()),
    }
}

pub(crate) fn from_serde<'js>(ctx: &Ctx<'js>, value: &impl serde::Serialize) -> Result<Value<'js>> {
    let text = serde_json::to_string(value).map_err(|error| type_error(ctx, error.to_string()))?;
    ctx.json_parse(text)
}

pub(crate) async fn call_async<'js, A: IntoArgs<'js>>(function: &Function<'js>, args: A) -> Result<Value<'js>> {
    let answer: Value = function.call(args)?;
    settle(answer).await
}

pub(crate) async fn apply_async<'js>(
    function: &Function<'js>,
    this: Value<'js>,
    values: Vec<Value<'js>>,
) -> Result<Value<'js>> {
    let mut args = Args::new(function.ctx().clone(), values.len());
    args.this(this)?;
    args.push_args(values)?;
    let answer: Value = args.apply(function)?;
    settle(answer).await
}

/// Awaits a thenable; returns other values as they are.
pub(crate) async fn settle<'js>(value: Value<'js>) -> Result<Value<'js>> {
    let ctx = value.ctx().clone();
    lmthing_node::settle(&ctx, value).await
}

pub(crate) fn kind_of(value: &Value<'_>) -> &'static str {
    if value.is_undefined() {
        "undefined"
    } else if value.is_null() {
        "null"
    } else if value.is_array() {
        "an array"
    } else if value.is_function() {
        "a function"
    } else if value.is_string() {
        "a string"
    } else if value.is_number() {
        "a number"
    } else if value.is_bool() {
        "a boolean"
    } else if value.is_symbol() {
        "a symbol"
    } else if value.is_promise() {
        "a promise (is an await missing?)"
    } else {
        "an object"
    }
}

/// `String(value)`; throws for symbols and objects without a primitive. Lone surrogates become U+FFFD.
pub(crate) fn to_text<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<String> {
    match value.as_string() {
        Some(string) => string_text(string),
        None => string_text(&Coerced::<rquickjs::String>::from_js(ctx, value)?.0),
    }
}

/// The message of a thrown value: an error's message, a string as it is, other values as JSON.
pub(crate) fn thrown_message<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> String {
    if let Some(text) = thrown.as_string().and_then(|text| string_text(text).ok()) {
        return text;
    }
    if let Some(object) = thrown.as_object() {
        let message: Option<rquickjs::String> = object.get("message").unwrap_or_else(|_| {
            // Clears the exception of a throwing getter.
            ctx.catch();
            None
        });
        let message = message.and_then(|message| string_text(&message).ok());
        if let Some(message) = message.filter(|message| !message.is_empty()) {
            return message;
        }
        if let Some(exception) = Exception::from_object(object.clone()) {
            let name: Option<String> = exception.as_object().get("name").ok();
            return name.unwrap_or_else(|| "Error".into());
        }
    }
    match to_json(ctx, thrown) {
        Ok(json) => json.to_string(),
        Err(_) => {
            ctx.catch();
            "an error that cannot be shown".into()
        }
    }
}

pub(crate) fn message_of(ctx: &Ctx<'_>, error: Error) -> String {
    match error {
        Error::Exception => thrown_message(ctx, &ctx.catch()),
        other => other.to_string(),
    }
}

pub(crate) fn elements<'js>(array: &Array<'js>) -> Result<Vec<Value<'js>>> {
    array.iter::<Value>().collect()
}

/// The value of a property; `None` for `undefined` and `null`.
pub(crate) fn property<'js>(object: &Object<'js>, key: &str) -> Result<Option<Value<'js>>> {
    let value: Value = object.get(key)?;
    Ok((!value.is_undefined() && !value.is_null()).then_some(value))
}

/// `function.bind(undefined, …values)`: keeps JavaScript values of a native function visible to the garbage collector.
pub(crate) fn bind<'js>(function: &Function<'js>, values: Vec<Value<'js>>) -> Result<Function<'js>> {
    let bind: Function = function.get("bind")?;
    let mut args = Args::new(function.ctx().clone(), values.len() + 1);
    args.this(function.clone())?;
    args.push_arg(Value::new_undefined(function.ctx().clone()))?;
    args.push_args(values)?;
    args.apply(&bind)
}

pub(crate) fn is_truthy(value: &Value<'_>) -> Result<bool> {
    Ok(Coerced::<bool>::from_js(value.ctx(), value.clone())?.0)
}

pub(crate) fn identity<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    Function::new(ctx.clone(), |this: This<Value<'js>>| this.0)
}
