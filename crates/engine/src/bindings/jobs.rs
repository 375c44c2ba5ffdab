//! Jobs of a run: work in progress, and calls that wait for approval. Only tracked where a run may stop.

use std::{future::pending, rc::Rc};

use futures_util::future::LocalBoxFuture;
use rquickjs::{Ctx, IntoJs, Result, Value};

use super::{
    prompt::{core::Core, object::PromptObject},
    services,
};
use crate::prompt::{JobGuard, JobId, Known, NamedCall, RunError, TEXT_CODE, Work};
use lmthing_base::checkpoint::{CallError, CallPartName, Entry, StoreError, StoredFuture};
use lmthing_node::{KeepAlive, async_value, enable_async_values, with_async_values};

/// Key of an async context value.
const JOB: &str = "lmthing:job";

/// The job of a prompt's run; empty where jobs are not tracked.
pub(crate) struct RunJob(Option<JobGuard>);

impl RunJob {
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

    pub(crate) fn id(&self) -> Option<JobId> {
        self.0.as_ref().map(JobGuard::id)
    }

    pub(crate) fn set_asking(&self, ctx: &Ctx<'_>, is_asking: bool) {
        if let (Some(id), Ok(jobs)) = (self.id(), services::jobs(ctx)) {
            jobs.set_asking(id, is_asking);
        }
    }

    pub(crate) fn begin_request(&self, ctx: &Ctx<'_>, key: &str) {
        if self.0.is_some()
            && let Ok(decisions) = services::decisions(ctx)
        {
            decisions.begin_answer(key);
        }
        self.set_asking(ctx, true);
    }

    pub(crate) async fn run_text_code<'js, T>(
        &self,
        ctx: &Ctx<'js>,
        prompt: &PromptObject<'js>,
        work: LocalBoxFuture<'_, T>,
    ) -> T {
        self.set_asking(ctx, false);
        let scope = services::scope(ctx, &prompt.borrow().core);
        let step = scope.ok().and_then(|scope| scope.agent().step()).unwrap_or(0);
        let job = begin_call(ctx, prompt, || Some((format!("{TEXT_CODE}{step}"), false, None)));
        let result = run_in(ctx, job.as_ref().map(JobGuard::id), work).await;
        self.set_asking(ctx, true);
        result
    }
}

pub(crate) fn current(ctx: &Ctx<'_>) -> Result<Option<JobId>> {
    async_value(ctx, JOB)?.map(|job| job.get()).transpose()
}

/// Runs `work` as part of a job. Boxed because agents nest, and wrapping a future by value doubles its size.
pub(crate) async fn run_in<'js, T>(ctx: &Ctx<'js>, job: Option<JobId>, work: LocalBoxFuture<'_, T>) -> T {
    let name: Option<Value> = job.and_then(|job| job.into_js(ctx).ok());
    match name {
        Some(name) => with_async_values(ctx, [(JOB, Some(name))], work).await,
        None => work.await,
    }
}

/// Awaits a write to the journal. Until then the program has work to do, whatever the script waits for.
pub(crate) async fn while_storing(ctx: &Ctx<'_>, stored: StoredFuture<'static>) -> std::result::Result<(), StoreError> {
    let _alive = KeepAlive::new(ctx);
    let _storing = services::jobs(ctx).ok().map(|jobs| jobs.begin_storing());
    stored.await
}

pub(crate) async fn run_call<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &str,
    work: LocalBoxFuture<'_, T>,
) -> T {
    let job = begin_call(ctx, prompt, || Some((call.to_owned(), true, None)));
    run_in(ctx, job.as_ref().map(JobGuard::id), work).await
}

pub(crate) async fn run_part<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    part: CallPartName,
    work: LocalBoxFuture<'_, T>,
) -> T {
    let whole = || services::jobs(ctx).ok()?.call(current(ctx).ok()??);
    let job = begin_call(ctx, prompt, || whole().map(|whole| (whole.call.clone(), whole.is_tool_call, Some(part))));
    run_in(ctx, job.as_ref().map(JobGuard::id), work).await
}

fn begin_call<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    named: impl FnOnce() -> Option<(String, bool, Option<CallPartName>)>,
) -> Option<JobGuard> {
    let jobs = services::jobs(ctx).ok().filter(|jobs| jobs.is_enabled())?;
    let (call, is_tool_call, part) = named()?;
    let scope = services::scope(ctx, &prompt.borrow().core).ok()?;
    let agent = scope.agent();
    let call = NamedCall { key: agent.key().to_owned(), agent: agent.path().to_vec(), call, is_tool_call, part };
    Some(jobs.begin(current(ctx).ok()?, Work::Call(Rc::new(call))))
}

fn current_call(ctx: &Ctx<'_>) -> Option<(JobId, Rc<NamedCall>)> {
    let id = current(ctx).ok()??;
    Some((id, services::jobs(ctx).ok()?.call(id)?))
}

pub(crate) fn known_decision(ctx: &Ctx<'_>, name: &str, args: &str) -> Known {
    let known = || Some(services::decisions(ctx).ok()?.known(&current_call(ctx)?.1, name, args));
    known().unwrap_or(Known::Nothing { is_other: false })
}

/// Waits for the run to stop, which it does when no other work is left.
pub(crate) async fn wait_for_decision(ctx: &Ctx<'_>, name: &str, args: &str) -> std::result::Result<(), CallError> {
    let refused = |why: &str| CallError(format!("The call of {name} was denied: it needs approval, and {why}"));
    let Some((id, call)) = current_call(ctx) else {
        return Err(refused("it belongs to no call that could be named"));
    };
    let failed = |error: rquickjs::Error| refused(&error.to_string());
    let waiting = services::decisions(ctx).map_err(failed)?.wait(&call, name, args.to_owned());
    let appended = services::checkpoints(ctx).map_err(failed)?.append(&call.key, Entry::Waits(Box::new(waiting)));
    if let Err(error) = while_storing(ctx, appended).await {
        let message = refused(&error.to_string());
        services::limits(ctx).map_err(failed)?.fail(RunError::from(error));
        return Err(message);
    }
    // Only now: the run stops as soon as all its jobs wait.
    services::jobs(ctx).map_err(failed)?.wait(id);
    pending().await
}
