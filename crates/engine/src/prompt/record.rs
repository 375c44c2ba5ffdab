//! The record of a run, read by `result.*`, `prompt.steps` and streams.

use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
    time::Duration,
};

use tokio::sync::Notify;

use super::error::RunError;
use lmthing_base::{
    chat::{FinishReason, PartLog, Source, SourceIds, Step, ToolResult, Usage},
    event::{AgentScope, EventKind, SentRequest},
};

#[derive(Clone, Debug)]
pub enum RunOutcome {
    Done,
    Failed(Rc<RunError>),
}

/// Appended to by the step loop. Readers keep their own positions; at the end they await [`RunRecord::changed`].
pub struct RunRecord {
    steps: RefCell<Vec<Rc<Step>>>,
    source_ids: RefCell<SourceIds>,
    parts: RefCell<Parts>,
    /// Set by the step loop; the prompt refuses a second run until there is an outcome.
    started: Cell<bool>,
    outcome: RefCell<Option<RunOutcome>>,
    observed: Cell<bool>,
    change: Notify,
    scope: AgentScope,
}

#[derive(Default)]
struct Parts {
    entries: Vec<Entry>,
    length: usize,
    answer: PartLog,
    /// Whether the parts of answers are stored. They are many, and most runs have no stream that reads them.
    keeps_answers: bool,
}

struct Entry {
    start: usize,
    content: EntryContent,
}

enum EntryContent {
    Part(EventKind),
    /// Consecutive parts of an answer, from this index of its log.
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
            return self.entries.push(Entry { start, content: EntryContent::Part(part) });
        };
        if !matches!(self.entries.last(), Some(Entry { content: EntryContent::Answer { .. }, .. })) {
            let content = EntryContent::Answer { log: self.answer.clone(), from: self.answer.len() };
            self.entries.push(Entry { start, content });
        }
        self.answer.push(&part);
    }

    fn get(&self, position: usize) -> Option<EventKind> {
        let index = self.entries.partition_point(|entry| entry.start <= position).checked_sub(1)?;
        let entry = self.entries.get(index)?;
        match &entry.content {
            // There is no part after the last one, even if the last entry is an answer.
            EntryContent::Part(part) => (entry.start == position).then(|| part.clone()),
            EntryContent::Answer { log, from } => {
                log.get(from + position - entry.start).map(Rc::new).map(EventKind::Stream)
            }
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
    pub fn new(scope: AgentScope) -> Self {
        RunRecord {
            steps: RefCell::default(),
            source_ids: RefCell::default(),
            parts: RefCell::default(),
            started: Cell::new(false),
            outcome: RefCell::default(),
            observed: Cell::new(false),
            change: Notify::new(),
            scope,
        }
    }

    pub fn scope(&self) -> &AgentScope {
        &self.scope
    }

    /// Emits an event, stores it and wakes the readers. Events outside of answers and steps are only emitted, through
    /// the scope.
    pub fn append(&self, part: EventKind) {
        self.scope.emit(&part);
        // Steps first, so that woken readers find the step.
        if let EventKind::StepFinish { step, .. } = &part {
            self.remember_sources(step);
            self.steps.borrow_mut().push(step.clone());
        }
        self.parts.borrow_mut().push(part);
        self.change.notify_waiters();
    }

    /// Restores steps from another process without emitting events. With `keeps_pieces` their answers are available
    /// to streams.
    pub fn take_over(&self, steps: Vec<Rc<Step>>, keeps_pieces: bool) {
        if keeps_pieces {
            let mut parts = self.parts.borrow_mut();
            let keeps_answers_before = std::mem::replace(&mut parts.keeps_answers, true);
            for (number, step) in steps.iter().enumerate() {
                let model: Rc<str> = step.response.model_id.as_deref().unwrap_or_default().into();
                parts.push(EventKind::StepStart { step: number, model, sent: SentRequest::default() });
                let pieces = step.stream_parts().into_iter().map(Rc::new).map(EventKind::Stream);
                pieces.for_each(|piece| parts.push(piece));
                let results = ToolResult::of_provider(step.output.parts()).into_iter().map(Rc::new);
                results.for_each(|result| parts.push(EventKind::ToolResult { result, took: Duration::ZERO }));
            }
            parts.keeps_answers = keeps_answers_before;
        }
        steps.iter().for_each(|step| self.remember_sources(step));
        *self.steps.borrow_mut() = steps;
    }

    fn remember_sources(&self, step: &Step) {
        let mut ids = self.source_ids.borrow_mut();
        step.sources.iter().for_each(|source| ids.remember(source));
    }

    /// Gives a source of an answer its id, which no other source of the run has.
    pub fn assign_id(&self, source: &mut Source) {
        self.source_ids.borrow_mut().assign(source);
    }

    pub fn finish(&self, outcome: RunOutcome) {
        self.outcome.borrow_mut().get_or_insert(outcome);
        self.change.notify_waiters();
    }

    pub fn start(&self) {
        self.started.set(true);
    }

    pub fn is_under_way(&self) -> bool {
        self.started.get() && self.outcome.borrow().is_none()
    }

    pub fn part(&self, position: usize) -> Option<EventKind> {
        self.parts.borrow().get(position)
    }

    pub fn answer(&self) -> PartLog {
        self.parts.borrow().answer.clone()
    }

    pub fn part_count(&self) -> usize {
        self.parts.borrow().length
    }

    pub fn outcome(&self) -> Option<RunOutcome> {
        self.outcome.borrow().clone()
    }

    pub fn steps(&self) -> Ref<'_, Vec<Rc<Step>>> {
        self.steps.borrow()
    }

    /// Stores the parts of answers from now on. To be called before the first one.
    pub fn keep_answers(&self) {
        self.parts.borrow_mut().keeps_answers = true;
    }

    /// Marks failures of this run as handled by a caller.
    pub fn observe(&self) {
        self.observed.set(true);
    }

    pub fn is_observed(&self) -> bool {
        self.observed.get()
    }

    /// Resolves when something is appended or the run ends after this call.
    pub async fn changed(&self) {
        self.change.notified().await;
    }

    pub async fn finished(&self) -> RunOutcome {
        loop {
            // Created before the check, so that no notification is missed.
            let change = self.change.notified();
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            change.await;
        }
    }

    pub fn text(&self) -> String {
        self.steps().last().map(|step| step.text()).unwrap_or_default()
    }

    pub fn finish_reason(&self) -> FinishReason {
        self.steps().last().map(|step| step.output.finish_reason).unwrap_or_default()
    }

    pub fn total_usage(&self) -> Usage {
        self.steps().iter().fold(Usage::default(), |sum, step| sum.plus(step.usage))
    }

    pub fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        self.steps().iter().for_each(|step| Source::merge(&mut sources, &step.sources));
        sources
    }

    pub fn total_cost(&self) -> Option<f64> {
        self.steps().iter().map(|step| step.cost).sum()
    }
}
