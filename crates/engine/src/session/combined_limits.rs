//! Limits that several runs on any threads share.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use lmthing_base::{
    chat::Usage,
    cost::{Budget, Estimate, LimitReached, Limits, RequestId, RunUsage},
};

#[derive(Debug)]
pub struct CombinedLimits {
    budget: Mutex<Budget>,
    limits: Limits,
    began: Instant,
    reached: Mutex<Option<String>>,
}

impl CombinedLimits {
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(CombinedLimits {
            budget: Mutex::new(Budget::new(limits)),
            limits,
            began: Instant::now(),
            reached: Mutex::default(),
        })
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub fn time_left(&self) -> Option<Duration> {
        self.limits.time.map(|time| time.saturating_sub(self.began.elapsed()))
    }

    pub fn reached(&self) -> Option<String> {
        if self.time_left() == Some(Duration::ZERO) {
            let reached = self.budget().time_limit_reached();
            lock(&self.reached).get_or_insert(reached.message);
        }
        lock(&self.reached).clone()
    }

    /// Records use that was not metered by request.
    pub fn add(&self, used: RunUsage) {
        self.budget().add(used);
    }

    /// Drops requests that were reserved by a run which waited for batches, as it is run again.
    pub fn withdraw(&self, requests: impl IntoIterator<Item = RequestId>) {
        let mut budget = self.budget();
        requests.into_iter().for_each(|request| budget.withdraw(request));
    }

    pub fn blocking_limit(&self) -> Option<String> {
        self.budget().exhausted_limit().map(|reached| reached.message)
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        lock(&self.budget)
    }

    fn record_reached(&self, reached: LimitReached) -> LimitReached {
        lock(&self.reached).get_or_insert_with(|| reached.message.clone());
        reached
    }
}

pub(super) struct Share {
    combined: Arc<CombinedLimits>,
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

    /// `own` is the id of the request within its run. Returns the limit of output tokens.
    pub(super) fn reserve(&self, own: RequestId, estimate: Estimate) -> Result<Option<u64>, LimitReached> {
        let allowance = self.combined.budget().ask(estimate);
        let allowance = allowance.map_err(|reached| self.combined.record_reached(reached))?;
        self.requests.borrow_mut().insert(own, allowance.request);
        Ok(allowance.output_left)
    }

    pub(super) fn count_text(&self, own: RequestId, text: &str) -> Result<(), LimitReached> {
        let Some(request) = self.requests.borrow().get(&own).copied() else { return Ok(()) };
        let add_output = self.combined.budget().add_output(request, text);
        add_output.map_err(|reached| self.combined.record_reached(reached))
    }

    pub(super) fn blocking_limit(&self) -> Option<LimitReached> {
        let blocking_limit = self.combined.budget().blocking_limit();
        blocking_limit.map(|reached| self.combined.record_reached(reached))
    }

    pub(super) fn settle(&self, own: RequestId, usage: &Usage, length: u64, cost: impl Fn(&Usage) -> Option<f64>) {
        if let Some(request) = self.requests.borrow_mut().remove(&own) {
            self.combined.budget().settle(request, usage, length, cost);
        }
    }

    /// Leaves a request reserved, and returns its id among those of all runs.
    pub(super) fn leave(&self, own: RequestId) -> Option<RequestId> {
        self.requests.borrow_mut().remove(&own)
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
