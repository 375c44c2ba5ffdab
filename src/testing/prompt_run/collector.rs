//! What a run reports, collected from its events. Must not know where they come from.

use std::{cell::RefCell, rc::Rc};

use crate::{
    chat::{Step, StreamPart, ToolInput, ToolResult},
    event::{Event, EventKind, EventReader, FailureReport, RunSummary},
    script::bindings::testing::run::runner::{CallReport, RunReport},
};

/// Reads the events of one run.
#[derive(Clone)]
pub(super) struct Collector(Rc<RefCell<Collected>>);

struct Collected {
    summary: RunSummary,
    steps: Vec<Rc<Step>>,
    /// With the number of the agent that made each call: several work under one name.
    calls: Vec<(u64, CallReport)>,
}

impl Collector {
    pub(super) fn new() -> Self {
        let summary = RunSummary::with_text();
        Collector(Rc::new(RefCell::new(Collected { summary, steps: Vec::new(), calls: Vec::new() })))
    }

    pub(super) fn reader(&self) -> EventReader {
        let collected = self.0.clone();
        Rc::new(move |event: &Event<'_>| collected.borrow_mut().add(event))
    }

    /// What was asked of the sums so far.
    pub(super) fn summary<T>(&self, read: impl FnOnce(&RunSummary) -> T) -> T {
        read(&self.0.borrow().summary)
    }

    /// The report of a run that is over.
    pub(super) fn report(&self, error: Option<FailureReport>) -> RunReport {
        let mut collected = self.0.borrow_mut();
        let calls = std::mem::take(&mut collected.calls);
        let steps = std::mem::take(&mut collected.steps);
        let summary = &mut collected.summary;
        RunReport {
            text: std::mem::take(&mut summary.text),
            output: summary.output.take(),
            steps,
            calls: calls.into_iter().map(|(_, call)| call).collect(),
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
                if let StreamPart::ToolCall { tool_call_id, tool_name, input, .. } = &**part {
                    let call = CallReport {
                        agent: event.agent.path().to_vec(),
                        tool_name: tool_name.clone(),
                        tool_call_id: tool_call_id.clone(),
                        input: ToolInput::from_text(input),
                        result: None,
                    };
                    self.calls.push((event.agent.number(), call));
                }
            }
            EventKind::ToolResult { result, .. } => self.answered(event.agent.number(), result),
            EventKind::StepFinish { step, .. } if event.agent.is_root() => self.steps.push(step.clone()),
            _ => {}
        }
    }

    /// Results come as tools are done with them. Models have been seen to give two calls one id.
    fn answered(&mut self, agent: u64, result: &Rc<ToolResult>) {
        let is_it = |call: &&mut (u64, CallReport)| {
            call.0 == agent && call.1.result.is_none() && call.1.tool_call_id == result.tool_call_id
        };
        if let Some((_, call)) = self.calls.iter_mut().find(is_it) {
            call.input = result.input.clone();
            call.result = Some(result.clone());
        }
    }
}
