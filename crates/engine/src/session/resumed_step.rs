//! Resumes a step whose answer came in another process: makes the calls without results and ends the step.

use std::{rc::Rc, time::Instant};

use super::{
    run_log::RunLog,
    tools::{ToolCalls, WaitingForTools, into_history},
    warnings::StepWarnings,
};
use crate::prompt::{ActiveSet, PromptHost, RunError, StepPlan};
use lmthing_base::{
    cache::{SentPrompt, request_length},
    chat::{ContentPart, Message, Step, StepOutput, ToolCall},
    checkpoint::{Restored, UnfinishedStep, result_of, sent_messages},
    event::EventKind,
};
use lmthing_providers::model_label;

/// A step with all its results.
pub(super) struct FinishedStep {
    pub(super) step: Rc<Step>,
    /// Whether the user has stopped it, so that no other step follows in its turn.
    pub(super) is_interrupted: bool,
}

/// Finishes a step from its logged answer. The prompt is set up with its state after the last answered call.
pub(super) async fn finish_step(
    host: &dyn PromptHost,
    number: usize,
    unfinished: &UnfinishedStep,
    log: RunLog<'_>,
    step_warnings: &StepWarnings,
) -> Result<FinishedStep, RunError> {
    let began = Instant::now();
    let answer = &unfinished.step.answer;
    let messages = sent_messages(&unfinished.step, host.prompt().borrow().history());
    let plan = StepPlan { messages, active: ActiveSet::of_names(&answer.active) };
    let message = answer.message_as_written();
    let mut calls = ToolCalls::new(host, &plan, log);
    for (place, call) in calls_of(message.as_deref()).into_iter().enumerate() {
        let end = unfinished.step.results.iter().find(|end| end.place == place);
        match (end, host.log()) {
            (Some(end), Some(log)) => calls.add_finished(result_of(end, log)),
            _ if unfinished.started.contains(&place) => calls.add_interrupted(call).await?,
            _ => calls.add(call),
        }
    }
    calls.start_held();
    let waiting = WaitingForTools::of(host);
    let is_interrupted = calls.finish().await?;
    let tool_results = calls.into_results();
    drop(waiting);
    into_history(host, log, message.as_ref(), &tool_results);
    let settings = host.settings().call;
    let model: Rc<str> = model_label(&answer.provider, &answer.model_id).into();
    let step = Rc::new(Step {
        prompt: plan.messages,
        tools: Some(unfinished.step.tools.clone()),
        settings,
        output: StepOutput { message, finish_reason: answer.finish_reason },
        active_tools: plan.active.tools,
        raw: host.record().answer(),
        tool_results,
        usage: answer.usage,
        cost: answer.cost,
        warnings: answer.warnings.clone(),
        response: answer.response.clone(),
        sources: answer.sources.clone(),
        cache: answer.cache.clone(),
    });
    step_warnings.step(&model, &step, None);
    host.record().append(EventKind::StepFinish { number, step: step.clone(), model, took: began.elapsed() });
    Ok(FinishedStep { step, is_interrupted })
}

/// The last request of another process. Its settings are not logged, so they count as unchanged.
pub(super) fn last_sent(host: &dyn PromptHost, restored: &Restored) -> Option<SentPrompt> {
    let stored = restored.answers().last()?;
    let answer = &stored.answer;
    let parts = answer.message.as_ref().map(|message| message.content_parts()).unwrap_or_default();
    Some(SentPrompt {
        model: model_label(&answer.provider, &answer.model_id).into(),
        messages: sent_messages(stored, host.prompt().borrow().history()),
        tools: Some(stored.tools.clone()),
        active_tools: answer.active.tools.as_slice().into(),
        settings: host.settings().call,
        input_tokens: request_length(parts, &answer.usage),
    })
}

fn calls_of(message: Option<&Message>) -> Vec<ToolCall> {
    let calls = message.map(Message::content_parts).unwrap_or_default().iter().filter_map(|part| match part {
        ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed: false, .. } => {
            Some(ToolCall { tool_call_id: tool_call_id.clone(), tool_name: tool_name.clone(), input: input.clone() })
        }
        _ => None,
    });
    calls.collect()
}
