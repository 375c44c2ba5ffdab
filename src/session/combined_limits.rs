//! Limits that several runs on any threads share.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    chat::Usage,
    cost::{Budget, Estimate, Limits, Reached, RequestId, Used},
};

#[derive(Debug)]
pub(crate) struct CombinedLimits {
    budget: Mutex<Budget>,
    limits: Limits,
    began: Instant,
    reached: Mutex<Option<String>>,
}

impl CombinedLimits {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(CombinedLimits {
            budget: Mutex::new(Budget::new(limits)),
            limits,
            began: Instant::now(),
            reached: Mutex::default(),
        })
    }

    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.limits.time.map(|time| time.saturating_sub(self.began.elapsed()))
    }

    /// The message about the limit that was reached.
    pub(crate) fn reached(&self) -> Option<String> {
        if self.time_left() == Some(Duration::ZERO) {
            let reached = self.budget().time_is_up();
            lock(&self.reached).get_or_insert(reached.message);
        }
        lock(&self.reached).clone()
    }

    /// Records use that was not metered by request.
    pub(crate) fn add(&self, used: Used) {
        self.budget().add(used);
    }

    /// The message about the limit that is used up.
    pub(crate) fn used_up(&self) -> Option<String> {
        self.budget().is_full().map(|reached| reached.message)
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        lock(&self.budget)
    }

    fn record_reached(&self, reached: Reached) -> Reached {
        lock(&self.reached).get_or_insert_with(|| reached.message.clone());
        reached
    }
}

pub(super) struct Share {
    combined: Arc<CombinedLimits>,
    /// The requests of the run, by its own ids.
    requests: RefCell<BTreeMap<RequestId, RequestId>>,
}

impl Share {
    pub(super) fn new(combined: Arc<CombinedLimits>) -> Self {
        Share { combined, requests: RefCell::default() }
    }

    /// The limits that are counted; time is counted by the run itself.
    pub(super) fn limits(&self) -> Limits {
        Limits { time: None, parallel: None, ..self.combined.limits }
    }

    /// Reserves the request with the id `own` in its run; returns the limit of output tokens.
    pub(super) fn reserve(&self, own: RequestId, estimate: Estimate) -> Result<Option<u64>, Reached> {
        let allowance = self.combined.budget().ask(estimate);
        let allowance = allowance.map_err(|reached| self.combined.record_reached(reached))?;
        self.requests.borrow_mut().insert(own, allowance.request);
        Ok(allowance.output_left)
    }

    pub(super) fn count_text(&self, own: RequestId, text: &str) -> Result<(), Reached> {
        let Some(request) = self.requests.borrow().get(&own).copied() else { return Ok(()) };
        let heard = self.combined.budget().heard(request, text);
        heard.map_err(|reached| self.combined.record_reached(reached))
    }

    /// The limit that leaves nothing to answer with.
    pub(super) fn used_up(&self) -> Option<Reached> {
        let used_up = self.combined.budget().used_up();
        used_up.map(|reached| self.combined.record_reached(reached))
    }

    pub(super) fn settle(&self, own: RequestId, usage: &Usage, length: u64, cost: impl Fn(&Usage) -> Option<f64>) {
        if let Some(request) = self.requests.borrow_mut().remove(&own) {
            self.combined.budget().settle(request, usage, length, cost);
        }
    }

    pub(super) fn release(&self, own: RequestId) {
        if let Some(request) = self.requests.borrow_mut().remove(&own) {
            self.combined.budget().release(request);
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
