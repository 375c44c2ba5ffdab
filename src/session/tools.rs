//! Tool calls of one step: started as they arrive, run concurrently, answered in call order (docs/reference.md,
//! "Tools"). Must not know what a tool is: the host answers.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};

use crate::{
    chat::{ContentPart, Message, Role, ToolCall, ToolResult},
    event::EventKind,
    prompt::{PromptHost, StepPlan, ToolAnswer},
};

/// A call that was answered: its place among the calls, its result, and how long that took.
type Answered = (usize, ToolResult, Duration);

/// The tool calls of the step under way.
pub(super) struct ToolCalls<'a> {
    host: &'a dyn PromptHost,
    plan: &'a StepPlan,
    running: FuturesUnordered<LocalBoxFuture<'a, Answered>>,
    /// In call order; `None` while a call runs.
    results: Vec<Option<ToolResult>>,
}

impl<'a> ToolCalls<'a> {
    /// None yet; `plan` says which tools may be called.
    pub(super) fn new(host: &'a dyn PromptHost, plan: &'a StepPlan) -> Self {
        ToolCalls { host, plan, running: FuturesUnordered::new(), results: Vec::new() }
    }

    /// Starts a call.
    pub(super) fn start(&mut self, call: ToolCall) {
        let place = self.results.len();
        self.results.push(None);
        let (host, plan) = (self.host, self.plan);
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
                None => host.call_tool(&call, plan).await,
            };
            let result = ToolResult {
                tool_call_id: call.tool_call_id,
                tool_name: call.tool_name,
                input: answer.input,
                output: answer.output,
                agents: answer.agents.into(),
            };
            (place, result, began.elapsed())
        };
        self.running.push(answer.boxed_local());
    }

    /// Waits until one more call is answered; never resolves while none runs, so that it can stand in a `select!`.
    pub(super) async fn one_answered(&mut self) {
        match self.running.next().await {
            Some((place, result, took)) => {
                let event = EventKind::ToolResult { result: Rc::new(result.clone()), took };
                self.host.record().append(event);
                self.results[place] = Some(result);
            }
            None => std::future::pending().await,
        }
    }

    /// Waits for all calls; results in call order.
    pub(super) async fn finish(mut self) -> Vec<ToolResult> {
        while !self.running.is_empty() {
            self.one_answered().await;
        }
        self.results.into_iter().flatten().collect()
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

/// The message that carries the results back to the model; `None` when there was no call.
pub(super) fn results_message(results: &[ToolResult]) -> Option<Message> {
    let parts: Vec<_> = results
        .iter()
        .map(|result| ContentPart::ToolResult {
            tool_call_id: result.tool_call_id.clone(),
            tool_name: result.tool_name.clone(),
            output: result.output.clone(),
            agents: result.agents.clone(),
            provider_options: None,
        })
        .collect();
    (!parts.is_empty()).then(|| Message::parts(Role::Tool, parts))
}
