//! The step loop: rerun the function, run effects, render, call the model, run tools, record, stop or repeat
//! (docs/reference/steps.md).

use std::{cell::RefCell, rc::Rc, time::Instant};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    meter::{GRACE, Meter},
    receive::{Received, receive},
    resumed_step::{finish_step, last_sent},
    run_log::RunLog,
    step_request::StepRequest,
    tools::into_history,
    warnings::StepWarnings,
};
use crate::prompt::{
    AnswerCheck, PromptHost, RunError, RunLimits, RunOutcome, RunSettings, StepLoop, StepPlan, plan_step,
};
use lmthing_base::{
    cache::CacheConversation,
    chat::{ContentPart, Role, Step, StepOutput, ToolSpec},
    event::{EventKind, SentRequest},
};
use lmthing_providers::model_label;

pub(crate) const DEFAULT_MAX_STEPS: usize = 1000;

const STILL_CALLS_TOOLS: &str = "the model still called tools";

pub(crate) struct Session {
    pub step_warnings: StepWarnings,
    pub meter: Rc<Meter>,
    /// Whether steps have the schemas of their tools even if the model does not read them.
    pub keeps_tool_schemas: bool,
}

impl StepLoop for Session {
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        // Before the future is polled: a second run must be refused from this call on.
        host.record().start();
        let scope = host.record().scope().clone();
        let run = async move {
            let host: &(dyn PromptHost + 'a) = &*host;
            let log = RunLog::new(host, &self.meter);
            if log.restored().is_some_and(|restored| restored.is_done) {
                // Another process has completed the run, including clean-ups.
                let outcome = outcome(restore_output(host).await);
                host.record().append(EventKind::PromptEnd);
                emit_agent_end(host, &outcome);
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
            // The first error wins, but the clean-ups run in any case.
            let cleaned = host.run_finished(result.is_err()).await;
            let ended = match result.and(cleaned) {
                Ok(()) => record_end(log).await,
                failed => failed,
            };
            let outcome = outcome(ended);
            // This event first: the printer must have ended its line when `result` resolves.
            host.record().append(EventKind::PromptEnd);
            emit_agent_end(host, &outcome);
            host.record().finish(outcome);
        };
        async move { scope.run_as_agent(run).await }.boxed_local()
    }
}

async fn record_end(log: RunLog<'_>) -> Result<(), RunError> {
    log.record_end().await?;
    log.stored().await
}

fn outcome(result: Result<(), RunError>) -> RunOutcome {
    match result {
        Ok(()) => RunOutcome::Done,
        Err(error) => RunOutcome::Failed(Rc::new(error)),
    }
}

/// A finished run has its output in its last answer, as validated values are not logged.
async fn restore_output(host: &dyn PromptHost) -> Result<(), RunError> {
    let last = host.record().steps().last().cloned();
    match last {
        Some(step) => host.check_answer(&step, false).await.map(drop),
        None => Ok(()),
    }
}

/// Resolves when a limit has ended the run and tools have had time to end, so that their steps are complete.
async fn until_ended(meter: &Meter) {
    meter.reached().await;
    // A run that stops for an approval has nothing left to do.
    if !matches!(meter.end().origin(), RunError::Waiting { .. }) {
        tokio::time::sleep(GRACE).await;
    }
}

/// The start event was emitted by the creator of the host, as the callback or function runs before the first step.
fn emit_agent_end(host: &dyn PromptHost, outcome: &RunOutcome) {
    let error = match outcome {
        RunOutcome::Done => None,
        RunOutcome::Failed(error) => Some(error.to_string()),
    };
    host.record().scope().end(error.as_deref());
}

async fn run_steps(host: &dyn PromptHost, session: &Session) -> Result<(), RunError> {
    let chosen = host.settings().max_steps;
    let max_steps = chosen.unwrap_or(DEFAULT_MAX_STEPS);
    let log = RunLog::new(host, &session.meter);
    let restored = log.restored();
    let first = restored.map_or(0, |restored| restored.next_step());
    let mut unfinished_step = restored.and_then(|restored| restored.unfinished.as_ref());
    let mut unfinished = STILL_CALLS_TOOLS;
    let cache = host.prompt().borrow().cache();
    match restored {
        Some(restored) => *cache.borrow_mut() = CacheConversation::resumed(last_sent(host, restored)),
        // A run before may have ended within a step.
        None => drop(cache.borrow_mut().end_step()),
    }
    for number in first..max_steps {
        // Polled explicitly: a step without waiting, such as with a mock, never yields.
        if host.is_aborted() {
            return Err(RunError::Aborted);
        }
        let step = match unfinished_step.take() {
            Some(unfinished) => finish_step(host, number, unfinished, log, &session.step_warnings).await?,
            None => {
                // The setup has already run the prompt for the first step.
                if number > first {
                    host.rerun().await?;
                }
                let modifications = host.run_effects(number).await?;
                let (settings, plan) = plan_step(host, modifications)?;
                run_step(host, number, plan, settings, session, &cache).await?
            }
        };
        if chosen.is_none()
            && let Some(notice) = session.meter.long_run_notice()
        {
            host.record().scope().emit(&EventKind::Warning { message: notice });
        }
        let ends = step.tool_results.is_empty();
        // Also called for the last step, for `onStepFinish`.
        let stopped = host.step_finished(&step).await?;
        unfinished = STILL_CALLS_TOOLS;
        if stopped || ends {
            match host.check_answer(&step, !stopped).await? {
                AnswerCheck::Accepted => return Ok(()),
                AnswerCheck::AskAgain(correction) => {
                    unfinished = "the last answer did not match output";
                    host.prompt().borrow_mut().add_message(Role::User, vec![ContentPart::text(correction)]);
                }
            }
        }
        log.record_step_end(number).await?;
        log.stored().await?;
    }
    let message =
        format!("the run was ended after {max_steps} steps, and {unfinished}; options.maxSteps lets it go further");
    Err(RunError::Limit { message })
}

async fn run_step(
    host: &dyn PromptHost,
    number: usize,
    plan: StepPlan,
    settings: RunSettings,
    session: &Session,
    cache: &RefCell<CacheConversation>,
) -> Result<Rc<Step>, RunError> {
    let began = Instant::now();
    let model = host.model();
    let log = RunLog::new(host, &session.meter);
    let tools = sent_tools(host, (model.reads_request() || session.keeps_tool_schemas, log.is_enabled()), &plan)?;
    let active_tools: Rc<[String]> = plan.active.tools.as_slice().into();
    let request = StepRequest {
        number,
        plan: &plan,
        active_tools: &active_tools,
        tools: tools.as_ref(),
        settings: &settings,
        model: &*model,
        meter: &session.meter,
        log,
        cache,
    };
    let admission = request.admit(host, None).await?;
    let name: Rc<str> = model_label(model.provider(), model.model_id()).into();
    let sent = SentRequest {
        messages: plan.messages.clone(),
        active_tools: active_tools.clone(),
        tools: tools.clone(),
        settings: settings.call.clone(),
        server: model.server().map(Into::into),
    };
    host.record().append(EventKind::StepStart { step: number, model: name, sent });
    let received = receive(host, request, admission).await?;
    let Received { answer, message, cost, tool_results, cache, failure } = received;
    if failure.is_none() {
        into_history(host, log, message.as_ref(), &tool_results);
    }
    let problem = answer.end.problem();
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
        sources: answer.sources.into_sources(),
        cache,
    });
    let model: Rc<str> = model_label(&answer.provider, &answer.model_id).into();
    session.step_warnings.step(&model, &step, problem.filter(|_| failure.is_none()));
    host.record().append(EventKind::StepFinish { number, step: step.clone(), model, took: began.elapsed() });
    failure.map_or(Ok(step), |failure| Err(RunError::Provider(failure)))
}

/// The tool schemas of the request; `None`, and kept by the host, if neither the model nor the journal reads them. Equal
/// schemas of consecutive steps are shared.
fn sent_tools(
    host: &dyn PromptHost,
    (is_read, is_stored): (bool, bool),
    plan: &StepPlan,
) -> Result<Option<Rc<[ToolSpec]>>, RunError> {
    let specs = match is_read {
        true => Some(host.tool_specs(&plan.active.tools)?),
        // A schema that cannot be written is no failure of a mock.
        false => is_stored.then(|| host.tool_specs(&plan.active.tools).ok()).flatten(),
    };
    let Some(specs) = specs else {
        host.keep_tools(&plan.active.tools)?;
        return Ok(None);
    };
    let before = host.record().steps().last().and_then(|step| step.tools.clone());
    Ok(Some(before.filter(|before| **before == *specs).unwrap_or_else(|| specs.into())))
}
