//! The limit of the running time of code.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

/// The running time of code, without the time that it waits for host functions.
pub(super) struct Clock {
    limit: Duration,
    used: Cell<Duration>,
    running_since: Cell<Option<Instant>>,
}

impl Clock {
    pub(super) fn start(limit: Duration) -> Rc<Self> {
        Rc::new(Self { limit, used: Cell::default(), running_since: Cell::new(Some(Instant::now())) })
    }

    pub(super) fn pause(&self) {
        if let Some(since) = self.running_since.take() {
            self.used.set(self.used.get() + since.elapsed());
        }
    }

    pub(super) fn resume(&self) {
        self.running_since.set(Some(Instant::now()));
    }

    /// Called by the engine between instructions, so it must be cheap.
    pub(super) fn is_over(&self) -> bool {
        let running = self.running_since.get().map_or(Duration::ZERO, |since| since.elapsed());
        self.used.get() + running > self.limit
    }
}
