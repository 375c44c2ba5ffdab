//! `defTool` and `tool()`: what a tool is made of (SPEC 5). Calling it is in `tool_call`.

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::{
    reference::Reference,
    schema::{Schema, Side},
    stateful_prompt::{Call, area},
    values::{elements, kind_of, property, type_error},
};
use crate::{
    chat::ToolSpec,
    prompt::{DefinitionKind, ToolDefinition},
};

/// The callbacks of a tool's options.
const CALLBACKS: &[&str] = &["beforeCall", "onSuccess", "onError"];

/// `defTool(name, description, inputSchema, execute, options?)`, or `defTool(name, description, [tool(…), …])` for one
/// tool that runs several. `options`: `responseSchema`, `beforeCall`, `onSuccess`, `onError`, `providerOptions`.
/// Throws a `TypeError` that names the tool and the argument. Returns a reference.
pub(super) fn def_tool(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defTool: the name")?;
    let place = format!("defTool('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let entry = match call.arg(2).as_array() {
        Some(list) => composite(&call.ctx, list, &place, "tool")?,
        None => single(&call, 2, &place)?,
    };
    entry.set("description", description.as_str())?;
    register(&call, DefinitionKind::DefTool, name, description, entry)
}

/// Puts a tool or agent into the prompt and the bag.
pub(super) fn register<'js>(
    call: &Call<'js>,
    kind: DefinitionKind,
    name: String,
    description: String,
    entry: Object<'js>,
) -> Result<Value<'js>> {
    let defined = call.core.prompt.borrow_mut().define_tool(&name, ToolDefinition { kind, description });
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    area(&call.bag, "tools")?.set(&name, entry)?;
    Reference::create(&call.ctx, &call.core, kind, name)
}

/// A tool entry from the arguments `inputSchema, execute, options` that start at `first`.
pub(super) fn single<'js>(call: &Call<'js>, first: usize, place: &str) -> Result<Object<'js>> {
    let entry = Object::new(call.ctx.clone())?;
    entry.set("inputSchema", call.arg(first))?;
    entry.set("execute", call.arg(first + 1))?;
    entry.set("options", call.arg(first + 2))?;
    check_entry(&call.ctx, &entry, place)?;
    Ok(entry)
}

/// A composite entry from an array of sub-definitions. `helper` is the function that makes one: `tool` or `agent`.
pub(super) fn composite<'js>(ctx: &Ctx<'js>, list: &Array<'js>, place: &str, helper: &str) -> Result<Object<'js>> {
    let mut names: Vec<String> = Vec::new();
    for (index, item) in elements(list)?.into_iter().enumerate() {
        let Some(item) = item.as_object() else {
            let kind = kind_of(&item);
            return Err(type_error(ctx, format!("{place}: item {index} must be made with {helper}(…), got {kind}")));
        };
        let name: Value = item.get("name")?;
        let Some(name) = name.as_string().map(rquickjs::String::to_string).transpose()? else {
            return Err(type_error(
                ctx,
                format!("{place}: item {index} needs a string 'name'; make it with {helper}(…)"),
            ));
        };
        if names.contains(&name) {
            return Err(type_error(ctx, format!("{place}: two items are named '{name}'")));
        }
        check_entry(ctx, item, &format!("{place}: {helper}('{name}')"))?;
        names.push(name);
    }
    if names.is_empty() {
        return Err(type_error(ctx, format!("{place}: the list is empty; give it at least one {helper}(…)")));
    }
    let entry = Object::new(ctx.clone())?;
    entry.set("items", list.clone())?;
    Ok(entry)
}

/// Checks `inputSchema`, `execute` and `options` of an entry.
pub(super) fn check_entry<'js>(ctx: &Ctx<'js>, entry: &Object<'js>, place: &str) -> Result<()> {
    Schema::from_value(ctx, &entry.get("inputSchema")?, &format!("{place}: inputSchema"))?;
    let execute: Value = entry.get("execute")?;
    if !execute.is_function() {
        let kind = kind_of(&execute);
        return Err(type_error(ctx, format!("{place}: execute must be a function, got {kind}")));
    }
    let options: Value = entry.get("options")?;
    if options.is_undefined() || options.is_null() {
        return Ok(());
    }
    let Some(options) = options.as_object().filter(|_| !options.is_array()) else {
        return Err(type_error(ctx, format!("{place}: the options must be an object, got {}", kind_of(&options))));
    };
    if let Some(schema) = property(options, "responseSchema")? {
        Schema::from_value(ctx, &schema, &format!("{place}: options.responseSchema"))?;
    }
    for name in CALLBACKS {
        if let Some(callback) = property(options, name)?.filter(|callback| !callback.is_function()) {
            let kind = kind_of(&callback);
            return Err(type_error(ctx, format!("{place}: options.{name} must be a function, got {kind}")));
        }
    }
    Ok(())
}

/// `tool(name, description, inputSchema, execute, options?)`, `agent(…)`, `func(…)`, `funcAgent(…)`: one item of an array
/// form. `helper` opens the error messages.
pub(super) fn sub_definition<'js>(ctx: &Ctx<'js>, helper: &str, args: Vec<Value<'js>>) -> Result<Object<'js>> {
    let arg = |index: usize| args.get(index).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
    let text = |index: usize, what: &str| match arg(index).as_string() {
        Some(text) => text.to_string(),
        None => Err(type_error(ctx, format!("{helper}: the {what} must be a string, got {}", kind_of(&arg(index))))),
    };
    let name = text(0, "name")?;
    let item = Object::new(ctx.clone())?;
    item.set("name", name.as_str())?;
    item.set("description", text(1, "description")?)?;
    item.set("inputSchema", arg(2))?;
    item.set("execute", arg(3))?;
    item.set("options", arg(4))?;
    check_entry(ctx, &item, &format!("{helper}('{name}')"))?;
    Ok(item)
}

/// A tool as the model is told of it: schemas as JSON Schema, the response schema and sub-tools in the description.
pub(super) fn tool_spec<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    tool: &ToolDefinition,
    entry: &Object<'js>,
) -> Result<ToolSpec> {
    let mut description = tool.description.clone();
    let input_schema = match property(entry, "items")?.and_then(Value::into_array) {
        None => {
            description.push_str(&response_note(ctx, entry, tool.kind)?);
            input_schema(ctx, entry)?
        }
        Some(items) => {
            let what = if tool.kind == DefinitionKind::DefAgent { "agents" } else { "tools" };
            description.push_str(&format!("\n\nAvailable sub-{what}:"));
            let mut variants = Vec::new();
            for item in items.iter::<Object>() {
                let item = item?;
                let (name, about): (String, Option<String>) = (item.get("name")?, item.get("description")?);
                description.push_str(&format!("\n- {name}: {}", about.unwrap_or_default()));
                description.push_str(&response_note(ctx, &item, tool.kind)?);
                variants.push(call_variant(&name, input_schema(ctx, &item)?));
            }
            composite_schema(variants)
        }
    };
    let options = property(entry, "options")?.and_then(Value::into_object);
    let provider_options = match options.map(|options| property(&options, "providerOptions")).transpose()?.flatten() {
        Some(options) => super::messages::provider_options(ctx, &options, name)?,
        None => None,
    };
    Ok(ToolSpec { name: name.to_owned(), description, input_schema, provider_options })
}

fn input_schema<'js>(ctx: &Ctx<'js>, entry: &Object<'js>) -> Result<serde_json::Value> {
    Schema::from_value(ctx, &entry.get("inputSchema")?, "inputSchema")?.to_tool_schema(ctx)
}

/// What the model is told of a tool's result; an agent's schema goes to the agent instead.
fn response_note<'js>(ctx: &Ctx<'js>, entry: &Object<'js>, kind: DefinitionKind) -> Result<String> {
    let options = property(entry, "options")?.and_then(Value::into_object);
    let schema = options.map(|options| property(&options, "responseSchema")).transpose()?.flatten();
    match schema {
        Some(schema) if kind == DefinitionKind::DefTool => {
            let schema = Schema::from_value(ctx, &schema, "responseSchema")?.to_json_schema(ctx, Side::Output)?;
            Ok(format!("\nReturns JSON that matches this schema: {schema}"))
        }
        _ => Ok(String::new()),
    }
}

fn call_variant(name: &str, args: serde_json::Value) -> serde_json::Value {
    let mut args = args;
    if let Some(args) = args.as_object_mut() {
        args.shift_remove("$schema");
    }
    serde_json::json!({
        "type": "object",
        "properties": { "name": { "type": "string", "const": name }, "args": args },
        "required": ["name", "args"],
        "additionalProperties": false,
    })
}

fn composite_schema(variants: Vec<serde_json::Value>) -> serde_json::Value {
    let items = match <[_; 1]>::try_from(variants) {
        Ok([only]) => only,
        Err(variants) => serde_json::json!({ "anyOf": variants }),
    };
    serde_json::json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "calls": { "type": "array", "items": items } },
        "required": ["calls"],
        "additionalProperties": false,
    })
}
