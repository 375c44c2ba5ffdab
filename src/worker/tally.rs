//! How many invocations this worker has at hand, and what became of the others. Must not know what they are.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    open: AtomicUsize,
    running: AtomicUsize,
    done: AtomicUsize,
    failed: AtomicUsize,
}

/// The counts at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// At work.
    pub(crate) running: usize,
    /// Here, but not at work: there is no room yet, or they hear their own past.
    pub(crate) waiting: usize,
    /// Ended well.
    pub(crate) done: usize,
    /// Ended badly.
    pub(crate) failed: usize,
}

impl Tally {
    /// An invocation has come.
    pub(crate) fn opened(&self) -> Turn {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        Turn { tally: self.clone() }
    }

    /// An invocation has ended. What is given back or waits for an approval has not.
    pub(crate) fn ended(&self, is_well: bool) {
        let count = if is_well { &self.0.done } else { &self.0.failed };
        count.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether there is one here.
    pub(crate) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::SeqCst) > 0
    }

    /// How many there are now.
    pub(crate) fn figures(&self) -> Figures {
        let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        // In this order: one that ends meanwhile is not counted below none.
        let running = count(&self.0.running);
        let waiting = count(&self.0.open).saturating_sub(running);
        Figures { running, waiting, done: count(&self.0.done), failed: count(&self.0.failed) }
    }
}

/// An invocation that is here until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    tally: Tally,
}

impl Turn {
    /// It is at work until this is dropped.
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

/// An invocation at work.
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
    fn what_is_here_waits_or_runs() {
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
