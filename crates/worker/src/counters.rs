//! Counters of a worker's invocations.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Clones share the counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct InvocationCounters(Arc<AtomicCounts>);

#[derive(Debug, Default)]
struct AtomicCounts {
    open: AtomicUsize,
    running: AtomicUsize,
    done: AtomicUsize,
    failed: AtomicUsize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub running: usize,
    /// Open but not running: they wait for a slot or replay stored entries.
    pub waiting: usize,
    pub done: usize,
    pub failed: usize,
}

impl InvocationCounters {
    pub(crate) fn open(&self) -> OpenInvocation {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        OpenInvocation { counters: self.clone() }
    }

    /// Counts an end. Released and waiting invocations have not ended.
    pub(crate) fn ended(&self, is_well: bool) {
        let count = if is_well { &self.0.done } else { &self.0.failed };
        count.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn counts(&self) -> Counts {
        let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        // `running` is read first, so that the difference cannot be negative.
        let running = count(&self.0.running);
        let waiting = count(&self.0.open).saturating_sub(running);
        Counts { running, waiting, done: count(&self.0.done), failed: count(&self.0.failed) }
    }
}

/// Counts an invocation as open until dropped.
#[derive(Debug)]
pub struct OpenInvocation {
    counters: InvocationCounters,
}

impl OpenInvocation {
    pub fn start_running(&self) -> RunningInvocation {
        self.counters.0.running.fetch_add(1, Ordering::SeqCst);
        RunningInvocation { counters: self.counters.clone() }
    }
}

impl Drop for OpenInvocation {
    fn drop(&mut self) {
        self.counters.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts an invocation as running until dropped.
#[derive(Debug)]
pub struct RunningInvocation {
    counters: InvocationCounters,
}

impl Drop for RunningInvocation {
    fn drop(&mut self) {
        self.counters.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_invocations_are_waiting_or_running() {
        let counters = InvocationCounters::default();
        let (one, other) = (counters.open(), counters.open());
        let at_work = one.start_running();
        assert_eq!(counters.counts(), Counts { running: 1, waiting: 1, done: 0, failed: 0 });
        drop((other, at_work));
        counters.ended(true);
        counters.ended(false);
        assert_eq!(counters.counts(), Counts { running: 0, waiting: 1, done: 1, failed: 1 });
        drop(one);
        assert_eq!(counters.counts(), Counts { running: 0, waiting: 0, done: 1, failed: 1 });
    }
}
