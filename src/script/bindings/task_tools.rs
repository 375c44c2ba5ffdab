//! Tools that a built-in plugin answers in Rust.

use rquickjs::{Ctx, Function, Object, Result, Value, function::Opt};

use super::{
    stateful_prompt::{Call, area},
    values::{bind, from_json, from_serde, property, to_json},
};
use crate::{
    chat::ToolSpec,
    prompt::{DefinitionKind, ToolDefinition},
};

/// Answers a plugin's tool: bag, tool name, arguments.
pub(super) type Answer = for<'js> fn(&Ctx<'js>, &Object<'js>, &str, &serde_json::Value) -> Result<serde_json::Value>;

/// Defines a tool of a plugin; its entry is made once a prompt.
pub(super) fn define<'js>(call: &Call<'js>, spec: ToolSpec, answer: Answer) -> Result<()> {
    let definition = ToolDefinition { kind: DefinitionKind::DefTool, description: spec.description };
    let defined = call.core.prompt.borrow_mut().define_tool(&spec.name, definition);
    defined.map_err(|error| super::values::type_error(&call.ctx, error.to_string()))?;
    let tools = area(&call.bag, "tools")?;
    if property(&tools, &spec.name)?.is_some() {
        return Ok(());
    }
    let name = spec.name.clone();
    let execute = Function::new(call.ctx.clone(), move |ctx: Ctx<'js>, bag: Object<'js>, args: Opt<Value<'js>>| {
        let args = match args.0 {
            Some(args) => to_json(&ctx, &args)?,
            None => serde_json::Value::Null,
        };
        from_json(&ctx, &answer(&ctx, &bag, &name, &args)?)
    })?;
    let entry = Object::new(call.ctx.clone())?;
    entry.set("inputSchema", from_serde(&call.ctx, &spec.input_schema)?)?;
    entry.set("execute", bind(&execute, vec![call.bag.clone().into_value()])?)?;
    tools.set(&spec.name, entry)
}

/// Whether the last run of the body made the plugin again; `tool` is one of its tools.
pub(super) fn is_made(bag: &Object<'_>, tool: &str) -> Result<bool> {
    area(bag, "tools")?.contains_key(tool)
}

/// The state entry of a plugin, `{value, set}`.
pub(super) fn state<'js>(bag: &Object<'js>, key: &str) -> Result<Option<Object<'js>>> {
    Ok(property(&area(bag, "state")?, key)?.and_then(Value::into_object))
}
