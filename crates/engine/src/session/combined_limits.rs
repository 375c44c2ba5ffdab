//! Limits that several runs on any threads share.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use lmthing_base::{
    chat::Usage,
    cost::{Budget, Estimate, LimitKind, LimitReached, Limits, Outlook, RequestId, RunUsage},
};

#[derive(Debug)]
pub struct CombinedLimits {
    budget: Mutex<Budget>,
    limits: Limits,
    began: Instant,
    reached: Mutex<Option<LimitReached>>,
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

    pub fn reached(&self) -> Option<LimitReached> {
        if self.time_left() == Some(Duration::ZERO) {
            let reached = self.budget().time_limit_reached();
            let mut first = lock(&self.reached);
            // Runs that are over their use may go on until the time is over.
            if first.as_ref().is_none_or(|first| first.kind != LimitKind::Time) {
                *first = Some(reached);
            }
        }
        lock(&self.reached).clone()
    }

    /// The limit that was reached, with all that is used by now.
    pub fn reached_at_end(&self) -> Option<LimitReached> {
        self.reached().map(|reached| self.budget().reached_now(&reached))
    }

    /// A sentence about the limit on cost or tokens that answers have passed.
    pub fn passed_limit(&self) -> Option<String> {
        self.budget().passed_limit()
    }

    pub fn end_at(&self, reached: LimitReached) {
        self.record_reached(reached);
    }

    /// Reserves what answers of batches are expected to use, which this many runs wait for.
    pub fn expect_batches(&self, runs: usize) {
        self.budget().expect_batches(runs);
    }

    /// Whether the limits allow what waits for batches.
    pub fn outlook(&self) -> Outlook {
        self.budget().outlook()
    }

    /// Records use that was not metered by request.
    pub fn add(&self, used: RunUsage) {
        self.budget().add(used);
    }

    pub fn blocking_limit(&self) -> Option<String> {
        self.budget().exhausted_limit().map(|reached| reached.message)
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        lock(&self.budget)
    }

    fn record_reached(&self, reached: LimitReached) -> LimitReached {
        lock(&self.reached).get_or_insert_with(|| reached.clone());
        reached
    }
}

pub(super) struct Share {
    combined: Arc<CombinedLimits>,
    requests: RefCell<BTreeMap<RequestId, RequestId>>,
    /// Those of earlier parts of the run, which makes them again. Until then they count.
    reserved: RefCell<Vec<RequestId>>,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut budget = self.combined.budget();
        self.reserved.take().into_iter().for_each(|request| budget.withdraw(request));
    }
}

impl Share {
    pub(super) fn new(combined: Arc<CombinedLimits>, reserved: Vec<RequestId>) -> Self {
        Share { combined, requests: RefCell::default(), reserved: reserved.into() }
    }

    /// The limits that are counted; time is counted by the run itself.
    pub(super) fn limits(&self) -> Limits {
        Limits { time: None, parallel: None, ..self.combined.limits }
    }

    /// `own` is the id of the request within its run. Returns the limit of output tokens.
    pub(super) fn reserve(&self, own: RequestId, estimate: Estimate) -> Result<Option<u64>, LimitReached> {
        let mut budget = self.combined.budget();
        self.reserved.borrow_mut().pop().into_iter().for_each(|earlier| budget.withdraw(earlier));
        let allowance = budget.ask(estimate);
        drop(budget);
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

    /// Drops a request that was not sent.
    pub(super) fn withdraw(&self, own: RequestId) {
        if let Some(request) = self.requests.borrow_mut().remove(&own) {
            self.combined.budget().withdraw(request);
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
