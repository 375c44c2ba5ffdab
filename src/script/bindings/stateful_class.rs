//! The class `StatefulPrompt` of `lmthing`: a prompt without a prompt function, driven by hand.

use std::rc::Rc;

use rquickjs::{
    Class, Ctx, Function, Object, Result, Value,
    atom::PredefinedAtom,
    function::{Opt, This},
    object::Property,
};

use super::{
    prompt_host::ScriptPrompt,
    run_prompt::{drive, set_options},
    run_result::RunResult,
    stateful_prompt::{self, PromptObject, StatefulPrompt, parts},
    values::{plain_error, type_error},
};

/// `new StatefulPrompt(model, options?)`, with `StatefulPrompt.create`, `withOptions`, `withModel`, `setPlugins`, `run`.
pub(super) fn constructor<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    let class = Function::new(ctx.clone(), create)?.with_name("StatefulPrompt")?.with_constructor(true);
    class
        .as_object()
        .map_or(Ok(()), |object| object.set("create", Function::new(ctx.clone(), create)?.with_name("create")?))?;
    let Some(prototype) = Class::<StatefulPrompt>::prototype(ctx)? else {
        return Err(plain_error(ctx, "StatefulPrompt has no prototype"));
    };
    hidden(&prototype, "withOptions", Function::new(ctx.clone(), with_options)?)?;
    hidden(&prototype, "withModel", Function::new(ctx.clone(), with_model)?)?;
    hidden(&prototype, "setPlugins", Function::new(ctx.clone(), set_plugins)?)?;
    hidden(&prototype, "run", Function::new(ctx.clone(), run)?)?;
    prototype.prop(PredefinedAtom::Constructor, Property::from(class.clone()).writable().configurable())?;
    class.as_object().map_or(Ok(()), |object| object.set(PredefinedAtom::Prototype, prototype))?;
    Ok(class)
}

fn hidden<'js>(prototype: &Object<'js>, name: &str, function: Function<'js>) -> Result<()> {
    prototype.prop(name, Property::from(function.with_name(name)?).writable().configurable())
}

/// `new StatefulPrompt(model, options?)`. The model is looked up when the prompt runs.
fn create<'js>(ctx: Ctx<'js>, model: Opt<Value<'js>>, options: Opt<Value<'js>>) -> Result<PromptObject<'js>> {
    let undefined = || Value::new_undefined(ctx.clone());
    let prompt = stateful_prompt::create(&ctx, 0, &undefined(), "plugins")?;
    let (_, bag) = parts(&prompt);
    bag.set("model", model.0.unwrap_or_else(undefined))?;
    set_options(&ctx, &bag, options.0.unwrap_or_else(undefined))?;
    Ok(prompt)
}

/// `prompt.withOptions(options)`: sets what `config.options` holds; returns the prompt.
fn with_options<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>, options: Value<'js>) -> Result<PromptObject<'js>> {
    set_options(&ctx, &parts(&this.0).1, options)?;
    Ok(this.0)
}

/// `prompt.withModel(model)`; returns the prompt.
fn with_model<'js>(this: This<PromptObject<'js>>, model: Value<'js>) -> Result<PromptObject<'js>> {
    parts(&this.0).1.set("model", model)?;
    Ok(this.0)
}

/// `prompt.setPlugins(plugins)`: adds the methods of plugin objects; returns the prompt.
fn set_plugins<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>, plugins: Value<'js>) -> Result<PromptObject<'js>> {
    stateful_prompt::add_plugins(&ctx, &this.0, &plugins, "setPlugins")?;
    parts(&this.0).1.set("plugins", plugins)?;
    Ok(this.0)
}

/// `prompt.run()`: starts the step loop and returns the result object. Calling it again, after the first run has ended,
/// goes on with the conversation.
fn run<'js>(ctx: Ctx<'js>, this: This<PromptObject<'js>>) -> Result<Value<'js>> {
    let (core, bag) = parts(&this.0);
    let running = core.record.borrow().is_under_way();
    if running {
        return Err(type_error(&ctx, "prompt.run(): the prompt is running already; await its result first"));
    }
    let host = Rc::new(ScriptPrompt::new(&ctx, &this.0)?);
    let record = host.run_record();
    drive(&ctx, host)?;
    RunResult::create(&ctx, record, bag)
}
