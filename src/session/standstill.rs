//! How long the clock of a run has stood still while somebody was asked. Must not know who, nor what the clock is for.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// The times in which the clock stands still; several may overlap.
#[derive(Default)]
pub(super) struct Standstill {
    /// How many hold it now.
    holders: Cell<usize>,
    /// Since when, while there is one.
    since: Cell<Option<Instant>>,
    /// How long it has stood before.
    before: Cell<Duration>,
}

impl Standstill {
    /// One more holds the clock.
    pub(super) fn begin(&self) {
        self.holders.set(self.holders.get() + 1);
        if self.since.get().is_none() {
            self.since.set(Some(Instant::now()));
        }
    }

    /// One of them lets it go.
    pub(super) fn end(&self) {
        self.holders.set(self.holders.get().saturating_sub(1));
        if self.holders.get() == 0
            && let Some(since) = self.since.take()
        {
            self.before.set(self.before.get() + since.elapsed());
        }
    }

    /// How long it has stood; `None` while it does.
    pub(super) fn so_far(&self) -> Option<Duration> {
        self.since.get().is_none().then(|| self.before.get())
    }
}
