//! Collects the report of a prompt run from its events.

use std::{cell::RefCell, rc::Rc};

use super::reuse::ReuseCollector;
use lmthing_base::{
    chat::{Step, StreamPart, ToolInput, ToolResult},
    event::{Event, EventKind, EventReader, FailureReport, RunSummary},
};
use lmthing_engine::bindings::testing::run::runner::{CallReport, RunReport};

#[derive(Clone)]
pub(super) struct Collector(Rc<RefCell<Collected>>);

struct Collected {
    summary: RunSummary,
    steps: Vec<Rc<Step>>,
    /// With the number of the agent, as several agents may have the same name.
    calls: Vec<(u64, CallReport)>,
    reuse: ReuseCollector,
}

impl Collector {
    pub(super) fn new() -> Self {
        let summary = RunSummary::with_text();
        Collector(Rc::new(RefCell::new(Collected {
            summary,
            steps: Vec::new(),
            calls: Vec::new(),
            reuse: ReuseCollector::default(),
        })))
    }

    pub(super) fn reader(&self) -> EventReader {
        let collected = self.0.clone();
        Rc::new(move |event: &Event<'_>| collected.borrow_mut().add(event))
    }

    pub(super) fn summary<T>(&self, read: impl FnOnce(&RunSummary) -> T) -> T {
        read(&self.0.borrow().summary)
    }

    /// The report of a run that has ended.
    pub(super) fn report(&self, error: Option<FailureReport>) -> RunReport {
        let mut collected = self.0.borrow_mut();
        let calls = std::mem::take(&mut collected.calls);
        let steps = std::mem::take(&mut collected.steps);
        let reuse = std::mem::take(&mut collected.reuse.steps);
        let summary = &mut collected.summary;
        RunReport {
            text: std::mem::take(&mut summary.text),
            output: summary.output.take(),
            steps,
            calls: calls.into_iter().map(|(_, call)| call).collect(),
            sources: std::mem::take(&mut summary.sources),
            reuse,
            usage: summary.usage,
            cost: summary.total_cost(),
            finish_reason: summary.finish_reason,
            error,
        }
    }
}

impl Collected {
    fn add(&mut self, event: &Event<'_>) {
        self.summary.add(event);
        match event.kind {
            EventKind::Stream(part) => {
                if let StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, .. } = &**part {
                    let call = CallReport {
                        agent: event.agent.path().to_vec(),
                        tool_name: tool_name.clone(),
                        tool_call_id: tool_call_id.clone(),
                        input: ToolInput::from_text(input),
                        provider_executed: *provider_executed,
                        result: None,
                    };
                    self.calls.push((event.agent.number(), call));
                }
            }
            EventKind::ToolResult { result, .. } => self.add_result(event.agent.number(), result),
            EventKind::StepFinish { step, .. } => {
                self.reuse.add(event.agent, step);
                if event.agent.is_root() {
                    self.steps.push(step.clone());
                }
            }
            _ => {}
        }
    }

    /// Results arrive in the order in which tools end. Some models give two calls the same id.
    fn add_result(&mut self, agent: u64, result: &Rc<ToolResult>) {
        let is_unanswered = |call: &&mut (u64, CallReport)| {
            call.0 == agent && call.1.result.is_none() && call.1.tool_call_id == result.tool_call_id
        };
        if let Some((_, call)) = self.calls.iter_mut().find(is_unanswered) {
            call.input = result.input.clone();
            call.result = Some(result.clone());
        }
    }
}
