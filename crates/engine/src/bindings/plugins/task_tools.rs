//! Tools of the built-in plugins, which are answered in Rust.

use rquickjs::{Array, Ctx, Function, IntoJs, Result, Value, function::Opt};

use crate::{
    bindings::{
        prompt::{
            call::{Call, invoke},
            entry::{CallOptions, Callable, Entry, Registry},
            object::PromptObject,
            recorded,
        },
        values::{bind, from_json, from_serde, schema::Schema, to_json, type_error},
    },
    prompt::{DefinitionKind, ToolDefinition, ToolMaker},
};
use lmthing_base::chat::ToolSpec;

/// Takes prompt, tool name and input.
pub(crate) type AnswerTool =
    for<'js> fn(&Ctx<'js>, &PromptObject<'js>, &str, &serde_json::Value) -> Result<serde_json::Value>;

fn define<'js>(call: &Call<'js>, spec: ToolSpec, answer: AnswerTool) -> Result<()> {
    let is_defined = is_defined(&call.prompt, &[&spec.name]);
    let definition =
        ToolDefinition { maker: ToolMaker::Plugin, ..ToolDefinition::new(DefinitionKind::DefTool, spec.description) };
    let defined = call.core.prompt.borrow_mut().define_tool(&spec.name, definition);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    if is_defined {
        return Ok(());
    }
    let name = spec.name.clone();
    let execute =
        Function::new(call.ctx.clone(), move |ctx: Ctx<'js>, prompt: PromptObject<'js>, args: Opt<Value<'js>>| {
            let args = match args.0 {
                Some(args) => to_json(&ctx, &args)?,
                None => serde_json::Value::Null,
            };
            from_json(&ctx, &answer(&ctx, &prompt, &name, &args)?)
        })?;
    let schema = from_serde(&call.ctx, &spec.input_schema)?;
    let callable = Callable {
        input_schema: Schema::from_value(&call.ctx, &schema, &spec.name)?,
        // Bound, not captured, so that the collector sees the reference to the prompt.
        execute: bind(&execute, vec![call.prompt.clone().into_value()])?,
        options: CallOptions::default(),
    };
    call.prompt.borrow().bag.set_entry(Registry::Tools, &spec.name, Entry::Single(callable));
    Ok(())
}

/// Defines the tools of a plugin. Returns `[value, set]` of the state of its tasks.
pub(crate) fn define_plugin<'js>(
    call: &Call<'js>,
    method: &str,
    tools: Vec<ToolSpec>,
    answer: AnswerTool,
    state_key: &str,
    initial: Value<'js>,
) -> Result<Value<'js>> {
    recorded::record_plugin(&call.ctx, method, state_key, &tools)?;
    for tool in tools {
        define(call, tool, answer)?;
    }
    invoke(&call.prompt, "defState", vec![state_key.into_js(&call.ctx)?, initial])
}

/// Whether the last run of the body defined any of `tools` by the plugin, not by the author.
pub(crate) fn is_defined(prompt: &PromptObject<'_>, tools: &[&str]) -> bool {
    let prompt = prompt.borrow();
    let definitions = prompt.core.prompt.borrow();
    tools.iter().any(|name| definitions.tool(name).is_some_and(|tool| tool.maker == ToolMaker::Plugin))
}

pub(crate) fn given_tasks<'js>(call: &Call<'js>) -> Result<Value<'js>> {
    let given = call.arg(0);
    if given.is_undefined() { Array::new(call.ctx.clone()).map(Array::into_value) } else { Ok(given) }
}
