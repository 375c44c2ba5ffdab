//! The answer of a step, from its first request to the last result of its calls (docs/reference/steps.md).

use std::rc::Rc;

use super::{
    admission::Admission,
    answer::Answer,
    receiver::{Receiver, still_paused},
    run_log::WholeAnswer,
    step_request::{PausedTurn, StepRequest},
    tools::{WaitingForTools, interrupted},
};
use crate::prompt::{PromptHost, RunError};
use lmthing_base::{
    chat::{Message, StepCache, ToolResult},
    event::EventKind,
};
use lmthing_providers::{MockTurn, ProviderError};

pub(super) struct Received {
    pub(super) answer: Answer,
    pub(super) message: Option<Rc<Message>>,
    pub(super) cost: Option<f64>,
    pub(super) tool_results: Vec<ToolResult>,
    pub(super) cache: Option<StepCache>,
    /// Why the answer is a failure, with which the run ends.
    pub(super) failure: Option<ProviderError>,
    /// Whether the user has stopped the answer or its calls.
    pub(super) is_interrupted: bool,
}

/// Reads the answer while its tool calls are already running.
pub(super) async fn receive(
    host: &dyn PromptHost,
    request: StepRequest<'_>,
    admission: Admission,
) -> Result<Received, RunError> {
    let StepRequest { number: step, plan, tools, log, .. } = request;
    let mut receiver = Receiver::new(host, plan, log, admission);
    let turn = ask(host, request, &mut receiver).await?;
    if receiver.answer.can_continue() {
        host.record().scope().emit(&EventKind::Warning { message: still_paused(&receiver.answer) });
    }
    receiver.answer.check_cites();
    let message = receiver.answer.take_message().map(Rc::new);
    let cache = request.cache.borrow_mut().end_step();
    if let Some(failure) = receiver.answer.failure() {
        // Not logged: a resumed run asks again.
        receiver.keep_text(message.as_deref());
        let (answer, cost) = (receiver.answer, receiver.cost);
        let tool_results = Vec::new();
        return Ok(Received {
            answer,
            message,
            cost,
            tool_results,
            cache,
            failure: Some(failure),
            is_interrupted: false,
        });
    }
    let (answer, cost) = (&receiver.answer, receiver.cost);
    let whole = WholeAnswer { step, plan, tools, answer, message: message.as_ref(), cost, cache: &cache, turn };
    log.record_answer(&whole).await?;
    receiver.calls.start_held();
    let waiting = WaitingForTools::of(host);
    let is_interrupted = tokio::select! {
        biased;
        is_interrupted = receiver.calls.finish() => is_interrupted?,
        never = receiver.admission.end_when_used_up() => match never {},
    };
    drop(waiting);
    let is_interrupted = is_interrupted || receiver.is_cut;
    let (answer, tool_results) = (receiver.answer, receiver.calls.into_results());
    Ok(Received { answer, message, cost, tool_results, cache, failure: None, is_interrupted })
}

/// Sends requests until the answer is whole, or the user has stopped it. Returns the turn of a mock, if one has answered.
async fn ask<'a>(
    host: &'a dyn PromptHost,
    request: StepRequest<'a>,
    receiver: &mut Receiver<'a>,
) -> Result<Option<MockTurn>, RunError> {
    let model = request.model;
    let mut paused: Option<PausedTurn> = None;
    loop {
        let sent = request.build(host, &receiver.admission, paused.take());
        let answering = tokio::select! {
            biased;
            () = interrupted(host) => {
                receiver.cut()?;
                return Ok(None);
            }
            answering = receiver.admission.send(model, sent) => answering,
        };
        let answering = answering.inspect_err(|_| receiver.keep_earlier_parts())?;
        receiver.answer.set_model(answering.provider, answering.model_id);
        let (mut stream, turn, rules) = (answering.parts, answering.turn, answering.cache_rules);
        request.log.note_played(turn.as_ref());
        tokio::select! {
            biased;
            () = interrupted(host) => receiver.is_cut = true,
            read = receiver.read(&mut stream) => read?,
        }
        if receiver.is_cut {
            drop(stream);
            receiver.cut()?;
            return Ok(turn);
        }
        // Closes the connection instead of waiting for the rest of an answer that was cut short.
        drop(stream);
        receiver.admission.release_permit();
        receiver.release_text()?;
        receiver.release_sources(true)?;
        // Before the tools end, so that agents among them can use what is left.
        receiver.add_cost();
        request.compare(&receiver.admission, &receiver.answer, &rules);
        if !receiver.is_pausing() {
            return Ok(turn);
        }
        let turn = receiver.pause();
        receiver.admission = request.admit(host, Some(&turn)).await.inspect_err(|_| receiver.keep_earlier_parts())?;
        paused = Some(turn);
    }
}
