//! Running an agent's child to its end: a run like any other, but for whoever waits for it.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Ctx, Result};

use super::host::ScriptPrompt;
use crate::{
    prompt::RunOutcome,
    script::{
        KeepAlive,
        bindings::{
            jobs,
            prompt::object::PromptObject,
            results::throw::throw_run_error,
            services::{self, ChildRun},
        },
    },
};

/// See [`services::RunChild`].
pub(crate) fn run_child<'js>(ctx: Ctx<'js>, child: PromptObject<'js>) -> LocalBoxFuture<'js, Result<ChildRun>> {
    async move {
        let host = Rc::new(ScriptPrompt::new(&ctx, &child)?);
        let run = host.run();
        let record = run.borrow().record.clone();
        host.go_on();
        // Whoever asked the agent is told of its failure.
        record.observe();
        // Its parent waits for the script while it may well wait for a model.
        let alive = KeepAlive::new(&ctx)?;
        let job = host.job.id();
        jobs::within(&ctx, job, services::step_loop(&ctx)?.run(host)).await;
        drop(alive);
        if let Some(RunOutcome::Failed(error)) = record.outcome() {
            return Err(throw_run_error(&ctx, &run, &error));
        }
        let steps = record.steps().clone();
        Ok(ChildRun { text: record.text(), steps })
    }
    .boxed_local()
}
