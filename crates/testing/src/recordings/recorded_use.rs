//! What the answers of recordings cost when they were recorded.

use std::{cell::RefCell, rc::Rc};

use lmthing_base::{
    chat::Usage,
    event::{Event, EventKind, EventReader},
};

/// Sums over answers of recordings. Each answer counts once, however often it is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedUse {
    pub answers: usize,
    /// Input and output together.
    pub tokens: u64,
    /// US dollars; `None` if the price of an answer is unknown.
    pub cost: Option<f64>,
}

impl Default for RecordedUse {
    fn default() -> Self {
        RecordedUse { answers: 0, tokens: 0, cost: Some(0.0) }
    }
}

impl RecordedUse {
    pub(crate) fn add(&mut self, other: &RecordedUse) {
        self.answers += other.answers;
        self.tokens += other.tokens;
        self.cost = self.cost.zip(other.cost).map(|(sum, cost)| sum + cost);
    }
}

/// The answers that one file was the first to use, and what its requests cost. A price depends on the file that asks, so
/// only the run knows it: an answer and its request are matched by their usage.
#[derive(Default)]
pub(crate) struct RecordedAnswers {
    used: RefCell<Vec<Usage>>,
    priced: RefCell<Vec<(Usage, Option<f64>)>>,
}

impl RecordedAnswers {
    pub(super) fn note(&self, usage: Option<Usage>) {
        self.used.borrow_mut().extend(usage);
    }

    pub(crate) fn reader(self: &Rc<Self>) -> EventReader {
        let answers = self.clone();
        Rc::new(move |event: &Event<'_>| {
            if let EventKind::AnswerFinish { usage, cost, .. } = event.kind {
                // Not part of a recording.
                let usage = Usage { has_uncounted_searches: false, ..*usage };
                answers.priced.borrow_mut().push((usage, *cost));
            }
        })
    }

    pub(crate) fn sum(&self) -> RecordedUse {
        let mut sum = RecordedUse::default();
        let mut priced = self.priced.borrow_mut();
        for usage in &*self.used.borrow() {
            let request = priced.iter().position(|(asked, _)| asked == usage);
            let tokens = usage.input_tokens.unwrap_or(0).saturating_add(usage.output_tokens.unwrap_or(0));
            let cost = request.and_then(|request| priced.swap_remove(request).1);
            sum.add(&RecordedUse { answers: 1, tokens, cost });
        }
        sum
    }
}
