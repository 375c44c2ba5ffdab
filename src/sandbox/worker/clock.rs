//! The limit on the time that code may run.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

/// The time that code has run. It stands still while code waits for the host: how long a function or an agent takes is not
/// the code's doing.
pub(super) struct Clock {
    limit: Duration,
    used: Cell<Duration>,
    running_since: Cell<Option<Instant>>,
}

impl Clock {
    /// A clock that runs.
    pub(super) fn start(limit: Duration) -> Rc<Self> {
        Rc::new(Self { limit, used: Cell::default(), running_since: Cell::new(Some(Instant::now())) })
    }

    /// Code waits.
    pub(super) fn pause(&self) {
        if let Some(since) = self.running_since.take() {
            self.used.set(self.used.get() + since.elapsed());
        }
    }

    /// Code goes on.
    pub(super) fn resume(&self) {
        self.running_since.set(Some(Instant::now()));
    }

    /// Whether the limit is reached. Asked by the engine between instructions, so it only adds and compares.
    pub(super) fn is_over(&self) -> bool {
        let running = self.running_since.get().map_or(Duration::ZERO, |since| since.elapsed());
        self.used.get() + running > self.limit
    }
}
