//! The totals of a run, computed from its events.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Event, EventKind, OutputEvent, RunFinish};
use crate::chat::{FinishReason, Source, StepCache, StreamPart, Usage};

/// The totals so far. Usage and cost are those of the whole run, including agents; steps, text and finish reason those of the
/// file's own prompt.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    pub steps: usize,
    pub all_steps: usize,
    /// The text of the last step; empty unless [`RunSummary::with_text`].
    pub text: String,
    pub output: Option<Value>,
    pub finish_reason: Option<FinishReason>,
    pub model: Option<String>,
    pub usage: Usage,
    /// What the answers of the file's own prompt are based on, each page or document once.
    pub sources: Vec<Source>,
    /// The sums of all steps after the first of their conversations; `None` without such a step.
    pub cache: Option<StepCache>,
    /// The sum of the known costs, in US dollars.
    known_cost: f64,
    is_cost_unknown: bool,
    /// Milliseconds from the first event to the last one, including earlier processes.
    pub duration_ms: u64,
    earlier_ms: u64,
    began_at: Option<u64>,
    keeps_text: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTotals {
    pub steps: usize,
    pub all_steps: usize,
    pub usage: Usage,
    pub cache: Option<StepCache>,
    pub known_cost: f64,
    pub is_cost_unknown: bool,
}

#[derive(Clone, Debug)]
pub struct LastAnswer {
    pub text: String,
    pub finish_reason: FinishReason,
    pub model: String,
}

impl RunSummary {
    /// A summary that collects the text, also of an unfinished step. The text may be many megabytes: use only to print it.
    pub fn with_text() -> Self {
        RunSummary { keeps_text: true, ..RunSummary::default() }
    }

    #[must_use]
    pub fn resuming(self, before: &RunTotals) -> Self {
        RunSummary {
            steps: before.steps,
            all_steps: before.all_steps,
            usage: before.usage,
            cache: before.cache.clone(),
            known_cost: before.known_cost,
            is_cost_unknown: before.is_cost_unknown,
            ..self
        }
    }

    pub fn sums(&self) -> RunTotals {
        RunTotals {
            steps: self.steps,
            all_steps: self.all_steps,
            usage: self.usage,
            cache: self.cache.clone(),
            known_cost: self.known_cost,
            is_cost_unknown: self.is_cost_unknown,
        }
    }

    /// Adds the duration of earlier processes and the last answer of the file's own prompt in them, which remains the last one if
    /// no request follows.
    pub fn add_earlier(&mut self, duration_ms: u64, last: Option<LastAnswer>) {
        (self.earlier_ms, self.duration_ms) = (duration_ms, duration_ms);
        if let Some(LastAnswer { text, finish_reason, model }) = last {
            self.text = text;
            self.finish_reason = Some(finish_reason);
            self.model = Some(model);
        }
    }

    pub fn add(&mut self, event: &Event<'_>) {
        match event.kind {
            // Deltas are many, and reading the clock for each is not free.
            EventKind::Stream(part) => return self.add_part(event, part),
            EventKind::StepStart { model, .. } if event.agent.is_root() => {
                self.model = Some(model.to_string());
                self.text.clear();
            }
            // Not at the end of the step, which may never come: an answer costs the same if its tools do not finish.
            EventKind::AnswerFinish { usage, cost, .. } => {
                self.usage = self.usage.plus(*usage);
                self.is_cost_unknown |= cost.is_none();
                self.known_cost += cost.unwrap_or(0.0);
            }
            EventKind::StepFinish { step, model, .. } => {
                self.all_steps += 1;
                if let Some(cache) = &step.cache {
                    self.cache.get_or_insert_default().add(cache);
                }
                if event.agent.is_root() {
                    self.steps += 1;
                    self.finish_reason = Some(step.output.finish_reason);
                    Source::merge(&mut self.sources, &step.sources);
                    self.model = Some(model.to_string());
                }
            }
            EventKind::Output(OutputEvent::Value(value)) => self.output = Some(value.clone()),
            _ => {}
        }
        self.set_time(event.time());
    }

    pub fn set_time(&mut self, now: u64) {
        self.duration_ms = self.earlier_ms + now.saturating_sub(*self.began_at.get_or_insert(now));
    }

    /// The cost of the run in US dollars: 0 without an answer, `None` if the cost of one is unknown.
    pub fn total_cost(&self) -> Option<f64> {
        (!self.is_cost_unknown).then_some(self.known_cost)
    }

    fn add_part(&mut self, event: &Event<'_>, part: &StreamPart) {
        match part {
            StreamPart::TextDelta { delta, .. } if self.keeps_text && event.agent.is_root() => {
                self.text.push_str(delta)
            }
            _ => {}
        }
    }

    /// `{ok, text, output?, finishReason, steps, usage, cost, model, durationMs, sources?, cache?, error?}`: the output of
    /// `-f json` and the content of `run-finish`.
    pub fn to_json(&self, end: &RunFinish) -> Value {
        let mut object = json!({
            "ok": end.error.is_none() && end.exit_code == 0,
            "text": self.text,
            "finishReason": self.finish_reason,
            "steps": self.steps,
            "usage": self.usage,
            "cost": self.total_cost(),
            "model": self.model,
            "durationMs": self.duration_ms,
        });
        if !self.sources.is_empty() {
            object["sources"] = json!(self.sources);
        }
        if let Some(cache) = &self.cache {
            object["cache"] = json!(cache);
        }
        if let Some(output) = &self.output {
            object["output"] = output.clone();
        }
        if let Some(error) = &end.error {
            object["error"] = json!(error);
        }
        object
    }
}

/// A summary that another thread may read during the run. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct SharedSummary(Arc<Mutex<RunSummary>>);

impl SharedSummary {
    pub fn new(summary: RunSummary) -> Self {
        SharedSummary(Arc::new(Mutex::new(summary)))
    }

    pub fn lock(&self) -> MutexGuard<'_, RunSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy, or `None` if the lock is not free within `patience`.
    pub fn copy_within(&self, patience: Duration) -> Option<RunSummary> {
        let began_at = Instant::now();
        loop {
            match self.0.try_lock() {
                Ok(summary) => return Some(summary.clone()),
                Err(TryLockError::Poisoned(summary)) => return Some(summary.into_inner().clone()),
                Err(TryLockError::WouldBlock) if began_at.elapsed() >= patience => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use super::*;
    use crate::event::{Agent, Events};

    fn with_answer(summary: RunSummary, cost: Option<f64>) -> RunSummary {
        let summary = Rc::new(RefCell::new(summary));
        let sums = summary.clone();
        let usage = Usage::new(Some(30), Some(4));
        let events = Events::new(vec![Rc::new(move |event: &Event<'_>| sums.borrow_mut().add(event))]);
        events.emit(&Agent::root(), &EventKind::AnswerFinish { usage, is_estimated: false, cost, server: None });
        summary.take()
    }

    #[test]
    fn totals_continue_in_another_process() {
        let before = RunSummary { steps: 3, ..with_answer(RunSummary::default(), Some(0.5)) }.sums();
        let mut summary = RunSummary::with_text().resuming(&before);
        let (text, model) = ("earlier answer".to_owned(), "lab:m".to_owned());
        summary.add_earlier(1200, Some(LastAnswer { text, finish_reason: FinishReason::Stop, model }));
        let object = with_answer(summary.clone(), Some(0.25)).to_json(&RunFinish::default());
        assert_eq!((&object["usage"]["inputTokens"], &object["cost"]), (&json!(60), &json!(0.75)));
        assert_eq!((&object["durationMs"], &object["steps"]), (&json!(1200), &json!(3)));
        assert_eq!((&object["text"], &object["model"]), (&json!("earlier answer"), &json!("lab:m")));
        let unknown = with_answer(summary, None).sums();
        assert_eq!(with_answer(RunSummary::default().resuming(&unknown), Some(0.1)).total_cost(), None);
    }
}
