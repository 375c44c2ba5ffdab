//! Tool calls of one step: started as they arrive, run concurrently, answered in call order (docs/reference.md,
//! "Tools"). Must not know what a tool is: the host answers.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};

use super::kept::Keeper;
use crate::{
    chat::{Message, ToolCall, ToolResult},
    checkpoint::interrupted,
    event::EventKind,
    prompt::{PromptHost, RunError, StepPlan, ToolAnswer},
};

/// A call that was answered: its place among the calls, its result, and how long that took.
type Answered = (usize, ToolResult, Duration);

/// The tool calls of the step under way.
pub(super) struct ToolCalls<'a> {
    host: &'a dyn PromptHost,
    plan: &'a StepPlan,
    keeper: Keeper<'a>,
    running: FuturesUnordered<LocalBoxFuture<'a, Answered>>,
    /// Calls that are made when the whole answer is in the log.
    held: Vec<(usize, ToolCall)>,
    /// In call order; `None` while a call runs.
    results: Vec<Option<ToolResult>>,
}

impl<'a> ToolCalls<'a> {
    /// None yet; `plan` says which tools may be called.
    pub(super) fn new(host: &'a dyn PromptHost, plan: &'a StepPlan, keeper: Keeper<'a>) -> Self {
        ToolCalls { host, plan, keeper, running: FuturesUnordered::new(), held: Vec::new(), results: Vec::new() }
    }

    /// Takes a call of an answer that is still arriving. It is made at once, unless there is a log: a call whose answer is
    /// not kept would be made again by another process, after another answer.
    pub(super) fn take(&mut self, call: ToolCall) {
        let place = self.results.len();
        self.results.push(None);
        if self.keeper.is_on() {
            self.held.push((place, call));
        } else {
            self.start(place, call);
        }
    }

    /// Makes the calls that were held back.
    pub(super) fn start_held(&mut self) {
        for (place, call) in std::mem::take(&mut self.held) {
            self.start(place, call);
        }
    }

    /// Takes a call that was answered in another process.
    pub(super) fn take_answered(&mut self, result: ToolResult) {
        self.results.push(Some(result));
    }

    /// Takes a call that began in another process, that nobody knows the end of, and that must not be made again.
    pub(super) fn take_interrupted(&mut self, call: ToolCall) -> Result<(), RunError> {
        let place = self.results.len();
        let answer = ToolAnswer::failed(&call, interrupted(&call.tool_name));
        self.results.push(None);
        self.answered((place, result(call, answer), Duration::ZERO))
    }

    fn start(&mut self, place: usize, call: ToolCall) {
        let (host, plan, keeper) = (self.host, self.plan, self.keeper);
        let began = Instant::now();
        let answer = async move {
            // The plan, not the prompt: a tool that an earlier call of this step has hidden is still there for this
            // one.
            let refusal = if !plan.active.tools.contains(&call.tool_name) {
                Some(unavailable(&call, &plan.active.tools))
            } else {
                call.input.problem().map(|problem| unreadable(&call, problem))
            };
            let answer = match refusal {
                Some(message) => {
                    host.call_refused(&message);
                    ToolAnswer::failed(&call, message)
                }
                // Only now: of calls that are started together, those before it may end the process.
                None => match keeper.call_begins(place, &call.tool_name) {
                    Ok(()) => host.call_tool(&call, plan).await,
                    Err(error) => ToolAnswer::failed(&call, error.to_string()),
                },
            };
            (place, result(call, answer), began.elapsed())
        };
        self.running.push(answer.boxed_local());
    }

    /// Waits until one more call is answered; never resolves while none runs, so that it can stand in a `select!`.
    ///
    /// # Errors
    /// The answer could not be kept.
    pub(super) async fn one_answered(&mut self) -> Result<(), RunError> {
        match self.running.next().await {
            Some(answered) => self.answered(answered),
            None => std::future::pending().await,
        }
    }

    fn answered(&mut self, (place, result, took): Answered) -> Result<(), RunError> {
        let event = EventKind::ToolResult { result: Rc::new(result.clone()), took };
        self.host.record().append(event);
        // After the event, which is kept with it.
        self.keeper.call_ends(place, &result)?;
        self.results[place] = Some(result);
        Ok(())
    }

    /// Waits for all calls; results in call order.
    ///
    /// # Errors
    /// An answer could not be kept.
    pub(super) async fn finish(mut self) -> Result<Vec<ToolResult>, RunError> {
        while !self.running.is_empty() {
            self.one_answered().await?;
        }
        Ok(self.results.into_iter().flatten().collect())
    }
}

fn result(call: ToolCall, answer: ToolAnswer) -> ToolResult {
    ToolResult {
        tool_call_id: call.tool_call_id,
        tool_name: call.tool_name,
        input: answer.input,
        output: answer.output,
        agents: answer.agents.into(),
    }
}

/// The answer to a call of a tool that does not exist or is hidden on this step.
fn unavailable(call: &ToolCall, active_tools: &[String]) -> String {
    let available = match active_tools {
        [] => "No tools are available.".to_owned(),
        names => format!("Available tools: {}.", names.join(", ")),
    };
    format!("Model tried to call unavailable tool '{}'. {available}", call.tool_name)
}

/// The answer to a call whose arguments cannot be read: refused before any schema sees them, since some take anything.
fn unreadable(call: &ToolCall, problem: &str) -> String {
    format!("Invalid input for tool {}: {problem}", call.tool_name)
}

/// Adds the answer of a step and its results to the conversation.
pub(super) fn into_history(
    host: &dyn PromptHost,
    keeper: Keeper<'_>,
    message: Option<&Rc<Message>>,
    tool_results: &[ToolResult],
) {
    let messages: Vec<_> = message.into_iter().cloned().chain(ToolResult::message(tool_results).map(Rc::new)).collect();
    keeper.step_in_history(messages.len());
    // Calls and results together: a conversation with one and not the other is refused by providers.
    host.prompt().borrow_mut().finish_step(messages);
}
