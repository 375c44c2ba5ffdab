//! The exports of `lmthing` and `lmthing/plugins` (docs/reference/modules.md).

use rquickjs::{Array, Ctx, Function, Object, Result, Value, function::Rest, object::Property};

use super::{
    eval,
    models::factories,
    plugins::task_graph,
    prompt::method_table::BUILTIN_MARK,
    run::{module, run_prompt, stateful_class},
    table::METHODS,
    testing,
    tools::define::array_form_member,
    values::{bind, elements, kind_of, to_text, type_error},
};
use lmthing_node::NativeModule;

pub const NATIVE_MODULES: &[NativeModule] = &[
    NativeModule { name: "lmthing", init: main_module },
    NativeModule { name: "lmthing/plugins", init: plugins_module },
    testing::NATIVE,
    eval::NATIVE,
];

fn main_module<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    export(&exports, "runPrompt", Function::new(ctx.clone(), run_prompt::run_prompt)?)?;
    export(&exports, "run", Function::new(ctx.clone(), module::run)?)?;
    // One class under two names, so that `instanceof` holds with either.
    for name in ["StatefulPrompt", "Prompt"] {
        exports.set(name, stateful_class::constructor(ctx)?)?;
    }
    export(&exports, "tool", helper(ctx, "tool")?)?;
    export(&exports, "agent", helper(ctx, "agent")?)?;
    export(&exports, "createPluginArray", Function::new(ctx.clone(), create_plugin_array)?)?;
    // The second is its name in version 7 of the AI SDK.
    for name in ["stepCountIs", "isStepCount"] {
        export(&exports, name, Function::new(ctx.clone(), step_count_is)?)?;
    }
    export(&exports, "hasToolCall", Function::new(ctx.clone(), has_tool_call)?)?;
    factories::export(ctx, &exports)?;
    with_default(exports)
}

fn plugins_module<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    let groups: &[(&str, &[&str])] = &[
        ("taskListPlugin", &["defTaskList"]),
        ("taskGraphPlugin", &["defTaskGraph"]),
        ("functionPlugin", &["defFunction", "defFunctionAgent"]),
        ("methodPlugin", &["defMethod"]),
    ];
    let all = Array::new(ctx.clone())?;
    for (plugin, names) in groups {
        let object = Object::new(ctx.clone())?;
        for name in *names {
            let Some(method) = METHODS.iter().find(|method| method.name == *name) else { continue };
            let function = (method.function)(ctx)?.with_name(name)?;
            // A plugin list that names the built-in plugins must not replace the bound methods of a prompt.
            function.as_object().map_or(Ok(()), |object| object.prop(BUILTIN_MARK, Property::from(true)))?;
            object.set(*name, function.clone())?;
            exports.set(*name, function)?;
        }
        if !object.is_empty() {
            all.set(all.len(), object.clone())?;
            exports.set(*plugin, object)?;
        }
    }
    exports.set("builtinPlugins", all)?;
    export(&exports, "func", helper(ctx, "func")?)?;
    export(&exports, "funcAgent", helper(ctx, "funcAgent")?)?;
    task_graph::export_utilities(ctx, &exports)?;
    with_default(exports)
}

fn export<'js>(exports: &Object<'js>, name: &str, function: Function<'js>) -> Result<()> {
    exports.set(name, function.with_name(name)?)
}

/// Adds a default export with all exports, for `import lmthing from 'lmthing'`.
fn with_default(exports: Object<'_>) -> Result<Object<'_>> {
    let everything = Object::new(exports.ctx().clone())?;
    for entry in exports.props::<String, Value>() {
        let (name, value) = entry?;
        everything.set(name, value)?;
    }
    exports.set("default", everything)?;
    Ok(exports)
}

/// `tool`, `agent`, `func`, `funcAgent`: `(name, description, inputSchema, execute, options?)`, a member of an array
/// form.
fn helper<'js>(ctx: &Ctx<'js>, name: &'static str) -> Result<Function<'js>> {
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, args: Rest<Value<'js>>| array_form_member(&ctx, name, args.0))
}

/// `createPluginArray(...plugins)`: returns the plugin objects as an array; spreads arrays.
fn create_plugin_array<'js>(ctx: Ctx<'js>, plugins: Rest<Value<'js>>) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for plugin in plugins.0 {
        let items = match plugin.as_array() {
            Some(items) => elements(items)?,
            None => vec![plugin],
        };
        for item in items {
            if !item.is_object() || item.is_function() || item.is_array() {
                let message = format!("createPluginArray: a plugin is an object of functions, got {}", kind_of(&item));
                return Err(type_error(&ctx, message));
            }
            list.set(list.len(), item)?;
        }
    }
    Ok(list)
}

/// `stepCountIs(n)`: a stop condition that holds after n steps.
fn step_count_is<'js>(ctx: Ctx<'js>, count: Value<'js>) -> Result<Function<'js>> {
    if !count.is_number() {
        return Err(type_error(&ctx, format!("stepCountIs: the count must be a number, got {}", kind_of(&count))));
    }
    let condition = Function::new(ctx, |count: f64, run: Object<'js>| -> Result<bool> {
        let steps: Array = run.get("steps")?;
        Ok(steps.len() as f64 >= count)
    })?;
    bind(&condition, vec![count])
}

/// `hasToolCall(name | reference)`: a stop condition that holds when the last step called the tool.
fn has_tool_call<'js>(ctx: Ctx<'js>, name: Value<'js>) -> Result<Function<'js>> {
    if !name.is_string() && !name.is_object() {
        return Err(type_error(&ctx, format!("hasToolCall: the name must be a string, got {}", kind_of(&name))));
    }
    let name = match name.as_object() {
        Some(reference) => reference.get("name")?,
        None => name,
    };
    let wanted = to_text(&ctx, name)?;
    Function::new(ctx, move |run: Object<'js>| -> Result<bool> {
        let steps: Array = run.get("steps")?;
        let Some(last) = steps.len().checked_sub(1) else { return Ok(false) };
        let calls: Array = steps.get::<Object>(last)?.get("toolCalls")?;
        for call in calls.iter::<Object>() {
            if call?.get::<_, String>("toolName")? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    })
}
