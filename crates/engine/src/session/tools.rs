//! The tool calls of one step: started as they arrive, run concurrently, returned in call order
//! (docs/reference/tools.md).

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};
use tokio::sync::Mutex;

use super::run_log::RunLog;
use crate::prompt::{PromptHost, RunError, StepPlan, ToolAnswer};
use lmthing_base::{
    chat::{Message, ToolCall, ToolResult},
    checkpoint,
    event::EventKind,
};

/// Marks a prompt as waiting for its tools while it exists.
pub(super) struct WaitingForTools<'a>(&'a dyn PromptHost);

impl<'a> WaitingForTools<'a> {
    pub(super) fn of(host: &'a dyn PromptHost) -> Self {
        host.set_waiting_for_tools(true);
        WaitingForTools(host)
    }
}

impl Drop for WaitingForTools<'_> {
    fn drop(&mut self) {
        self.0.set_waiting_for_tools(false);
    }
}

/// Resolves when the user of a conversation stops its answer.
pub(super) async fn interrupted(host: &dyn PromptHost) {
    match host.turns() {
        Some(turns) => turns.interrupted().await,
        None => std::future::pending().await,
    }
}

type FinishedCall = Result<(usize, ToolResult), RunError>;

pub(super) struct ToolCalls<'a> {
    host: &'a dyn PromptHost,
    plan: &'a StepPlan,
    log: RunLog<'a>,
    running: FuturesUnordered<LocalBoxFuture<'a, FinishedCall>>,
    /// Calls to be made once the whole answer is logged.
    held: Vec<(usize, ToolCall)>,
    /// All calls that are made here, with their places.
    made: Vec<(usize, ToolCall)>,
    results: Vec<Option<ToolResult>>,
    /// Held by a call until it starts: calls start in order, although some are logged first.
    starting: Rc<Mutex<()>>,
}

impl<'a> ToolCalls<'a> {
    pub(super) fn new(host: &'a dyn PromptHost, plan: &'a StepPlan, log: RunLog<'a>) -> Self {
        let running = FuturesUnordered::new();
        ToolCalls {
            host,
            plan,
            log,
            running,
            held: Vec::new(),
            made: Vec::new(),
            results: Vec::new(),
            starting: Rc::default(),
        }
    }

    /// Adds a call of an answer that is still arriving. Without a log it starts at once. With a log it waits for the
    /// answer to be logged: otherwise another process would repeat the call after a different answer.
    pub(super) fn add(&mut self, call: ToolCall) {
        let index = self.results.len();
        self.results.push(None);
        if self.log.is_enabled() {
            self.held.push((index, call));
        } else {
            self.start(index, call);
        }
    }

    pub(super) fn start_held(&mut self) {
        for (index, call) in std::mem::take(&mut self.held) {
            self.start(index, call);
        }
    }

    pub(super) fn add_finished(&mut self, result: ToolResult) {
        self.results.push(Some(result));
    }

    /// Adds a call that another process started without recording a result, and that must not be repeated.
    pub(super) async fn add_interrupted(&mut self, call: ToolCall) -> Result<(), RunError> {
        let answer = ToolAnswer::failed(&call, checkpoint::interrupted(&call.tool_name));
        let result = result(call, answer);
        record_result(self.host, self.log, (self.results.len(), &result), Duration::ZERO).await?;
        self.add_finished(result);
        Ok(())
    }

    fn start(&mut self, index: usize, call: ToolCall) {
        self.made.push((index, call.clone()));
        let (host, plan, log) = (self.host, self.plan, self.log);
        let starting = self.starting.clone();
        let answer = async move {
            let turn = starting.lock().await;
            let mut began = Instant::now();
            // The plan, not the prompt: a tool that an earlier call of this step has hidden is still available.
            let refusal = if !plan.active.tools.contains(&call.tool_name) {
                Some(unavailable(&call, &plan.active.tools))
            } else {
                call.input.problem().map(|problem| unreadable(&call, problem))
            };
            let answer = match refusal {
                Some(message) => {
                    drop(turn);
                    host.report_refused_call(&message);
                    ToolAnswer::failed(&call, message)
                }
                // Logged only now: calls started before may end the process.
                None => match log.record_call_start(index, &call.tool_name).await {
                    Ok(()) => {
                        drop(turn);
                        began = Instant::now();
                        host.call_tool(&call, plan).await
                    }
                    Err(error) => {
                        drop(turn);
                        ToolAnswer::failed(&call, error.to_string())
                    }
                },
            };
            let result = result(call, answer);
            record_result(host, log, (index, &result), began.elapsed()).await?;
            Ok((index, result))
        };
        self.running.push(answer.boxed_local());
    }

    /// Never resolves while no call runs, for use in `select!`.
    pub(super) async fn next_result(&mut self) -> Result<(), RunError> {
        match self.running.next().await {
            Some(call) => {
                let (index, result) = call?;
                self.results[index] = Some(result);
                Ok(())
            }
            None => std::future::pending().await,
        }
    }

    /// Waits for the results of all calls. Those that are still missing when the user interrupts the turn are failures.
    /// Returns whether that has happened.
    pub(super) async fn finish(&mut self) -> Result<bool, RunError> {
        let host = self.host;
        let all = async {
            while !self.running.is_empty() {
                self.next_result().await?;
            }
            Ok::<_, RunError>(())
        };
        tokio::select! {
            biased;
            done = all => done.map(|()| false),
            () = interrupted(host) => self.interrupt().await.map(|()| true),
        }
    }

    pub(super) fn into_results(self) -> Vec<ToolResult> {
        self.results.into_iter().flatten().collect()
    }

    /// Leaves out the calls of an answer that was cut short.
    pub(super) fn forget(&mut self) {
        (self.held, self.made, self.results) = Default::default();
        self.running.clear();
    }

    async fn interrupt(&mut self) -> Result<(), RunError> {
        self.host.interrupt_calls();
        // Ends the agents among them.
        self.running.clear();
        for (index, call) in std::mem::take(&mut self.made) {
            if self.results[index].is_none() {
                let message = format!("The call of {} was interrupted by the user.", call.tool_name);
                let failed = ToolAnswer::failed(&call, message);
                let result = result(call, failed);
                record_result(self.host, self.log, (index, &result), Duration::ZERO).await?;
                self.results[index] = Some(result);
            }
        }
        Ok(())
    }
}

async fn record_result(
    host: &dyn PromptHost,
    log: RunLog<'_>,
    (index, result): (usize, &ToolResult),
    took: Duration,
) -> Result<(), RunError> {
    host.record().append(EventKind::ToolResult { result: Rc::new(result.clone()), took });
    // After the event, which is logged with it.
    log.record_call_end(index, result).await
}

fn result(call: ToolCall, answer: ToolAnswer) -> ToolResult {
    ToolResult {
        tool_call_id: call.tool_call_id,
        tool_name: call.tool_name,
        input: answer.input,
        output: answer.output,
        agents: answer.agents.into(),
        provider_executed: false,
    }
}

fn unavailable(call: &ToolCall, active_tools: &[String]) -> String {
    let available = match active_tools {
        [] => "No tools are available.".to_owned(),
        names => format!("Available tools: {}.", names.join(", ")),
    };
    format!("Model tried to call unavailable tool '{}'. {available}", call.tool_name)
}

/// Rejected before schema validation, as some schemas accept anything.
fn unreadable(call: &ToolCall, problem: &str) -> String {
    format!("Invalid input for tool {}: {problem}", call.tool_name)
}

pub(super) fn into_history(
    host: &dyn PromptHost,
    log: RunLog<'_>,
    message: Option<&Rc<Message>>,
    tool_results: &[ToolResult],
) {
    let messages: Vec<_> = message.into_iter().cloned().chain(ToolResult::message(tool_results).map(Rc::new)).collect();
    log.step_in_history(messages.len());
    // Together, as providers refuse a conversation with calls but no results.
    host.prompt().borrow_mut().finish_step(messages);
}
