//! Limits that hold for several runs together, on whatever threads they are. The arithmetic is `cost`'s. Must not know what the
//! runs are for.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    chat::Usage,
    cost::{Budget, Estimate, LimitReached, Limits, RequestId, RunUsage},
};

/// What several runs may use, and have used.
#[derive(Debug)]
pub(crate) struct Overall {
    budget: Mutex<Budget>,
    /// The limits never change.
    limits: Limits,
    began: Instant,
    reached: Mutex<Option<String>>,
}

impl Overall {
    /// From now on.
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Overall {
            budget: Mutex::new(Budget::new(limits)),
            limits,
            began: Instant::now(),
            reached: Mutex::default(),
        })
    }

    /// How much time is left, where that is limited.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.limits.time.map(|time| time.saturating_sub(self.began.elapsed()))
    }

    /// Which limit was reached, in words, once one was.
    pub(crate) fn reached(&self) -> Option<String> {
        if self.time_left() == Some(Duration::ZERO) {
            let reached = self.budget().time_limit_reached();
            locked(&self.reached).get_or_insert(reached.message);
        }
        locked(&self.reached).clone()
    }

    /// Enters what a run has used that is not asked for its requests.
    pub(crate) fn add(&self, used: RunUsage) {
        self.budget().add(used);
    }

    /// Which limit what is used leaves nothing of, in words.
    pub(crate) fn used_up(&self) -> Option<String> {
        self.budget().exhausted_limit().map(|reached| reached.message)
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        locked(&self.budget)
    }

    fn noted(&self, reached: LimitReached) -> LimitReached {
        locked(&self.reached).get_or_insert_with(|| reached.message.clone());
        reached
    }
}

/// The part that one run has in it.
pub(super) struct Share {
    overall: Arc<Overall>,
    /// The requests of the run, by its own numbers.
    requests: RefCell<BTreeMap<RequestId, RequestId>>,
}

impl Share {
    pub(super) fn new(overall: Arc<Overall>) -> Self {
        Share { overall, requests: RefCell::default() }
    }

    /// What counts are limited; the time is the run's own.
    pub(super) fn limits(&self) -> Limits {
        Limits { time: None, parallel: None, ..self.overall.limits }
    }

    /// Asks for one request, which has the number `own` in its run; gives how many tokens its answer may have.
    pub(super) fn ask(&self, own: RequestId, estimate: Estimate) -> Result<Option<u64>, LimitReached> {
        let asked = self.overall.budget().ask(estimate);
        let allowance = asked.map_err(|reached| self.overall.noted(reached))?;
        self.requests.borrow_mut().insert(own, allowance.request);
        Ok(allowance.output_left)
    }

    /// Counts text of an answer.
    pub(super) fn heard(&self, own: RequestId, text: &str) -> Result<(), LimitReached> {
        let Some(request) = self.requests.borrow().get(&own).copied() else { return Ok(()) };
        let heard = self.overall.budget().add_output(request, text);
        heard.map_err(|reached| self.overall.noted(reached))
    }

    /// Which limit leaves nothing to answer with, if one does.
    pub(super) fn used_up(&self) -> Option<LimitReached> {
        let used_up = self.overall.budget().blocking_limit();
        used_up.map(|reached| self.overall.noted(reached))
    }

    /// Enters what a request used.
    pub(super) fn settle(&self, own: RequestId, usage: &Usage, asked: u64, cost: impl Fn(&Usage) -> Option<f64>) {
        if let Some(request) = self.requests.borrow_mut().remove(&own) {
            self.overall.budget().settle(request, usage, asked, cost);
        }
    }

    /// Forgets a request that used nothing.
    pub(super) fn release(&self, own: RequestId) {
        if let Some(request) = self.requests.borrow_mut().remove(&own) {
            self.overall.budget().release(request);
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
