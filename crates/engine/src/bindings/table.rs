//! The table of all methods of a prompt.

use super::{
    agents,
    code_mode::{functions, methods},
    mcp,
    plugins::{task_graph, task_list},
    prompt::{call::method, definitions, effects, method_table::Method, state},
    tools::{define, provider},
};

/// In the order that scripts see. A test compares it with `runtime-js/types/lmthing.d.ts`.
pub(crate) const METHODS: &[Method] = &[
    Method { name: "def", function: |ctx| method(ctx, definitions::def), is_plugin: false },
    Method { name: "defData", function: |ctx| method(ctx, definitions::def_data), is_plugin: false },
    Method { name: "defSystem", function: |ctx| method(ctx, definitions::def_system), is_plugin: false },
    Method { name: "defMessage", function: |ctx| method(ctx, definitions::def_message), is_plugin: false },
    Method { name: "$", function: |ctx| method(ctx, definitions::dollar), is_plugin: false },
    Method { name: "defTool", function: |ctx| method(ctx, define::def_tool), is_plugin: false },
    Method { name: "defAgent", function: |ctx| method(ctx, agents::def_agent), is_plugin: false },
    Method { name: "defMcp", function: |ctx| method(ctx, mcp::define::def_mcp), is_plugin: false },
    Method { name: "defWebSearch", function: |ctx| method(ctx, provider::def_web_search), is_plugin: false },
    Method { name: "defProviderTool", function: |ctx| method(ctx, provider::def_provider_tool), is_plugin: false },
    Method { name: "defState", function: |ctx| method(ctx, state::def_state), is_plugin: false },
    Method { name: "getState", function: |ctx| method(ctx, state::get_state), is_plugin: false },
    Method { name: "defEffect", function: |ctx| method(ctx, effects::def_effect), is_plugin: false },
    Method { name: "getRemindedItems", function: |ctx| method(ctx, definitions::get_reminded_items), is_plugin: false },
    Method { name: "defTaskList", function: |ctx| method(ctx, task_list::def_task_list), is_plugin: true },
    Method { name: "defTaskGraph", function: |ctx| method(ctx, task_graph::def_task_graph), is_plugin: true },
    Method { name: "defFunction", function: |ctx| method(ctx, functions::def_function), is_plugin: true },
    Method { name: "defFunctionAgent", function: |ctx| method(ctx, functions::def_function_agent), is_plugin: true },
    Method { name: "defMethod", function: |ctx| method(ctx, methods::def_method), is_plugin: true },
];
