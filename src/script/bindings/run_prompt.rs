//! `runPrompt(fn, config)`: starting a run (SPEC 3).

use std::rc::Rc;

use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value, function::Opt, promise::Promised};

use super::{
    options,
    prompt_host::{ScriptPrompt, run_body},
    run_result::RunResult,
    services,
    stateful_prompt::{self, PromptObject, parts},
    values::{kind_of, property, type_error},
};
use crate::{
    prompt::{Listener, RunOutcome, RunRecord},
    script::{KeepAlive, warn},
};

/// A run that was started.
pub(crate) struct Started<'js> {
    pub(crate) prompt: PromptObject<'js>,
    pub(crate) record: Rc<RunRecord>,
}

/// `runPrompt(fn, {model, options?, plugins?})` of `lmthing`: runs the function once, then the step loop in the background.
/// Resolves to `{result, prompt}`; rejects when the arguments are wrong, the model cannot be found or the first run of
/// the function throws.
pub(super) fn run_prompt<'js>(ctx: Ctx<'js>, function: Opt<Value<'js>>, config: Opt<Value<'js>>) -> Result<Value<'js>> {
    let undefined = || Value::new_undefined(ctx.clone());
    let (function, config) = (function.0.unwrap_or_else(undefined), config.0.unwrap_or_else(undefined));
    let inner = ctx.clone();
    let run = async move {
        let Some(function) = function.as_function() else {
            let message = format!("runPrompt: the first argument must be a function, got {}", kind_of(&function));
            return Err(type_error(&inner, message));
        };
        let Some(config) = config.as_object() else {
            let message = format!("runPrompt: the second argument must be {{model, …}}, got {}", kind_of(&config));
            return Err(type_error(&inner, message));
        };
        let prompt = prepare(&inner, function, config)?;
        let started = start(&inner, prompt, None).await?;
        let answer = Object::new(inner.clone())?;
        answer.set("result", RunResult::create(&inner, started.record, parts(&started.prompt).1)?)?;
        answer.set("prompt", started.prompt)?;
        Ok(answer)
    };
    Promised(run).into_js(&ctx)
}

/// Makes the prompt of a function and its config, without running anything yet.
pub(crate) fn prepare<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    config: &Object<'js>,
) -> Result<PromptObject<'js>> {
    let plugins: Value = config.get("plugins")?;
    let prompt = stateful_prompt::create(ctx, 0, &plugins, "config.plugins")?;
    let (_, bag) = parts(&prompt);
    bag.set("fn", function.clone())?;
    bag.set("plugins", plugins)?;
    bag.set("model", config.get::<_, Value>("model")?)?;
    bag.set("sandbox", config.get::<_, Value>("sandbox")?)?;
    services::sandbox_config(ctx, &bag)?;
    set_options(ctx, &bag, config.get("options")?)?;
    Ok(prompt)
}

/// Keeps an options object; options nobody knows are reported on stderr.
pub(super) fn set_options<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, given: Value<'js>) -> Result<()> {
    if given.is_undefined() || given.is_null() {
        return Ok(());
    }
    let Some(object) = given.as_object().filter(|_| !given.is_array() && !given.is_function()) else {
        return Err(type_error(ctx, format!("config.options must be an object, got {}", kind_of(&given))));
    };
    for name in options::unknown(object)? {
        warn::unknown_name(ctx, "config.options", &name, options::KNOWN)?;
    }
    bag.set("options", object.clone())
}

/// Runs the function for the first time and starts the step loop. `listener` gets every part of the run.
pub(crate) async fn start<'js>(
    ctx: &Ctx<'js>,
    prompt: PromptObject<'js>,
    listener: Option<Listener>,
) -> Result<Started<'js>> {
    let (_, bag) = parts(&prompt);
    let host = Rc::new(ScriptPrompt::new(ctx, &prompt)?);
    if let Some(function) = property(&bag, "fn")?.and_then(Value::into_function) {
        run_body(&prompt, &function).await?;
    }
    let record = host.run_record();
    if let Some(listener) = listener {
        record.listen(listener);
    }
    drive(ctx, host)?;
    Ok(Started { prompt, record })
}

/// Lets the step loop run in the background; the program stays alive until it ends.
pub(super) fn drive<'js>(ctx: &Ctx<'js>, host: Rc<ScriptPrompt<'js>>) -> Result<()> {
    let step_loop = services::doors(ctx)?.step_loop;
    let record = host.run_record();
    record.start();
    services::with(ctx, |services| {
        let mut runs = services.runs.borrow_mut();
        runs.retain(|run| !matches!(run.outcome(), Some(RunOutcome::Done)));
        runs.push(record);
    })?;
    let alive = KeepAlive::new(ctx)?;
    let inner = ctx.clone();
    ctx.spawn(async move {
        let record = host.run_record();
        step_loop.run(host).await;
        // Nothing can be done about a failure here, and there is none but for memory.
        let _ = services::run_recorded(&inner, record.part_count());
        drop(alive);
    });
    Ok(())
}
