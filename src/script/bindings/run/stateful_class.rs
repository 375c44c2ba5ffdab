//! The class `StatefulPrompt` of `lmthing`: a prompt without a prompt function, driven by hand (docs/reference.md,
//! "Results"). What every prompt can do is in the room `prompt`.

use std::rc::Rc;

use rquickjs::{
    Class, Ctx, Function, Object, Result, Value,
    atom::PredefinedAtom,
    function::{Opt, This},
    object::Property,
};

use super::{
    host::ScriptPrompt,
    start::{Caller, drive},
};
use crate::script::bindings::{
    prompt::{
        object::{self, PromptObject, StatefulPrompt},
        options,
    },
    results::run_result::RunResult,
    values::plain_error,
};

/// Puts `withOptions`, `withModel`, `setPlugins`, `run` and the constructor on the prototype of prompts; done once an
/// engine, so that a prompt is the same whoever imported what.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let prototype = prototype(ctx)?;
    hidden(&prototype, "withOptions", Function::new(ctx.clone(), with_options)?)?;
    hidden(&prototype, "withModel", Function::new(ctx.clone(), with_model)?)?;
    hidden(&prototype, "setPlugins", Function::new(ctx.clone(), set_plugins)?)?;
    hidden(&prototype, "run", Function::new(ctx.clone(), run)?)?;
    let class = Function::new(ctx.clone(), create)?.with_name("StatefulPrompt")?.with_constructor(true);
    if let Some(object) = class.as_object() {
        object.set("create", Function::new(ctx.clone(), create)?.with_name("create")?)?;
        object.set(PredefinedAtom::Prototype, prototype.clone())?;
    }
    prototype.prop(PredefinedAtom::Constructor, Property::from(class).writable().configurable())
}

/// The class as scripts import it.
pub(crate) fn constructor<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    prototype(ctx)?.get(PredefinedAtom::Constructor)
}

fn prototype<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let prototype = Class::<StatefulPrompt>::prototype(ctx)?;
    prototype.ok_or_else(|| plain_error(ctx, "StatefulPrompt has no prototype"))
}

/// Puts a method on the prototype as a class would: printing a prompt or copying it does not show it.
fn hidden<'js>(prototype: &Object<'js>, name: &str, function: Function<'js>) -> Result<()> {
    prototype.prop(name, Property::from(function.with_name(name)?).writable().configurable())
}

/// `new StatefulPrompt(model?, options?)`. The model is looked up when the prompt runs. Throws a `TypeError` when the
/// options are no object. Rules: docs/reference.md, "Results".
fn create<'js>(ctx: Ctx<'js>, model: Opt<Value<'js>>, options: Opt<Value<'js>>) -> Result<PromptObject<'js>> {
    let undefined = || Value::new_undefined(ctx.clone());
    let prompt = object::create(&ctx, 0, &undefined(), "plugins")?;
    let caller = Caller::current(&ctx)?;
    prompt.borrow().core.standing.set(caller.standing);
    prompt.borrow().core.job.set(caller.job);
    if let Some(model) = model.0 {
        prompt.borrow().bag.set_model(model);
    }
    options::keep(&ctx, &prompt, &options.0.unwrap_or_else(undefined))?;
    Ok(prompt)
}

/// `prompt.withOptions(options)`: sets what `config.options` holds, in the place of what was set; returns the prompt.
/// Throws a `TypeError` when it is no object.
fn with_options<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>, options: Value<'js>) -> Result<PromptObject<'js>> {
    options::keep(&ctx, &this.0, &options)?;
    Ok(this.0)
}

/// `prompt.withModel(model)`: as `config.model`, looked up by the next `run()`; returns the prompt.
fn with_model<'js>(this: This<PromptObject<'js>>, model: Value<'js>) -> Result<PromptObject<'js>> {
    this.0.borrow().bag.set_model(model);
    Ok(this.0)
}

/// `prompt.setPlugins(plugins)`: adds the methods of an array of plugin objects; returns the prompt. Throws a
/// `TypeError` as docs/reference.md, "Plugins", says.
fn set_plugins<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>, plugins: Value<'js>) -> Result<PromptObject<'js>> {
    object::add_plugins(&ctx, &this.0, &plugins, "setPlugins")?;
    Ok(this.0)
}

/// `prompt.run()`: starts the step loop and returns the result object. Calling it again, after the first run has ended,
/// goes on with the conversation; while it runs it throws a `TypeError`. So it does for wrong options, and a
/// `ConfigurationError` for a model that cannot be found.
fn run<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>) -> Result<Value<'js>> {
    let host = Rc::new(ScriptPrompt::new(&ctx, &this.0)?);
    let run = host.run();
    drive(&ctx, host)?;
    RunResult::create(&ctx, run)
}
