//! What a run comes to, added up from its events.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Event, EventKind, Output, RunFinish};
use crate::chat::{FinishReason, StreamPart, Usage};

/// The sums so far. Usage and cost are those of the whole run, with agents; steps, text and finish reason those of the
/// file's own prompt.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Steps of the file's own prompt.
    pub steps: usize,
    /// Steps of all prompts.
    pub all_steps: usize,
    /// The text of the last step, if it is kept.
    pub text: String,
    /// The validated output, when the file has one.
    pub output: Option<Value>,
    /// Why its answer ended, when there was one.
    pub finish_reason: Option<FinishReason>,
    /// The model of the last step, as `provider:model`.
    pub model: Option<String>,
    /// The tokens of all answers.
    pub usage: Usage,
    /// What the answers whose cost is known cost, in US dollars.
    known_cost: f64,
    is_cost_unknown: bool,
    /// Milliseconds from the first event to the last one.
    pub duration_ms: u64,
    /// Of them, those before this process.
    before_ms: u64,
    began: Option<u64>,
    keeps_text: bool,
}

/// What adds up over the processes of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Steps of the file's own prompt.
    pub steps: usize,
    /// Steps of all prompts.
    pub all_steps: usize,
    /// The tokens of all answers.
    pub usage: Usage,
    /// What the answers whose cost is known cost, in US dollars.
    pub known_cost: f64,
    /// Whether there are others.
    pub is_cost_unknown: bool,
}

/// An answer that an earlier process was given.
#[derive(Clone, Debug)]
pub struct LastAnswer {
    /// What it says.
    pub text: String,
    /// Why it ended.
    pub finish_reason: FinishReason,
    /// Who gave it, as `provider:model`.
    pub model: String,
}

impl Summary {
    /// A summary with the text, also that of a step which is not over yet. It may be many megabytes: only for who prints it.
    pub fn with_text() -> Self {
        Summary { keeps_text: true, ..Summary::default() }
    }

    /// The summary of a run that goes on, with what it came to before.
    #[must_use]
    pub fn going_on(self, before: &Sums) -> Self {
        Summary {
            steps: before.steps,
            all_steps: before.all_steps,
            usage: before.usage,
            known_cost: before.known_cost,
            is_cost_unknown: before.is_cost_unknown,
            ..self
        }
    }

    /// What adds up over the processes of a run.
    pub fn sums(&self) -> Sums {
        Sums {
            steps: self.steps,
            all_steps: self.all_steps,
            usage: self.usage,
            known_cost: self.known_cost,
            is_cost_unknown: self.is_cost_unknown,
        }
    }

    /// Takes in how long earlier processes were at work, and the last answer of the file's own prompt in them: it is the last
    /// one of all when nothing is left to ask.
    pub fn take_up(&mut self, duration_ms: u64, last: Option<LastAnswer>) {
        (self.before_ms, self.duration_ms) = (duration_ms, duration_ms);
        if let Some(LastAnswer { text, finish_reason, model }) = last {
            self.text = text;
            self.finish_reason = Some(finish_reason);
            self.model = Some(model);
        }
    }

    /// Adds an event.
    pub fn add(&mut self, event: &Event<'_>) {
        match event.kind {
            // Pieces are many, and the time is not free to ask for.
            EventKind::Stream(part) => return self.add_part(event, part),
            EventKind::StepStart { model, .. } if event.agent.is_root() => {
                self.model = Some(model.to_string());
                self.text.clear();
            }
            // Not with the step, which may never end: what its tools are still busy with does not make it free.
            EventKind::Answered { usage, cost } => {
                self.usage = self.usage.plus(*usage);
                self.is_cost_unknown |= cost.is_none();
                self.known_cost += cost.unwrap_or(0.0);
            }
            EventKind::StepFinish { step, model, .. } => {
                self.all_steps += 1;
                if event.agent.is_root() {
                    self.steps += 1;
                    self.finish_reason = Some(step.output.finish_reason);
                    self.model = Some(model.to_string());
                }
            }
            EventKind::Output(Output::Value(value)) => self.output = Some(value.clone()),
            _ => {}
        }
        self.set_time(event.time());
    }

    /// Takes note of how late it is, in milliseconds since 1970.
    pub fn set_time(&mut self, now: u64) {
        self.duration_ms = self.before_ms + now.saturating_sub(*self.began.get_or_insert(now));
    }

    /// What the run has cost, in US dollars: nothing without an answer, `None` when the cost of one is unknown.
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

    /// `{ok, text, output?, finishReason, steps, usage, cost, model, durationMs, error?}`: what `-f json` prints, and what
    /// `run-finish` carries.
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
        if let Some(output) = &self.output {
            object["output"] = output.clone();
        }
        if let Some(error) = &end.error {
            object["error"] = json!(error);
        }
        object
    }
}

/// A summary that another thread may read while the run goes on. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct SharedSummary(Arc<Mutex<Summary>>);

impl SharedSummary {
    /// Shares this summary.
    pub fn new(summary: Summary) -> Self {
        SharedSummary(Arc::new(Mutex::new(summary)))
    }

    /// The summary, for the thread of the run. Nothing that may take its time is to be done with it.
    pub fn lock(&self) -> MutexGuard<'_, Summary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy, or `None` if the lock is not free within `patience`.
    pub fn copy_within(&self, patience: Duration) -> Option<Summary> {
        let began = Instant::now();
        loop {
            match self.0.try_lock() {
                Ok(summary) => return Some(summary.clone()),
                Err(TryLockError::Poisoned(summary)) => return Some(summary.into_inner().clone()),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return None,
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

    /// With one more answer.
    fn answered(summary: Summary, cost: Option<f64>) -> Summary {
        let summary = Rc::new(RefCell::new(summary));
        let sums = summary.clone();
        let usage = Usage::new(Some(30), Some(4));
        let events = Events::new(vec![Rc::new(move |event: &Event<'_>| sums.borrow_mut().add(event))]);
        events.emit(&Agent::root(), &EventKind::Answered { usage, cost });
        summary.take()
    }

    #[test]
    fn sums_go_on_in_another_process() {
        let before = Summary { steps: 3, ..answered(Summary::default(), Some(0.5)) }.sums();
        let mut summary = Summary::with_text().going_on(&before);
        let (text, model) = ("said before".to_owned(), "lab:m".to_owned());
        summary.take_up(1200, Some(LastAnswer { text, finish_reason: FinishReason::Stop, model }));
        let object = answered(summary.clone(), Some(0.25)).to_json(&RunFinish::default());
        assert_eq!((&object["usage"]["inputTokens"], &object["cost"]), (&json!(60), &json!(0.75)));
        assert_eq!((&object["durationMs"], &object["steps"]), (&json!(1200), &json!(3)));
        assert_eq!((&object["text"], &object["model"]), (&json!("said before"), &json!("lab:m")));
        let unknown = answered(summary, None).sums();
        assert_eq!(answered(Summary::default().going_on(&unknown), Some(0.1)).total_cost(), None);
    }
}
