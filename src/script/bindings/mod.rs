//! What prompt files call: the methods of a prompt, `lmthing`, `lmthing/plugins` and `lmthing/test`.
//!
//! Owns: reading arguments, calling callbacks, and showing plain data as JavaScript objects. What definitions mean is in
//! `prompt`, the order of a run in `session`; bindings only carry values across.

mod abort;
mod agents;
mod definitions;
mod effect_context;
mod effects;
mod execution;
mod function_call;
mod functions;
mod js_model;
mod messages;
mod methods;
mod models;
mod modules;
mod options;
mod prompt_file;
mod prompt_host;
mod providers;
mod reference;
mod run_parts;
mod run_prompt;
mod run_result;
mod schema;
mod services;
mod state;
mod stateful_class;
mod stateful_prompt;
mod step_modifier;
mod steps;
mod task_graph;
mod task_list;
mod task_tools;
mod tool_call;
mod tools;
mod values;

use rquickjs::{Ctx, Function, Object, Result};

pub use modules::NATIVE_MODULES;
pub use prompt_file::{FileRun, run_file};
pub use services::{Doors, Exchanges};
use stateful_prompt::{Core, Method, method};

/// Every method of a prompt, in the order a script sees them. `runtime-js/types/lmthing.d.ts` describes each.
const METHODS: &[Method] = &[
    Method { name: "def", function: |ctx| method(ctx, definitions::def) },
    Method { name: "defData", function: |ctx| method(ctx, definitions::def_data) },
    Method { name: "defSystem", function: |ctx| method(ctx, definitions::def_system) },
    Method { name: "defMessage", function: |ctx| method(ctx, definitions::def_message) },
    Method { name: "$", function: |ctx| method(ctx, definitions::dollar) },
    Method { name: "defTool", function: |ctx| method(ctx, tools::def_tool) },
    Method { name: "defAgent", function: |ctx| method(ctx, agents::def_agent) },
    Method { name: "defState", function: |ctx| method(ctx, state::def_state) },
    Method { name: "getState", function: |ctx| method(ctx, state::get_state) },
    Method { name: "defEffect", function: |ctx| method(ctx, effects::def_effect) },
    Method { name: "getRemindedItems", function: |ctx| method(ctx, definitions::get_reminded_items) },
    Method { name: "defTaskList", function: |ctx| method(ctx, task_list::def_task_list) },
    Method { name: "defTaskGraph", function: |ctx| method(ctx, task_graph::def_task_graph) },
    Method { name: "defFunction", function: |ctx| method(ctx, functions::def_function) },
    Method { name: "defFunctionAgent", function: |ctx| method(ctx, functions::def_function_agent) },
    Method { name: "defMethod", function: |ctx| method(ctx, methods::def_method) },
];

/// The methods that plugins come with; a plugin of a user may replace them, but not the others.
const PLUGIN_METHODS: &[&str] = &["defTaskList", "defTaskGraph", "defFunction", "defFunctionAgent", "defMethod"];

/// Whether a plugin may not define a method of this name.
fn is_protected(name: &str) -> bool {
    METHODS.iter().any(|method| method.name == name) && !PLUGIN_METHODS.contains(&name)
}

/// Whether a function is one of the native methods that `lmthing/plugins` hands out.
fn is_builtin<'js>(function: &Function<'js>) -> Result<bool> {
    function.as_object().map_or(Ok(false), |object: &Object<'js>| object.contains_key(modules::BUILTIN_MARK))
}

/// Prepares an engine for prompt files.
pub fn install(ctx: &Ctx<'_>, doors: Doors) -> Result<()> {
    let stored = ctx.store_userdata(services::Services::new(doors));
    stored.map(drop).map_err(|_| values::plain_error(ctx, "user data is in use"))?;
    stateful_prompt::finish_prototype(ctx)?;
    reference::Reference::finish_prototype(ctx)?;
    run_result::finish_prototype(ctx)
}

/// Status sections that plugins add to every step's system prompt.
fn plugin_sections<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Core) -> Result<Vec<(String, String)>> {
    let mut sections = Vec::new();
    sections.extend(task_list::section(ctx, bag)?);
    sections.extend(task_graph::section(ctx, bag)?);
    sections.extend(functions::section(ctx, bag, core)?);
    sections.extend(methods::section(ctx, bag, core)?);
    Ok(sections)
}
