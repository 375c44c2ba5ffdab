//! The queue of timers and immediates. Their callbacks are stored in JavaScript under the same ids.

use std::collections::{BTreeSet, HashMap, VecDeque};

/// The id of a `Timeout` or `Immediate` object.
pub(super) type TimerId = u32;

#[derive(Clone, Copy)]
struct Timer {
    /// Milliseconds since the loop started.
    deadline: u64,
    /// Timers with the same deadline fire in the order in which they were set.
    sequence: u64,
    referenced: bool,
}

#[derive(Default)]
pub(super) struct Timers {
    queue: BTreeSet<(u64, u64, TimerId)>,
    timers: HashMap<TimerId, Timer>,
    immediates: VecDeque<TimerId>,
    /// Immediates that are not cancelled, and whether they are referenced.
    live_immediates: HashMap<TimerId, bool>,
    next_sequence: u64,
}

impl Timers {
    pub(super) fn schedule(&mut self, id: TimerId, deadline: u64, referenced: bool) {
        // `refresh()` sets an existing timer again.
        self.cancel(id);
        self.next_sequence += 1;
        let timer = Timer { deadline, sequence: self.next_sequence, referenced };
        self.queue.insert((timer.deadline, timer.sequence, id));
        self.timers.insert(id, timer);
    }

    pub(super) fn schedule_immediate(&mut self, id: TimerId) {
        self.immediates.push_back(id);
        self.live_immediates.insert(id, true);
    }

    pub(super) fn cancel(&mut self, id: TimerId) {
        if let Some(timer) = self.timers.remove(&id) {
            self.queue.remove(&(timer.deadline, timer.sequence, id));
        }
        self.live_immediates.remove(&id);
    }

    pub(super) fn set_referenced(&mut self, id: TimerId, referenced: bool) {
        if let Some(timer) = self.timers.get_mut(&id) {
            timer.referenced = referenced;
        }
        if let Some(live) = self.live_immediates.get_mut(&id) {
            *live = referenced;
        }
    }

    pub(super) fn next_deadline(&self) -> Option<u64> {
        self.queue.first().map(|(deadline, ..)| *deadline)
    }

    /// Takes the first timer that is due at `now`.
    pub(super) fn pop_due(&mut self, now: u64) -> Option<TimerId> {
        let &(deadline, _, id) = self.queue.first()?;
        if deadline > now {
            return None;
        }
        self.queue.pop_first();
        self.timers.remove(&id);
        Some(id)
    }

    /// Includes cancelled immediates.
    pub(super) fn immediate_count(&self) -> usize {
        self.immediates.len()
    }

    /// Takes the first immediate; `None` if it was cancelled.
    pub(super) fn pop_immediate(&mut self) -> Option<TimerId> {
        let id = self.immediates.pop_front()?;
        self.live_immediates.remove(&id).map(|_| id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.timers.is_empty() && self.live_immediates.is_empty()
    }

    /// Whether a timer or immediate keeps the program alive.
    pub(super) fn has_referenced(&self) -> bool {
        self.timers.values().any(|timer| timer.referenced)
            || self.live_immediates.values().any(|referenced| *referenced)
    }
}
