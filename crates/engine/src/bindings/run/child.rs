//! Running an agent's child prompt to its end.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Ctx, Result};

use super::host::ScriptPrompt;
use crate::{
    bindings::{
        jobs,
        prompt::object::PromptObject,
        results::throw::throw_run_error,
        services::{self, ChildRun},
    },
    prompt::RunOutcome,
};
use lmthing_node::KeepAlive;

pub(crate) fn run_child<'js>(ctx: Ctx<'js>, child: PromptObject<'js>) -> LocalBoxFuture<'js, Result<ChildRun>> {
    async move {
        let host = Rc::new(ScriptPrompt::new(&ctx, &child)?);
        let run = host.run();
        let record = run.borrow().record.clone();
        host.take_over_steps();
        // The caller of the agent gets the failure.
        record.observe();
        // The parent counts as waiting for its script, although the child may wait for a model.
        let alive = KeepAlive::new(&ctx)?;
        let job = host.job.id();
        jobs::run_in(&ctx, job, services::step_loop(&ctx)?.run(host)).await;
        drop(alive);
        if let Some(RunOutcome::Failed(error)) = record.outcome() {
            return Err(throw_run_error(&ctx, &run, &error));
        }
        let steps = record.steps().clone();
        Ok(ChildRun { text: record.text(), steps })
    }
    .boxed_local()
}
