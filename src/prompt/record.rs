//! What a run has produced so far, for everybody who watches it: `result.*`, the printer, `prompt.steps`. Must not know
//! any of them.

use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
};

use tokio::sync::Notify;

use super::error::RunError;
use crate::{
    chat::{FinishReason, PartLog, Step, Usage},
    event::{AgentScope, EventKind, SentRequest},
};

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) enum RunOutcome {
    /// Every step was made that had to be.
    Done,
    /// The run broke off; what was produced before stays.
    Failed(Rc<RunError>),
}

/// The record of one run: appended by the step loop, read by any number of watchers at their own pace.
///
/// A watcher reads from its own position and awaits [`RunRecord::changed`] when it has seen everything.
pub(crate) struct RunRecord {
    steps: RefCell<Vec<Rc<Step>>>,
    parts: RefCell<Parts>,
    /// Set by the step loop alone; from then on a prompt refuses to run a second time until there is an outcome.
    started: Cell<bool>,
    outcome: RefCell<Option<RunOutcome>>,
    observed: Cell<bool>,
    change: Notify,
    /// Where everybody else hears of what is appended.
    scope: AgentScope,
}

/// All parts in order. Those of an answer are kept in the log that its step shares.
#[derive(Default)]
struct Parts {
    entries: Vec<Entry>,
    length: usize,
    /// The log of the current answer.
    answer: PartLog,
    /// Whether the pieces of answers are kept: they are many, and mostly nobody can ask for them.
    keeps_answers: bool,
}

struct Entry {
    /// How many parts come before it.
    start: usize,
    kept: Kept,
}

enum Kept {
    Part(EventKind),
    /// Parts of an answer that followed each other, from this place in its log on.
    Answer {
        log: PartLog,
        from: usize,
    },
}

impl Parts {
    fn push(&mut self, part: EventKind) {
        if matches!(part, EventKind::Stream(_)) && !self.keeps_answers {
            return;
        }
        let start = self.length;
        self.length += 1;
        let EventKind::Stream(part) = part else {
            if matches!(part, EventKind::StepStart { .. }) {
                self.answer = PartLog::default();
            }
            return self.entries.push(Entry { start, kept: Kept::Part(part) });
        };
        if !matches!(self.entries.last(), Some(Entry { kept: Kept::Answer { .. }, .. })) {
            let kept = Kept::Answer { log: self.answer.clone(), from: self.answer.len() };
            self.entries.push(Entry { start, kept });
        }
        self.answer.push(&part);
    }

    fn get(&self, position: usize) -> Option<EventKind> {
        let index = self.entries.partition_point(|entry| entry.start <= position).checked_sub(1)?;
        let entry = self.entries.get(index)?;
        match &entry.kept {
            // Behind the last part there is nothing, whatever the last entry is.
            Kept::Part(part) => (entry.start == position).then(|| part.clone()),
            Kept::Answer { log, from } => log.get(from + position - entry.start).map(Rc::new).map(EventKind::Stream),
        }
    }
}

impl std::fmt::Debug for RunRecord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("RunRecord")
            .field("steps", &self.steps.borrow().len())
            .field("outcome", &self.outcome.borrow())
            .finish_non_exhaustive()
    }
}

impl RunRecord {
    /// Of a run that has not begun, and that tells what happens through `scope`.
    pub(crate) fn new(scope: AgentScope) -> Self {
        RunRecord {
            steps: RefCell::default(),
            parts: RefCell::default(),
            started: Cell::new(false),
            outcome: RefCell::default(),
            observed: Cell::new(false),
            change: Notify::new(),
            scope,
        }
    }

    /// The scope of its events.
    pub(crate) fn scope(&self) -> &AgentScope {
        &self.scope
    }

    /// Tells of an event, keeps it and wakes the watchers. Events that are no part of an answer or a step are only told,
    /// through the scope.
    pub(crate) fn append(&self, part: EventKind) {
        self.scope.emit(&part);
        // Steps first: whoever is woken by the part finds the step there.
        if let EventKind::StepFinish { step, .. } = &part {
            self.steps.borrow_mut().push(step.clone());
        }
        self.parts.borrow_mut().push(part);
        self.change.notify_waiters();
    }

    /// Takes over steps that were made in another process. Nobody is told: that was done there.
    /// With `keeps_pieces` what was said in them is there for streams of the result as well.
    pub(crate) fn take_over(&self, steps: Vec<Rc<Step>>, keeps_pieces: bool) {
        if keeps_pieces {
            let mut parts = self.parts.borrow_mut();
            let kept_before = std::mem::replace(&mut parts.keeps_answers, true);
            for (number, step) in steps.iter().enumerate() {
                let model: Rc<str> = step.response.model_id.as_deref().unwrap_or_default().into();
                parts.push(EventKind::StepStart { step: number, model, sent: SentRequest::default() });
                let pieces = step.stream_parts().into_iter().map(Rc::new).map(EventKind::Stream);
                pieces.for_each(|piece| parts.push(piece));
            }
            parts.keeps_answers = kept_before;
        }
        *self.steps.borrow_mut() = steps;
    }

    /// Ends the run; later calls change nothing.
    pub(crate) fn finish(&self, outcome: RunOutcome) {
        self.outcome.borrow_mut().get_or_insert(outcome);
        self.change.notify_waiters();
    }

    /// Notes that the run has begun. Only the step loop says so.
    pub(crate) fn start(&self) {
        self.started.set(true);
    }

    /// Whether the step loop has begun and not ended.
    pub(crate) fn is_under_way(&self) -> bool {
        self.started.get() && self.outcome.borrow().is_none()
    }

    /// The part at `position`, if there is one yet.
    pub(crate) fn part(&self, position: usize) -> Option<EventKind> {
        self.parts.borrow().get(position)
    }

    /// The parts of the answer that came last, or is coming.
    pub(crate) fn answer(&self) -> PartLog {
        self.parts.borrow().answer.clone()
    }

    /// How many parts there are.
    pub(crate) fn part_count(&self) -> usize {
        self.parts.borrow().length
    }

    /// How the run ended, if it has.
    pub(crate) fn outcome(&self) -> Option<RunOutcome> {
        self.outcome.borrow().clone()
    }

    /// The complete steps.
    pub(crate) fn steps(&self) -> Ref<'_, Vec<Rc<Step>>> {
        self.steps.borrow()
    }

    /// Has the pieces of answers kept, for somebody who may ask for them. To be said before the first comes.
    pub(crate) fn keep_answers(&self) {
        self.parts.borrow_mut().keeps_answers = true;
    }

    /// Notes that somebody will see a failure of this run.
    pub(crate) fn observe(&self) {
        self.observed.set(true);
    }

    /// Whether somebody will see a failure of this run.
    pub(crate) fn is_observed(&self) -> bool {
        self.observed.get()
    }

    /// Resolves when something was appended or the run ended after this call.
    pub(crate) async fn changed(&self) {
        self.change.notified().await;
    }

    /// Waits for the end.
    pub(crate) async fn finished(&self) -> RunOutcome {
        loop {
            // Made before looking, so that an end in between is not missed.
            let change = self.change.notified();
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            change.await;
        }
    }

    /// The text of the last step.
    pub(crate) fn text(&self) -> String {
        self.steps().last().map(|step| step.text()).unwrap_or_default()
    }

    /// The finish reason of the last step.
    pub(crate) fn finish_reason(&self) -> FinishReason {
        self.steps().last().map(|step| step.output.finish_reason).unwrap_or_default()
    }

    /// The usage of all steps together.
    pub(crate) fn total_usage(&self) -> Usage {
        self.steps().iter().fold(Usage::default(), |sum, step| sum.plus(step.usage))
    }

    /// The cost of all steps together, if that of each is known.
    pub(crate) fn total_cost(&self) -> Option<f64> {
        self.steps().iter().map(|step| step.cost).sum()
    }
}
