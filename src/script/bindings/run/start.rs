//! `runPrompt(fn, config)`: starting a run (docs/reference.md, "Results"). Must not know how a run goes on.

use std::rc::Rc;

use rquickjs::{Class, Ctx, Function, IntoJs, Object, Result, Value, function::Opt, promise::Promised};

use super::{body::run_body, host::ScriptPrompt};
use crate::{
    prompt::Listener,
    script::{
        KeepAlive,
        bindings::{
            prompt::{
                object::{self, PromptObject},
                options,
                run::PromptRun,
            },
            results::run_result::RunResult,
            services,
            values::{kind_of, type_error},
        },
        drain_jobs,
    },
};

/// A run that was started.
pub(crate) struct Started<'js> {
    /// The prompt the function was called with.
    pub(crate) prompt: PromptObject<'js>,
    /// Its run, which goes on in the background.
    pub(crate) run: Class<'js, PromptRun<'js>>,
}

/// `runPrompt(fn, {model, options?, plugins?, sandbox?})` of `lmthing`: runs the function once, then the step loop in
/// the background. Resolves to `{result, prompt}`; rejects when the arguments are wrong, the model cannot be found or
/// the first run of the function throws. Rules: docs/reference.md, "Results".
pub(crate) fn run_prompt<'js>(ctx: Ctx<'js>, function: Opt<Value<'js>>, config: Opt<Value<'js>>) -> Result<Value<'js>> {
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
        answer.set("result", RunResult::create(&inner, started.run)?)?;
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
    let prompt = object::create(ctx, 0, &config.get("plugins")?, "config.plugins")?;
    {
        let prompt = prompt.borrow();
        prompt.bag.set_function(function.clone());
        prompt.bag.set_model(config.get("model")?);
        prompt.core.sandbox.replace(Rc::new(options::sandbox(ctx, &config.get("sandbox")?)?));
    }
    options::keep(ctx, &prompt, &config.get("options")?)?;
    Ok(prompt)
}

/// Runs the function for the first time and starts the step loop. `listener` gets every part of the run.
pub(crate) async fn start<'js>(
    ctx: &Ctx<'js>,
    prompt: PromptObject<'js>,
    listener: Option<Listener>,
) -> Result<Started<'js>> {
    // Before the function runs: a model that cannot be found should not show after half of the work.
    let host = Rc::new(ScriptPrompt::new(ctx, &prompt)?);
    let run = host.run();
    let function = prompt.borrow().bag.function();
    if let Some(function) = function {
        run.borrow().is_in_set_up.set(true);
        let ran = run_body(&prompt, &function).await;
        run.borrow().is_in_set_up.set(false);
        ran?;
    }
    if let Some(listener) = listener {
        run.borrow().record.listen(listener);
    }
    drive(ctx, host)?;
    Ok(Started { prompt, run })
}

/// Lets the step loop run in the background; the program stays alive until it ends.
pub(crate) fn drive<'js>(ctx: &Ctx<'js>, host: Rc<ScriptPrompt<'js>>) -> Result<()> {
    let record = host.run().borrow().record.clone();
    services::remember_run(ctx, record.clone())?;
    let alive = KeepAlive::new(ctx)?;
    let steps = services::step_loop(ctx)?.run(host);
    let inner = ctx.clone();
    ctx.spawn(async move {
        // Whoever called `runPrompt` has `{result, prompt}` before the first effect runs, which may well use them.
        drain_jobs(&inner);
        steps.await;
        // Nothing can be done about a failure here, and there is none but for memory.
        let _ = services::run_recorded(&inner, record.part_count());
        drop(alive);
    });
    Ok(())
}
