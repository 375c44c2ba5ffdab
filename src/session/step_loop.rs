//! The loop: run the function again, run effects, render, call the model, run tools, record, stop or go round.
//!
//! The order is that of docs/reference.md, "Steps".

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{endings::Endings, receive::receive, tools::results_message};
use crate::{
    chat::{ModelRequest, Step, StepOutput, ToolSpec},
    prompt::{PromptHost, RunError, RunOutcome, RunPart, RunSettings, StepLoop, StepPlan},
    provider::LanguageModel,
};

/// How many steps a run may take when nothing else is set: a model that calls tools in a circle has to end some time.
pub(crate) const DEFAULT_MAX_STEPS: usize = 1000;

/// The step loop. Everything of a run is in its host; what is here is shared by all runs.
pub(crate) struct Session {
    /// Hears of every step that is over.
    pub endings: Endings,
}

impl StepLoop for Session {
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        // Here and not in the future: a second run that is asked for before the first is polled has to be refused.
        host.record().start();
        async move {
            let host: &(dyn PromptHost + 'a) = &*host;
            let result = {
                let steps = run_steps(host, &self.endings).fuse();
                let aborted = host.aborted().fuse();
                futures_util::pin_mut!(steps, aborted);
                futures_util::select_biased! {
                    () = aborted => Err(RunError::Aborted),
                    result = steps => result,
                }
            };
            // Of two errors the first counts, but the clean-ups run in any case.
            let cleaned = host.run_finished(result.is_err()).await;
            let outcome = match result.and(cleaned) {
                Ok(()) => RunOutcome::Done,
                Err(error) => RunOutcome::Failed(Rc::new(error)),
            };
            // The part first: when `result` resolves, the printer has ended its line.
            host.record().append(RunPart::RunEnd);
            host.record().finish(outcome);
        }
        .boxed_local()
    }
}

async fn run_steps(host: &dyn PromptHost, endings: &Endings) -> Result<(), RunError> {
    let max_steps = host.settings().max_steps.unwrap_or(DEFAULT_MAX_STEPS);
    for number in 0..max_steps {
        // Asked as well as awaited: a step in which nothing waits, as with a mock, lets nobody else have a turn.
        if host.is_aborted() {
            return Err(RunError::Aborted);
        }
        if number > 0 {
            host.rerun().await?;
        }
        let modifications = host.run_effects(number).await?;
        let settings = host.settings();
        let only = [modifications.tools.as_deref(), settings.active_tools.as_deref()];
        let active = host.prompt().borrow_mut().activate(&only);
        let sections = host.plugin_sections(&active)?;
        let system = settings.system.as_deref();
        let plan = host.prompt().borrow_mut().prepare_step(active, system, &sections, modifications);
        let (step, model) = run_step(host, number, plan, settings).await?;
        endings.step(&model, &step);
        let ends = step.tool_results.is_empty();
        // Asked also of the last step, which `onStepFinish` is called for as well.
        if host.step_finished(&step).await? || ends {
            return Ok(());
        }
    }
    Err(RunError::Limit {
        message: format!("the run was ended after {max_steps} steps, and the model still called tools"),
    })
}

/// One request and everything that follows from its answer; also who gave it.
async fn run_step(
    host: &dyn PromptHost,
    number: usize,
    plan: StepPlan,
    settings: RunSettings,
) -> Result<(Rc<Step>, String), RunError> {
    let model = host.model();
    let tools = sent_tools(host, &*model, &plan)?;
    let request = match &tools {
        Some(tools) => {
            ModelRequest { messages: plan.messages.to_vec(), tools: tools.to_vec(), settings: (*settings.call).clone() }
        }
        None => ModelRequest::default(),
    };
    host.record().append(RunPart::StepStart { step: number });
    let (mut answer, tool_results) = receive(host, &*model, request, &plan).await?;
    let name = format!("{}:{}", answer.provider, answer.model_id);
    let message = answer.take_message().map(Rc::new);
    let messages = message.iter().cloned().chain(results_message(&tool_results).map(Rc::new)).collect();
    // Calls and results together: a conversation with one and not the other is refused by providers.
    host.prompt().borrow_mut().finish_step(messages);
    let step = Rc::new(Step {
        prompt: plan.messages,
        tools,
        settings: settings.call,
        output: StepOutput { message, finish_reason: answer.finish_reason },
        active_tools: plan.active.tools,
        raw: host.record().answer(),
        tool_results,
        usage: answer.usage,
        warnings: answer.warnings,
        response: answer.response,
    });
    host.record().append(RunPart::StepEnd { step: step.clone() });
    Ok((step, name))
}

/// The tools as the model is told of them; `None`, and kept by the host, when it reads no requests. Steps that say the
/// same as the step before share it.
fn sent_tools(
    host: &dyn PromptHost,
    model: &dyn LanguageModel,
    plan: &StepPlan,
) -> Result<Option<Rc<[ToolSpec]>>, RunError> {
    if !model.reads_request() {
        host.keep_tools(&plan.active.tools)?;
        return Ok(None);
    }
    let specs = host.tool_specs(&plan.active.tools)?;
    let before = host.record().steps().last().and_then(|step| step.tools.clone());
    Ok(Some(before.filter(|before| **before == *specs).unwrap_or_else(|| specs.into())))
}
