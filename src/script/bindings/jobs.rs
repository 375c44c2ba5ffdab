//! What a script does for a run, as jobs of it, and calls that stop the run because somebody has to approve them. Only counted
//! where a run may stop. Must not know who decides.

use std::{future::pending, rc::Rc};

use futures_util::future::LocalBoxFuture;
use rquickjs::{Ctx, IntoJs, Result, Value};

use super::{
    prompt::{core::Core, object::PromptObject},
    services,
};
use crate::{
    checkpoint::{Entry, PartName},
    prompt::{JobGuard, JobId, Known, NamedCall, RunError, TEXT_CODE, Work},
    script::{async_value, enable_async_values, with_async_values},
};

/// What is carried along: the job that a script works for.
const JOB: &str = "lmthing:job";

/// The job of a prompt's run, where jobs are counted.
pub(crate) struct RunJob(Option<JobGuard>);

impl RunJob {
    /// Begins with the run.
    pub(crate) fn begin<'js>(ctx: &Ctx<'js>, core: &Core) -> Result<Self> {
        let jobs = services::jobs(ctx)?;
        if !jobs.is_enabled() {
            return Ok(RunJob(None));
        }
        enable_async_values(ctx)?;
        let parent = core.job.get().or(current(ctx)?);
        let is_within_answer = core.standing.get().is_within_answer;
        Ok(RunJob(Some(jobs.begin(parent, Work::Run { is_within_answer }))))
    }

    /// Its name.
    pub(crate) fn id(&self) -> Option<JobId> {
        self.0.as_ref().map(JobGuard::id)
    }

    /// Says whether the run asks its model.
    pub(crate) fn asks(&self, ctx: &Ctx<'_>, is_asking: bool) {
        if let (Some(id), Ok(jobs)) = (self.id(), services::jobs(ctx)) {
            jobs.set_asking(id, is_asking);
        }
    }

    /// Says that the run asks its model for another answer.
    pub(crate) fn asks_anew(&self, ctx: &Ctx<'_>, key: &str) {
        if self.0.is_some()
            && let Ok(decisions) = services::decisions(ctx)
        {
            decisions.begin_answer(key);
        }
        self.asks(ctx, true);
    }

    /// Runs the code in a model's text, which a step has one of at a time.
    pub(crate) async fn of_text_code<'js, T>(
        &self,
        ctx: &Ctx<'js>,
        prompt: &PromptObject<'js>,
        work: LocalBoxFuture<'_, T>,
    ) -> T {
        self.asks(ctx, false);
        let scope = services::scope(ctx, &prompt.borrow().core);
        let step = scope.ok().and_then(|scope| scope.agent().step()).unwrap_or(0);
        let job = begin_call(ctx, prompt, || Some((format!("{TEXT_CODE}{step}"), false, None)));
        let done = within(ctx, job.as_ref().map(JobGuard::id), work).await;
        self.asks(ctx, true);
        done
    }
}

/// The job that the running script works for.
pub(crate) fn current(ctx: &Ctx<'_>) -> Result<Option<JobId>> {
    async_value(ctx, JOB)?.map(|job| job.get()).transpose()
}

/// Does a piece of work for a job. It comes in a box, here as everywhere: agents are nested, and what wraps a future by value
/// makes it twice as large.
pub(crate) async fn within<'js, T>(ctx: &Ctx<'js>, job: Option<JobId>, work: LocalBoxFuture<'_, T>) -> T {
    let name: Option<Value> = job.and_then(|job| job.into_js(ctx).ok());
    match name {
        Some(name) => with_async_values(ctx, [(JOB, Some(name))], work).await,
        None => work.await,
    }
}

/// Answers a tool call, or runs what stands for one.
pub(crate) async fn of_call<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &str,
    work: LocalBoxFuture<'_, T>,
) -> T {
    let job = begin_call(ctx, prompt, || Some((call.to_owned(), true, None)));
    within(ctx, job.as_ref().map(JobGuard::id), work).await
}

/// Answers a part of the call that the script works for just now.
pub(crate) async fn of_part<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    part: PartName,
    work: LocalBoxFuture<'_, T>,
) -> T {
    let whole = || services::jobs(ctx).ok()?.call(current(ctx).ok()??);
    let job = begin_call(ctx, prompt, || whole().map(|whole| (whole.call.clone(), whole.is_tool_call, Some(part))));
    within(ctx, job.as_ref().map(JobGuard::id), work).await
}

fn begin_call<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    named: impl FnOnce() -> Option<(String, bool, Option<PartName>)>,
) -> Option<JobGuard> {
    let jobs = services::jobs(ctx).ok().filter(|jobs| jobs.is_enabled())?;
    let (call, is_tool_call, part) = named()?;
    let scope = services::scope(ctx, &prompt.borrow().core).ok()?;
    let agent = scope.agent();
    let call = NamedCall { key: agent.key().to_owned(), agent: agent.path().to_vec(), call, is_tool_call, part };
    Some(jobs.begin(current(ctx).ok()?, Work::Call(Rc::new(call))))
}

/// The call that the script works for, when it is one that can be named once more in another process.
fn current_call(ctx: &Ctx<'_>) -> Option<(JobId, Rc<NamedCall>)> {
    let id = current(ctx).ok()??;
    Some((id, services::jobs(ctx).ok()?.call(id)?))
}

/// What is known of a call of this name with these arguments.
pub(crate) fn known(ctx: &Ctx<'_>, name: &str, args: &str) -> Known {
    let known = || Some(services::decisions(ctx).ok()?.known(&current_call(ctx)?.1, name, args));
    known().unwrap_or(Known::Nothing { is_other: false })
}

/// Waits until the run has stopped, which it does when nothing else is left to do.
///
/// # Errors
/// Why the call cannot wait.
pub(crate) async fn wait_for_decision(ctx: &Ctx<'_>, name: &str, args: &str) -> std::result::Result<(), String> {
    let refused = |why: &str| format!("The call of {name} was denied: it needs approval, and {why}");
    let Some((id, call)) = current_call(ctx) else {
        return Err(refused("it belongs to no call that could be named"));
    };
    let failed = |error: rquickjs::Error| refused(&error.to_string());
    let waiting = services::decisions(ctx).map_err(failed)?.wait(&call, name, args.to_owned());
    services::jobs(ctx).map_err(failed)?.wait(id);
    let kept = services::checkpoints(ctx).map_err(failed)?.append(&call.key, Entry::Waits(Box::new(waiting)));
    if let Err(error) = kept {
        let message = refused(&error.to_string());
        services::limits(ctx).map_err(failed)?.fail(RunError::from(error));
        return Err(message);
    }
    pending().await
}
