//! Starting a run (docs/reference.md, "Results"). Must not know who asks for it, nor how it goes on.

use std::rc::Rc;

use futures_util::FutureExt;
use rquickjs::{Class, Ctx, Function, Object, Result, Value};

use super::{body::run_body, host::ScriptPrompt, nesting};
use crate::{
    event::{Agent, Events},
    prompt::{JobId, Standing},
    script::{
        KeepAlive,
        bindings::{
            going_on, jobs,
            prompt::{
                object::{self, PromptObject},
                options,
                run::PromptRun,
            },
            results::run_result::RunResult,
            services,
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

/// For whom a script runs a prompt. To be asked in the call itself.
#[derive(Clone)]
pub(super) struct Caller<'js> {
    /// The prompt that the script works for just now; none within the file that the program was started with.
    pub(super) prompt: Option<PromptObject<'js>>,
    /// What that means to requests.
    pub(super) standing: Standing,
    /// The tool call that the script answers just now, where logs are kept.
    pub(super) call: Option<String>,
    /// The job that the script does just now, where jobs are counted.
    pub(super) job: Option<JobId>,
}

impl<'js> Caller<'js> {
    pub(super) fn current(ctx: &Ctx<'js>) -> Result<Self> {
        let prompt = nesting::current(ctx)?;
        let mut standing = prompt.as_ref().map_or_else(Standing::default, |prompt| prompt.borrow().core.standing.get());
        standing.is_within_answer = nesting::is_answering(ctx)?;
        Ok(Caller { prompt, standing, call: going_on::current_call(ctx)?, job: jobs::current(ctx)? })
    }

    /// Whom the run works for.
    pub(super) fn agent(&self, events: &Events) -> Agent {
        let prompt = self.prompt.as_ref();
        let agent = prompt.and_then(|prompt| prompt.borrow().core.agent.borrow().clone());
        agent.unwrap_or_else(|| events.root())
    }
}

/// `{result, prompt}` of a run that was started.
pub(super) fn answer_of<'js>(ctx: &Ctx<'js>, started: Started<'js>) -> Result<Value<'js>> {
    let answer = Object::new(ctx.clone())?;
    answer.set("result", RunResult::create(ctx, started.run)?)?;
    answer.set("prompt", started.prompt)?;
    Ok(answer.into_value())
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
    prompt.borrow().core.mcp_servers.replace(Rc::new(options::mcp_servers(ctx, &config.get("mcpServers")?)?));
    prompt.borrow().core.function_bytes.set(options::function_bytes(ctx, &config.get("functions")?)?);
    options::keep(ctx, &prompt, &config.get("options")?)?;
    Ok(prompt)
}

/// Runs the function for the first time and starts the step loop.
pub(crate) async fn start<'js>(ctx: &Ctx<'js>, prompt: PromptObject<'js>) -> Result<Started<'js>> {
    going_on::open_log(ctx, &prompt)?;
    // Before the function runs: a model that cannot be found should not show after half of the work.
    let host = Rc::new(ScriptPrompt::new(ctx, &prompt)?);
    let run = host.run();
    run_first(&host).await.map_err(|error| services::end_failed(ctx, run.borrow().record.scope(), error))?;
    drive(ctx, host)?;
    Ok(Started { prompt, run })
}

/// Runs the function for the first time; throws what it throws.
pub(crate) async fn run_first(host: &ScriptPrompt<'_>) -> Result<()> {
    let (prompt, run) = (host.object(), host.run());
    let function = prompt.borrow().bag.function();
    let Some(function) = function else { return Ok(()) };
    going_on::begin(prompt.ctx(), &prompt)?;
    run.borrow().is_in_set_up.set(true);
    let ran = nesting::within(&prompt, run_body(&prompt, &function)).boxed_local();
    let ran = jobs::within(prompt.ctx(), host.job.id(), ran).await;
    run.borrow().is_in_set_up.set(false);
    going_on::end(prompt.ctx(), &prompt)?;
    host.go_on();
    ran
}

/// Lets the step loop run in the background; the program stays alive until it ends.
pub(crate) fn drive<'js>(ctx: &Ctx<'js>, host: Rc<ScriptPrompt<'js>>) -> Result<()> {
    let (record, prompt) = (host.run().borrow().record.clone(), host.object());
    let number = services::remember_run(ctx, record.clone())?;
    let alive = KeepAlive::new(ctx)?;
    let job = host.job.id();
    let steps = services::step_loop(ctx)?.run(host);
    let inner = ctx.clone();
    ctx.spawn(async move {
        // Whoever called `runPrompt` has `{result, prompt}` before the first effect runs, which may well use them.
        drain_jobs(&inner);
        jobs::within(&inner, job, nesting::within(&prompt, steps).boxed_local()).await;
        // Nothing can be done about a failure here, and there is none but for memory.
        let _ = services::run_ended(&inner, number, &record);
        drop(alive);
    });
    Ok(())
}
