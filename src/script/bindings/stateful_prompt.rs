//! The prompt object a prompt function gets: `StatefulPrompt`.
//!
//! Plain data is in [`Core`]; JavaScript values (callbacks, state, schemas) are in ordinary JavaScript objects below
//! [`StatefulPrompt::bag`], where the garbage collector sees them.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use rquickjs::{
    Array, Ctx, Function, JsLifetime, Object, Result, Value,
    class::{Class, Trace},
    function::{Args, Rest, This},
    object::Filter,
};

use super::{
    METHODS, steps,
    values::{kind_of, property, type_error},
};
use crate::prompt::{Prompt, RunRecord};

/// The engine-free half of a prompt and its place in a run.
#[derive(Default)]
pub(crate) struct Core {
    pub(crate) prompt: RefCell<Prompt>,
    /// The run under way or the last one.
    pub(crate) record: RefCell<Rc<RunRecord>>,
    /// The step being prepared or under way.
    pub(crate) step: Cell<usize>,
    /// The next effect's place in call order.
    pub(crate) next_effect: Cell<usize>,
    /// How many agents this prompt is nested in.
    pub(crate) depth: usize,
}

/// A prompt: definitions, state, effects and the conversation, with every `def*` method as an own, bound property.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct StatefulPrompt<'js> {
    #[qjs(skip_trace)]
    pub(crate) core: Rc<Core>,
    /// JavaScript values by area: `tools`, `state`, `effects`, `options`, `fn`, `model`, …
    pub(crate) bag: Object<'js>,
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> StatefulPrompt<'js> {
    /// `prompt.steps`: what every finished step sent and got (SPEC 3).
    #[qjs(get, rename = "steps")]
    fn js_steps(&self, ctx: Ctx<'js>) -> Result<Array<'js>> {
        steps::prompt_steps(&ctx, &self.bag, &self.core, steps::View::Steps)
    }

    /// `prompt.fullSteps`: the same with the raw stream parts as `output`.
    #[qjs(get, rename = "fullSteps")]
    fn js_full_steps(&self, ctx: Ctx<'js>) -> Result<Array<'js>> {
        steps::prompt_steps(&ctx, &self.bag, &self.core, steps::View::FullSteps)
    }
}

/// A handle to a prompt, as methods get it.
pub(crate) type PromptObject<'js> = Class<'js, StatefulPrompt<'js>>;

/// Reads the parts of a prompt without keeping it borrowed.
pub(crate) fn parts<'js>(prompt: &PromptObject<'js>) -> (Rc<Core>, Object<'js>) {
    let prompt = prompt.borrow();
    (prompt.core.clone(), prompt.bag.clone())
}

/// One area of the bag, made when first needed.
pub(crate) fn area<'js>(bag: &Object<'js>, name: &str) -> Result<Object<'js>> {
    if let Some(object) = property(bag, name)?.and_then(Value::into_object) {
        return Ok(object);
    }
    let object = Object::new_proto(bag.ctx().clone(), None)?;
    bag.set(name, object.clone())?;
    Ok(object)
}

/// Makes a prompt with all built-in methods and those of `plugins`.
///
/// `plugins` is `undefined`, or an array of objects of functions.
pub(crate) fn create<'js>(
    ctx: &Ctx<'js>,
    depth: usize,
    plugins: &Value<'js>,
    place: &str,
) -> Result<PromptObject<'js>> {
    let bag = Object::new_proto(ctx.clone(), None)?;
    let core = Rc::new(Core { depth, ..Core::default() });
    let prompt = Class::instance(ctx.clone(), StatefulPrompt { core, bag })?;
    for method in METHODS {
        let function: Function = prompt.get(method.name)?;
        prompt.set(method.name, bind(&function, prompt.as_value())?)?;
    }
    add_plugins(ctx, &prompt, plugins, place)?;
    Ok(prompt)
}

/// Puts the native methods on the class prototype; done once a runtime.
pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    let Some(prototype) = Class::<StatefulPrompt>::prototype(ctx)? else { return Ok(()) };
    for method in METHODS {
        prototype.set(method.name, (method.function)(ctx)?.with_name(method.name)?)?;
    }
    Ok(())
}

/// `function.bind(this)`.
fn bind<'js>(function: &Function<'js>, this: &Value<'js>) -> Result<Function<'js>> {
    let bind: Function = function.get("bind")?;
    bind.call((This(function.clone()), this.clone()))
}

/// Adds the functions of plugin objects as bound methods; the objects are kept for the prompt's agents.
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
    for (index, plugin) in plugins.iter::<Value>().enumerate() {
        let plugin = plugin?;
        let Some(object) = plugin.as_object().filter(|_| !plugin.is_array()) else {
            let kind = kind_of(&plugin);
            return Err(type_error(ctx, format!("{place}[{index}] must be an object of functions, got {kind}")));
        };
        for entry in object.own_props::<String, Value>(Filter::new().string().enum_only()) {
            let (name, value) = entry?;
            let Some(function) = value.as_function() else { continue };
            if super::is_protected(&name) {
                let message = format!("{place}[{index}]: '{name}' is a method of every prompt and cannot be replaced");
                return Err(type_error(ctx, message));
            }
            // A built-in method that a plugin object carries (taskListPlugin and the like) is there already.
            if METHODS.iter().any(|method| method.name == name) && super::is_builtin(function)? {
                continue;
            }
            prompt.set(name, bind(function, prompt.as_value())?)?;
        }
    }
    Ok(())
}

/// One native method of a prompt.
pub(crate) struct Method {
    /// The JavaScript name.
    pub(crate) name: &'static str,
    /// Makes the function.
    pub(crate) function: for<'js> fn(&Ctx<'js>) -> Result<Function<'js>>,
}

/// The arguments of a method call: the prompt and the values.
pub(crate) struct Call<'js> {
    pub(crate) ctx: Ctx<'js>,
    pub(crate) prompt: PromptObject<'js>,
    pub(crate) core: Rc<Core>,
    pub(crate) bag: Object<'js>,
    args: Vec<Value<'js>>,
}

impl<'js> Call<'js> {
    /// The argument at `index`, `undefined` when it was not given.
    pub(crate) fn arg(&self, index: usize) -> Value<'js> {
        self.args.get(index).cloned().unwrap_or_else(|| Value::new_undefined(self.ctx.clone()))
    }

    /// A string argument, or a `TypeError` that names the method and the parameter.
    pub(crate) fn string(&self, index: usize, place: &str) -> Result<String> {
        let value = self.arg(index);
        match value.as_string() {
            Some(text) => text.to_string(),
            None => Err(type_error(&self.ctx, format!("{place} must be a string, got {}", kind_of(&value)))),
        }
    }

    /// A function argument, or a `TypeError` that names the method and the parameter.
    pub(crate) fn function(&self, index: usize, place: &str) -> Result<Function<'js>> {
        let value = self.arg(index);
        match value.as_function() {
            Some(function) => Ok(function.clone()),
            None => Err(type_error(&self.ctx, format!("{place} must be a function, got {}", kind_of(&value)))),
        }
    }
}

/// Makes a JavaScript function of a native method.
pub(crate) fn method<'js>(ctx: &Ctx<'js>, run: for<'a> fn(Call<'a>) -> Result<Value<'a>>) -> Result<Function<'js>> {
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, this: This<Value<'js>>, args: Rest<Value<'js>>| {
        let Ok(prompt) = PromptObject::from_value(&this.0) else {
            return Err(type_error(&ctx, "a prompt method was called without its prompt"));
        };
        let (core, bag) = parts(&prompt);
        run(Call { ctx, prompt, core, bag, args: args.0 })
    })
}

/// Calls a method of a prompt by name, as a plugin would.
pub(crate) fn invoke<'js>(prompt: &PromptObject<'js>, name: &str, values: Vec<Value<'js>>) -> Result<Value<'js>> {
    let function: Function = prompt.get(name)?;
    let mut args = Args::new(prompt.ctx().clone(), values.len());
    args.push_args(values)?;
    args.apply(&function)
}
