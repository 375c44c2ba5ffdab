//! Counters of a worker's invocations.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Clones share the counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: AtomicUsize,
    running: AtomicUsize,
    done: AtomicUsize,
    failed: AtomicUsize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) running: usize,
    /// Open but not running: they wait for a slot or replay stored entries.
    pub(crate) waiting: usize,
    pub(crate) done: usize,
    pub(crate) failed: usize,
}

impl Tally {
    pub(crate) fn opened(&self) -> Turn {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        Turn { tally: self.clone() }
    }

    /// Counts an end. Released and waiting invocations have not ended.
    pub(crate) fn ended(&self, is_well: bool) {
        let count = if is_well { &self.0.done } else { &self.0.failed };
        count.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn figures(&self) -> Figures {
        let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        // `running` is read first, so that the difference cannot be negative.
        let running = count(&self.0.running);
        let waiting = count(&self.0.open).saturating_sub(running);
        Figures { running, waiting, done: count(&self.0.done), failed: count(&self.0.failed) }
    }
}

/// Counts an invocation as open until dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    tally: Tally,
}

impl Turn {
    pub(crate) fn begins(&self) -> AtWork {
        self.tally.0.running.fetch_add(1, Ordering::SeqCst);
        AtWork { tally: self.tally.clone() }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.tally.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts an invocation as running until dropped.
#[derive(Debug)]
pub(crate) struct AtWork {
    tally: Tally,
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.tally.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_invocations_are_waiting_or_running() {
        let tally = Tally::default();
        let (one, other) = (tally.opened(), tally.opened());
        let at_work = one.begins();
        assert_eq!(tally.figures(), Figures { running: 1, waiting: 1, done: 0, failed: 0 });
        drop((other, at_work));
        tally.ended(true);
        tally.ended(false);
        assert_eq!(tally.figures(), Figures { running: 0, waiting: 1, done: 1, failed: 1 });
        drop(one);
        assert_eq!(tally.figures(), Figures { running: 0, waiting: 0, done: 1, failed: 1 });
    }
}
