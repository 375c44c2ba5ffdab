//! The class `StatefulPrompt` of `lmthing`: a prompt that a script runs itself (docs/reference/results.md).

use std::rc::Rc;

use rquickjs::{
    Class, Ctx, Function, Object, Result, Value,
    atom::PredefinedAtom,
    function::{Opt, This},
    object::Property,
};

use super::{
    host::ScriptPrompt,
    start::{Caller, spawn_step_loop},
};
use crate::bindings::{
    prompt::{
        object::{self, PromptObject, StatefulPrompt},
        options,
    },
    results::run_result::RunResult,
    values::plain_error,
};

pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let prototype = prototype(ctx)?;
    define_method(&prototype, "withOptions", Function::new(ctx.clone(), with_options)?)?;
    define_method(&prototype, "withModel", Function::new(ctx.clone(), with_model)?)?;
    define_method(&prototype, "setPlugins", Function::new(ctx.clone(), set_plugins)?)?;
    define_method(&prototype, "run", Function::new(ctx.clone(), run)?)?;
    let class = Function::new(ctx.clone(), create)?.with_name("StatefulPrompt")?.with_constructor(true);
    if let Some(object) = class.as_object() {
        object.set("create", Function::new(ctx.clone(), create)?.with_name("create")?)?;
        object.set(PredefinedAtom::Prototype, prototype.clone())?;
    }
    prototype.prop(PredefinedAtom::Constructor, Property::from(class).writable().configurable())
}

pub(crate) fn constructor<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    prototype(ctx)?.get(PredefinedAtom::Constructor)
}

fn prototype<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let prototype = Class::<StatefulPrompt>::prototype(ctx)?;
    prototype.ok_or_else(|| plain_error(ctx, "StatefulPrompt has no prototype"))
}

fn define_method<'js>(prototype: &Object<'js>, name: &str, function: Function<'js>) -> Result<()> {
    prototype.prop(name, Property::from(function.with_name(name)?).writable().configurable())
}

fn create<'js>(ctx: Ctx<'js>, model: Opt<Value<'js>>, options: Opt<Value<'js>>) -> Result<PromptObject<'js>> {
    let undefined = || Value::new_undefined(ctx.clone());
    let prompt = object::create(&ctx, 0, &undefined(), "plugins")?;
    let caller = Caller::current(&ctx)?;
    prompt.borrow().core.standing.set(caller.standing);
    prompt.borrow().core.job.set(caller.job);
    if let Some(model) = model.0 {
        prompt.borrow().bag.set_model(model);
    }
    options::set(&ctx, &prompt, &options.0.unwrap_or_else(undefined))?;
    Ok(prompt)
}

fn with_options<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>, options: Value<'js>) -> Result<PromptObject<'js>> {
    options::set(&ctx, &this.0, &options)?;
    Ok(this.0)
}

fn with_model<'js>(this: This<PromptObject<'js>>, model: Value<'js>) -> Result<PromptObject<'js>> {
    this.0.borrow().bag.set_model(model);
    Ok(this.0)
}

fn set_plugins<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>, plugins: Value<'js>) -> Result<PromptObject<'js>> {
    object::add_plugins(&ctx, &this.0, &plugins, "setPlugins")?;
    Ok(this.0)
}

/// `prompt.run()`: starts the step loop and returns the result object. After the end of a run, continues the
/// conversation.
fn run<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>) -> Result<Value<'js>> {
    let host = Rc::new(ScriptPrompt::new(&ctx, &this.0)?);
    let run = host.run();
    spawn_step_loop(&ctx, host)?;
    RunResult::create(&ctx, run, &this.0)
}
