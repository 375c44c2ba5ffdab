//! The loop: run the function again, run effects, render, call the model, run tools, record, stop or go round (SPEC 3).

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{receive::receive, sent::as_sent, tools::results_message};
use crate::{
    chat::{ModelRequest, Step},
    prompt::{PromptHost, RunError, RunOutcome, RunPart, RunSettings, StepLoop, StepPlan},
};

/// How many steps a run may take when nothing else is set (SPEC 3).
pub const DEFAULT_MAX_STEPS: usize = 1000;

/// The step loop. It has no state of its own: everything of a run is in its host.
#[derive(Clone, Copy, Debug, Default)]
pub struct Session;

impl StepLoop for Session {
    fn run<'a>(&'a self, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        async move {
            let host: &(dyn PromptHost + 'a) = &*host;
            let result = {
                let steps = run_steps(host).fuse();
                let aborted = host.aborted().fuse();
                futures_util::pin_mut!(steps, aborted);
                futures_util::select_biased! {
                    result = steps => result,
                    () = aborted => Err(RunError::Aborted),
                }
            };
            let cleaned = host.run_finished(result.is_err()).await;
            let outcome = match result.and(cleaned) {
                Ok(()) => RunOutcome::Done,
                Err(error) => RunOutcome::Failed(Rc::new(error)),
            };
            host.record().append(RunPart::RunEnd);
            host.record().finish(outcome);
        }
        .boxed_local()
    }
}

async fn run_steps(host: &dyn PromptHost) -> Result<(), RunError> {
    let max_steps = host.settings().max_steps.unwrap_or(DEFAULT_MAX_STEPS);
    for number in 0..max_steps {
        if number > 0 {
            host.rerun().await?;
        }
        let modifications = host.run_effects(number).await?;
        let settings = host.settings();
        let sections = host.plugin_sections()?;
        let mut plan = host.prompt().borrow_mut().prepare_step(settings.system.as_deref(), &sections, modifications);
        if let Some(wanted) = &settings.active_tools {
            plan.active_tools.retain(|name| wanted.contains(name));
        }
        let step = run_step(host, number, plan, settings).await?;
        let ends = step.tool_results.is_empty();
        if host.step_finished(&step).await? || ends {
            return Ok(());
        }
    }
    Err(RunError::Limit {
        message: format!("the run was ended after {max_steps} steps, and the model still called tools"),
    })
}

/// One request and everything that follows from its answer.
async fn run_step(
    host: &dyn PromptHost,
    number: usize,
    plan: StepPlan,
    settings: RunSettings,
) -> Result<Rc<Step>, RunError> {
    let model = host.model();
    let request = if model.reads_request() {
        ModelRequest {
            messages: as_sent(plan.messages.to_vec()),
            tools: host.tool_specs(&plan.active_tools)?,
            settings: settings.call,
        }
    } else {
        ModelRequest::default()
    };
    host.record().append(RunPart::StepStart { step: number });
    let (answer, tool_results) = receive(host, &*model, request, &plan).await?;
    let output = answer.output();
    let messages = answer.message().into_iter().chain(results_message(&tool_results)).collect();
    host.prompt().borrow_mut().finish_step(messages);
    let step = Rc::new(Step {
        prompt: plan.messages,
        output,
        active_tools: plan.active_tools,
        raw: answer.raw,
        tool_results,
        usage: answer.usage,
        warnings: answer.warnings,
        response: answer.response,
    });
    host.record().append(RunPart::StepEnd { step: step.clone() });
    Ok(step)
}
