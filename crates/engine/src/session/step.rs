//! One step: asks the model, runs its calls, records the step.

use std::{cell::RefCell, rc::Rc, time::Instant};

use super::{
    meter::Meter,
    receive::{Received, receive},
    resumed_step::FinishedStep,
    run_log::RunLog,
    step_request::StepRequest,
    tools::into_history,
    warnings::StepWarnings,
};
use crate::prompt::{PromptHost, RunError, RunSettings, StepPlan};
use lmthing_base::{
    cache::CacheConversation,
    chat::{Step, StepOutput, ToolSpec},
    event::{EventKind, SentRequest},
};
use lmthing_providers::model_label;

/// What the prompts of a run share.
pub(crate) struct Session {
    pub step_warnings: StepWarnings,
    pub meter: Rc<Meter>,
    /// Whether steps have the schemas of their tools even if the model does not read them.
    pub keeps_tool_schemas: bool,
}

pub(super) async fn run_step(
    host: &dyn PromptHost,
    number: usize,
    plan: StepPlan,
    settings: RunSettings,
    session: &Session,
    cache: &RefCell<CacheConversation>,
) -> Result<FinishedStep, RunError> {
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
    let Received { answer, message, cost, tool_results, cache, failure, is_interrupted } = received;
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
    session.step_warnings.step(&model, &step, problem.filter(|_| failure.is_none() && !is_interrupted));
    host.record().append(EventKind::StepFinish { number, step: step.clone(), model, took: began.elapsed() });
    failure.map_or(Ok(FinishedStep { step, is_interrupted }), |failure| Err(RunError::Provider(failure)))
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
