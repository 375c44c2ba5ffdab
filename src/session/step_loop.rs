//! The loop: run the function again, run effects, render, call the model, run tools, record, stop or go round.
//!
//! The order is that of docs/reference/steps.md.

use std::{rc::Rc, time::Instant};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    admission::{Asker, admit},
    endings::Endings,
    going_on::finish_step,
    kept::Keeper,
    meter::{GRACE, Meter},
    receive::{Asked, Received, receive},
    tools::into_history,
};
use crate::{
    chat::{CallSettings, ContentPart, ModelRequest, Role, Step, StepOutput, ToolSpec},
    event::{EventKind, Sent},
    prompt::{AnswerCheck, PromptHost, RunError, RunLimits, RunOutcome, RunSettings, StepLoop, StepPlan, plan_step},
};

/// How many steps a run may take when nothing else is set: a model that calls tools in a circle has to end some time.
pub(crate) const DEFAULT_MAX_STEPS: usize = 1000;

/// The step loop. Everything of a run is in its host; what is here is shared by all runs.
pub(crate) struct Session {
    /// Hears of every step that is over.
    pub endings: Endings,
    /// What the whole run may use.
    pub meter: Rc<Meter>,
    /// Whether steps keep the schemas of their tools also where the model reads none.
    pub keeps_tools: bool,
}

impl StepLoop for Session {
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        // Here and not in the future: a second run that is asked for before the first is polled has to be refused.
        host.record().start();
        let scope = host.record().scope().clone();
        let run = async move {
            let host: &(dyn PromptHost + 'a) = &*host;
            let keeper = Keeper::new(host, &self.meter);
            if keeper.restored().is_some_and(|restored| restored.is_done) {
                // All of it was done in another process, with its clean-ups.
                let outcome = outcome(find_output(host).await);
                host.record().append(EventKind::PromptEnd);
                agent_ends(host, &outcome);
                return host.record().finish(outcome);
            }
            let result = {
                let steps = run_steps(host, &self).fuse();
                let aborted = host.aborted().fuse();
                let ended = until_ended(&self.meter).fuse();
                futures_util::pin_mut!(steps, aborted, ended);
                futures_util::select_biased! {
                    () = aborted => Err(RunError::Aborted),
                    () = ended => Err(self.meter.end()),
                    result = steps => result,
                }
            };
            // Of two errors the first counts, but the clean-ups run in any case.
            let cleaned = host.run_finished(result.is_err()).await;
            let mut ended = result.and(cleaned).and_then(|()| keeper.ends());
            if ended.is_ok() {
                ended = keeper.stored().await;
            }
            let outcome = outcome(ended);
            // The part first: when `result` resolves, the printer has ended its line.
            host.record().append(EventKind::PromptEnd);
            agent_ends(host, &outcome);
            host.record().finish(outcome);
        };
        async move { scope.at_work(run).await }.boxed_local()
    }
}

fn outcome(result: Result<(), RunError>) -> RunOutcome {
    match result {
        Ok(()) => RunOutcome::Done,
        Err(error) => RunOutcome::Failed(Rc::new(error)),
    }
}

/// The output of a run that is done lies in its last answer: values that a schema makes are not kept.
async fn find_output(host: &dyn PromptHost) -> Result<(), RunError> {
    let last = host.record().steps().last().cloned();
    match last {
        Some(step) => host.check_answer(&step, false).await.map(drop),
        None => Ok(()),
    }
}

/// Waits for a limit to end the whole run. Requests are not made any more from then on; tools that hear of it come to an end,
/// and their steps are whole then, but none may take longer.
async fn until_ended(meter: &Meter) {
    meter.reached().await;
    // What stops for an approval has nothing left to do.
    if !matches!(meter.end().origin(), RunError::Waiting { .. }) {
        tokio::time::sleep(GRACE).await;
    }
}

/// Who made the host has told that the agent begins: its callback, or its function, ran before the first step.
fn agent_ends(host: &dyn PromptHost, outcome: &RunOutcome) {
    let error = match outcome {
        RunOutcome::Done => None,
        RunOutcome::Failed(error) => Some(error.to_string()),
    };
    host.record().scope().end(error.as_deref());
}

async fn run_steps(host: &dyn PromptHost, session: &Session) -> Result<(), RunError> {
    let max_steps = host.settings().max_steps.unwrap_or(DEFAULT_MAX_STEPS);
    let keeper = Keeper::new(host, &session.meter);
    let restored = keeper.restored();
    let first = restored.map_or(0, |restored| restored.next_step());
    let mut half = restored.and_then(|restored| restored.half.as_ref());
    let mut unfinished = "the model still called tools".to_owned();
    for number in first..max_steps {
        // Asked as well as awaited: a step in which nothing waits, as with a mock, lets nobody else have a turn.
        if host.is_aborted() {
            return Err(RunError::Aborted);
        }
        let step = match half.take() {
            Some(half) => finish_step(host, number, half, keeper, &session.endings).await?,
            None => {
                // Whoever set the prompt up has run it for the first step.
                if number > first {
                    host.rerun().await?;
                }
                let modifications = host.run_effects(number).await?;
                let (settings, plan) = plan_step(host, modifications)?;
                run_step(host, number, plan, settings, session).await?
            }
        };
        let ends = step.tool_results.is_empty();
        // Asked also of the last step, which `onStepFinish` is called for as well.
        let stopped = host.step_finished(&step).await?;
        if stopped || ends {
            match host.check_answer(&step, !stopped).await? {
                AnswerCheck::Accepted => return Ok(()),
                AnswerCheck::AskAgain(correction) => {
                    unfinished = "the last answer did not match output".to_owned();
                    host.prompt().borrow_mut().add_message(Role::User, vec![ContentPart::text(correction)]);
                }
            }
        }
        keeper.step_ends(number)?;
        keeper.stored().await?;
    }
    let message =
        format!("the run was ended after {max_steps} steps, and {unfinished}; options.maxSteps lets it go further");
    Err(RunError::Limit { message })
}

/// One request and everything that follows from its answer.
async fn run_step(
    host: &dyn PromptHost,
    number: usize,
    plan: StepPlan,
    settings: RunSettings,
    session: &Session,
) -> Result<Rc<Step>, RunError> {
    let began = Instant::now();
    let model = host.model();
    let tools = sent_tools(host, model.reads_request() || session.keeps_tools, &plan)?;
    let scope = host.record().scope();
    let asker = Asker { model: &*model, scope, standing: host.standing(), messages: &plan.messages };
    let admission = admit(&session.meter, asker).await?;
    let request = match &tools {
        Some(tools) => {
            let settings = CallSettings { output_left: admission.output_left, ..(*settings.call).clone() };
            ModelRequest { messages: plan.messages.to_vec(), tools: tools.to_vec(), settings }
        }
        None => ModelRequest::default(),
    };
    let name: Rc<str> = format!("{}:{}", model.provider(), model.model_id()).into();
    let active_tools = plan.active.tools.as_slice().into();
    let sent = Sent { messages: plan.messages.clone(), active_tools, tools: tools.clone() };
    host.record().append(EventKind::StepStart { step: number, model: name, sent });
    let keeper = Keeper::new(host, &session.meter);
    let asked = Asked { number, plan: &plan, tools: tools.as_ref(), keeper };
    let received = receive(host, &*model, request, asked, admission).await?;
    let Received { answer, message, cost, tool_results } = received;
    into_history(host, keeper, message.as_ref(), &tool_results);
    let step = Rc::new(Step {
        prompt: plan.messages,
        tools,
        settings: settings.call,
        output: StepOutput { message, finish_reason: answer.finish_reason },
        active_tools: plan.active.tools,
        raw: host.record().answer(),
        tool_results,
        usage: answer.usage,
        cost,
        warnings: answer.warnings,
        response: answer.response,
    });
    let model: Rc<str> = format!("{}:{}", answer.provider, answer.model_id).into();
    // What is wrong with the answer belongs to the step.
    session.endings.step(&model, &step);
    host.record().append(EventKind::StepFinish { number, step: step.clone(), model, took: began.elapsed() });
    Ok(step)
}

/// The tools as the model is told of them; `None`, and kept by the host, when nobody reads them. Steps that say the
/// same as the step before share it.
fn sent_tools(host: &dyn PromptHost, is_read: bool, plan: &StepPlan) -> Result<Option<Rc<[ToolSpec]>>, RunError> {
    if !is_read {
        host.keep_tools(&plan.active.tools)?;
        return Ok(None);
    }
    let specs = host.tool_specs(&plan.active.tools)?;
    let before = host.record().steps().last().and_then(|step| step.tools.clone());
    Ok(Some(before.filter(|before| **before == *specs).unwrap_or_else(|| specs.into())))
}
