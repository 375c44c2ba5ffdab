//! Starting a run (docs/reference/results.md).

use std::rc::Rc;

use futures_util::FutureExt;
use rquickjs::{Class, Ctx, Function, Object, Result, Value};

use super::{hooks::run_body, host::ScriptPrompt, nesting};
use crate::{
    bindings::{
        jobs,
        prompt::{
            object::{self, PromptObject},
            options,
            run::PromptRun,
        },
        results::run_result::RunResult,
        resume, services,
    },
    prompt::{JobId, Standing},
};
use lmthing_base::event::{Agent, Events};
use lmthing_node::{KeepAlive, drain_jobs};

pub(crate) struct Started<'js> {
    pub prompt: PromptObject<'js>,
    pub run: Class<'js, PromptRun<'js>>,
}

/// Describes the script that runs a prompt. Must be read before its first await.
#[derive(Clone)]
pub(super) struct Caller<'js> {
    /// `None` within the main file.
    pub(super) prompt: Option<PromptObject<'js>>,
    pub(super) standing: Standing,
    /// The tool call that the script runs for, where logs are kept.
    pub(super) call: Option<String>,
    pub(super) job: Option<JobId>,
}

impl<'js> Caller<'js> {
    pub(super) fn current(ctx: &Ctx<'js>) -> Result<Self> {
        let prompt = nesting::current(ctx)?;
        let mut standing = prompt.as_ref().map_or_else(Standing::default, |prompt| prompt.borrow().core.standing.get());
        standing.is_within_answer = nesting::is_answering(ctx)?;
        Ok(Caller { prompt, standing, call: resume::current_call(ctx)?, job: jobs::current(ctx)? })
    }

    pub(super) fn agent(&self, events: &Events) -> Agent {
        let prompt = self.prompt.as_ref();
        let agent = prompt.and_then(|prompt| prompt.borrow().core.agent.borrow().clone());
        agent.unwrap_or_else(|| events.root())
    }
}

pub(super) fn run_object<'js>(ctx: &Ctx<'js>, started: Started<'js>) -> Result<Value<'js>> {
    let answer = Object::new(ctx.clone())?;
    answer.set("result", RunResult::create(ctx, started.run, &started.prompt)?)?;
    answer.set("prompt", started.prompt)?;
    Ok(answer.into_value())
}

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
    prompt.borrow().core.mcp_servers.replace(Rc::new(options::mcp_servers(ctx, &config.get("mcpServers")?)?));
    prompt.borrow().core.function_bytes.set(options::function_bytes(ctx, &config.get("functions")?)?);
    options::set(ctx, &prompt, &config.get("options")?)?;
    Ok(prompt)
}

pub(crate) async fn start<'js>(ctx: &Ctx<'js>, prompt: PromptObject<'js>) -> Result<Started<'js>> {
    resume::open_log(ctx, &prompt)?;
    // Before the function runs, so that an unknown model is reported before any work is done.
    let host = Rc::new(ScriptPrompt::new(ctx, &prompt)?);
    let run = host.run();
    run_set_up(&host).await.map_err(|error| services::end_failed(ctx, run.borrow().record.scope(), error))?;
    spawn_step_loop(ctx, host)?;
    Ok(Started { prompt, run })
}

pub(crate) async fn run_set_up(host: &ScriptPrompt<'_>) -> Result<()> {
    let (prompt, run) = (host.object(), host.run());
    let function = prompt.borrow().bag.function();
    let Some(function) = function else { return Ok(()) };
    resume::begin_set_up(prompt.ctx(), &prompt)?;
    run.borrow().is_in_set_up.set(true);
    let result = nesting::run_in(&prompt, run_body(&prompt, &function)).boxed_local();
    let result = jobs::run_in(prompt.ctx(), host.job.id(), result).await;
    run.borrow().is_in_set_up.set(false);
    resume::end_set_up(prompt.ctx(), &prompt)?;
    host.take_over_steps();
    result
}

/// Runs the step loop in the background. The program stays alive until it ends.
pub(crate) fn spawn_step_loop<'js>(ctx: &Ctx<'js>, host: Rc<ScriptPrompt<'js>>) -> Result<()> {
    let (record, prompt) = (host.run().borrow().record.clone(), host.object());
    let number = services::remember_run(ctx, record.clone())?;
    let alive = KeepAlive::new(ctx)?;
    let job = host.job.id();
    let steps = services::step_loop(ctx)?.run(host);
    let inner = ctx.clone();
    ctx.spawn(async move {
        // The caller gets `{result, prompt}` before the first effect runs, which may use them.
        drain_jobs(&inner);
        jobs::run_in(&inner, job, nesting::run_in(&prompt, steps).boxed_local()).await;
        // Fails only when out of memory, and there is no way to report it.
        let _ = services::run_ended(&inner, number, &record);
        drop(alive);
    });
    Ok(())
}
