//! Collects the report of a prompt run from its events.

use std::{cell::RefCell, rc::Rc};

use super::reuse::ReuseCollector;
use lmthing_base::event::{Event, EventKind, EventReader, FailureReport, RunSummary};
use lmthing_engine::{
    bindings::testing::run::runner::RunReport,
    session::{CollectedSteps, StepCollector},
};

#[derive(Clone)]
pub(super) struct Collector {
    steps: StepCollector,
    rest: Rc<RefCell<Collected>>,
}

struct Collected {
    summary: RunSummary,
    reuse: ReuseCollector,
}

impl Collector {
    pub(super) fn new() -> Self {
        let collected = Collected { summary: RunSummary::with_text(), reuse: ReuseCollector::default() };
        Collector { steps: StepCollector::default(), rest: Rc::new(RefCell::new(collected)) }
    }

    pub(super) fn readers(&self) -> [EventReader; 2] {
        let rest = self.rest.clone();
        let rest = Rc::new(move |event: &Event<'_>| {
            let mut rest = rest.borrow_mut();
            rest.summary.add(event);
            if let EventKind::StepFinish { step, .. } = event.kind {
                rest.reuse.add(event.agent, step);
            }
        });
        [self.steps.reader(), rest]
    }

    pub(super) fn summary<T>(&self, read: impl FnOnce(&RunSummary) -> T) -> T {
        read(&self.rest.borrow().summary)
    }

    /// The report of a run that has ended.
    pub(super) fn report(&self, error: Option<FailureReport>) -> RunReport {
        let CollectedSteps { steps, calls } = self.steps.take();
        let mut rest = self.rest.borrow_mut();
        let reuse = std::mem::take(&mut rest.reuse.steps);
        let summary = &mut rest.summary;
        RunReport {
            text: std::mem::take(&mut summary.text),
            output: summary.output.take(),
            steps,
            calls,
            sources: std::mem::take(&mut summary.sources),
            reuse,
            usage: summary.usage,
            cost: summary.total_cost(),
            finish_reason: summary.finish_reason,
            error,
        }
    }
}
