//! The prompt object, `StatefulPrompt`, and its plugins (docs/reference/prompt.md and docs/reference/plugins.md).

use std::rc::Rc;

use rquickjs::{
    Ctx, Function, JsLifetime, Result, Value,
    class::{Class, Trace},
    function::This,
    object::Filter,
};

use super::{
    bag::Bag,
    core::Core,
    method_table::{MethodTable, is_builtin},
};
use crate::bindings::values::{elements, kind_of, type_error};

/// A prompt. Every method is an own, bound property, so that a prompt function can destructure it: `({ def, $ }) => …`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct StatefulPrompt<'js> {
    /// Shared with references, which may outlive a run.
    #[qjs(skip_trace)]
    pub core: Rc<Core>,
    pub bag: Bag<'js>,
}

/// A handle to a prompt. Neither half is borrowed while JavaScript runs.
pub(crate) type PromptObject<'js> = Class<'js, StatefulPrompt<'js>>;

/// Creates a prompt with all built-in methods and those of `plugins`, `undefined` or an array of objects of
/// functions. `depth` is the number of agents it is nested in; `place` is the prefix of error messages.
pub(crate) fn create<'js>(
    ctx: &Ctx<'js>,
    depth: usize,
    plugins: &Value<'js>,
    place: &str,
) -> Result<PromptObject<'js>> {
    let core = Rc::new(Core { depth, ..Core::default() });
    let prompt = Class::instance(ctx.clone(), StatefulPrompt { core, bag: Bag::default() })?;
    for method in MethodTable::of(ctx)?.0 {
        let function: Function = prompt.get(method.name)?;
        prompt.set(method.name, bind(&function, prompt.as_value())?)?;
    }
    add_plugins(ctx, &prompt, plugins, place)?;
    Ok(prompt)
}

fn bind<'js>(function: &Function<'js>, this: &Value<'js>) -> Result<Function<'js>> {
    let bind: Function = function.get("bind")?;
    bind.call((This(function.clone()), this.clone()))
}

pub(crate) fn add_plugins<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    plugins: &Value<'js>,
    place: &str,
) -> Result<()> {
    if plugins.is_undefined() || plugins.is_null() {
        return Ok(());
    }
    let Some(plugins) = plugins.as_array() else {
        return Err(type_error(ctx, format!("{place} must be an array of plugin objects, got {}", kind_of(plugins))));
    };
    let plugins = elements(plugins)?;
    for (index, plugin) in plugins.iter().enumerate() {
        add_plugin(ctx, prompt, plugin, &format!("{place}[{index}]"))?;
    }
    prompt.borrow().bag.add_plugins(plugins);
    Ok(())
}

fn add_plugin<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, plugin: &Value<'js>, place: &str) -> Result<()> {
    for (name, function) in plugin_methods(ctx, plugin, place)? {
        let is_known = MethodTable::of(ctx)?.find(&name).is_some();
        // A built-in method of a plugin object such as `taskListPlugin` exists already.
        if !(is_known && is_builtin(&function)?) {
            prompt.set(name, bind(&function, prompt.as_value())?)?;
        }
    }
    Ok(())
}

pub(crate) fn plugin_methods<'js>(
    ctx: &Ctx<'js>,
    plugin: &Value<'js>,
    place: &str,
) -> Result<Vec<(String, Function<'js>)>> {
    let mut methods = Vec::new();
    let Some(object) = plugin.as_object().filter(|_| !plugin.is_array()) else {
        return Err(type_error(ctx, format!("{place} must be an object of functions, got {}", kind_of(plugin))));
    };
    let table = MethodTable::of(ctx)?;
    for entry in object.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (name, value) = entry?;
        // Other properties are data of the plugin.
        let Some(function) = value.as_function() else { continue };
        match table.find(&name) {
            Some(method) if !method.is_plugin => {
                let message = format!("{place}: '{name}' is a method of every prompt and cannot be replaced");
                return Err(type_error(ctx, message));
            }
            _ => methods.push((name, function.clone())),
        }
    }
    Ok(methods)
}
