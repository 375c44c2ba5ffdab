//! Limits concurrent requests to a server: additive increase, multiplicative decrease. There is no limit before the
//! server refuses a request or announces a used-up limit.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::rate_limit_headers::MAX_PAUSE;

/// Pauses of at least this length are reported every time.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// After this many consecutive refusals of requests without any concurrent ones, over at least this time, all waiting
/// requests fail: each would wait as long for the same refusal.
const MAX_REFUSALS: (u32, Duration) = (3, Duration::from_secs(60));

const CAUTIOUS_STEP: f64 = 0.25;

/// After this many connections that were closed without a response, connections are not reused for `NO_REUSE_TIME`.
const MAX_CLOSED: u32 = 3;

const NO_REUSE_TIME: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Limiter {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    limit: Option<f64>,
    ceiling: f64,
    active: usize,
    served: u64,
    /// Connections closed without a response by a server that answers others, and the time of the last one.
    closed: Option<(u32, Instant)>,
    paused_until: Option<Instant>,
    unreported: bool,
    lowered: Option<Instant>,
    waiting: BTreeSet<u64>,
    next_ticket: u64,
    /// Consecutive refusals without concurrent requests, and when the first of these was sent.
    refused_alone: Option<(u32, Instant)>,
    abandoned: (u64, String),
}

impl State {
    fn recently_closed(&self) -> u32 {
        self.closed.filter(|(_, last)| last.elapsed() < NO_REUSE_TIME).map_or(0, |(count, _)| count)
    }

    fn count_lone_refusal(&mut self, sent: Instant, message: &str) {
        let (count, since) = self.refused_alone.unwrap_or((0, sent));
        let (most, longest) = MAX_REFUSALS;
        if count + 1 < most || since.elapsed() < longest {
            self.refused_alone = Some((count + 1, since));
            return;
        }
        self.refused_alone = None;
        self.abandoned = (self.next_ticket, message.to_owned());
    }
}

impl Limiter {
    /// Must not be held across an await.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a permit, in order. Dropping the future gives up the place in the queue.
    ///
    /// # Errors
    /// The server's message, if it has refused requests for too long.
    pub(crate) async fn acquire(self: &Arc<Self>) -> Result<Permit, String> {
        let ticket = Ticket::new(self);
        // A suspended permit does not notify, so the first in the queue may already be able to start.
        self.changed.notify_waiters();
        // An active request may depend on a waiting one, so no request waits forever.
        let deadline = Instant::now() + MAX_PAUSE;
        loop {
            let changed = self.changed.notified();
            let now = Instant::now();
            if let Some(message) = self.abandoned_message(ticket.number) {
                return Err(message);
            }
            let retry_at = match self.retry_at(ticket.number, now) {
                None => break,
                Some(_) if now >= deadline => break,
                Some(retry_at) => retry_at.unwrap_or(deadline).min(deadline),
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep_until(retry_at) => {}
            }
        }
        let mut state = self.state();
        state.active += 1;
        let (started, served) = (Instant::now(), state.served);
        drop(state);
        Ok(Permit { limiter: self.clone(), started, served, answered: false, is_suspended: false, released: false })
    }

    fn abandoned_message(&self, ticket: u64) -> Option<String> {
        let (abandoned, message) = &self.state().abandoned;
        (ticket < *abandoned).then(|| message.clone())
    }

    /// `None` if this ticket may start; otherwise when to check again, if known.
    fn retry_at(&self, ticket: u64, now: Instant) -> Option<Option<Instant>> {
        let state = self.state();
        if let Some(until) = state.paused_until.filter(|until| *until > now) {
            return Some(Some(until));
        }
        let first = state.waiting.first().is_none_or(|first| *first == ticket);
        let room = state.limit.is_none_or(|limit| {
            #[allow(clippy::cast_precision_loss)]
            let after = (state.active + 1) as f64;
            after <= limit
        });
        if first && room { None } else { Some(None) }
    }

    /// Starts no requests for a while; returns whether the user should be informed.
    pub(crate) fn pause_for(&self, wait: Duration) -> bool {
        let now = Instant::now();
        let until = now + wait.min(MAX_PAUSE);
        let mut state = self.state();
        // Short pauses that follow each other are not reported every time.
        let is_reported = state.paused_until.is_none_or(|known| known <= now && wait >= LONG_PAUSE);
        state.paused_until = Some(state.paused_until.map_or(until, |known| known.max(until)));
        is_reported
    }

    pub(crate) fn announce_pause(&self, wait: Duration) {
        self.pause_for(wait);
        self.state().unreported |= wait >= LONG_PAUSE;
    }

    pub(crate) fn count_closed_connection(&self) {
        let mut state = self.state();
        if state.served > 0 {
            state.closed = Some((state.recently_closed() + 1, Instant::now()));
        }
    }

    /// Whether connections may be reused: if a server closes them after responses, requests may be sent before the
    /// close is seen.
    pub(crate) fn may_reuse_connections(&self) -> bool {
        self.state().recently_closed() < MAX_CLOSED
    }

    pub(crate) fn take_unreported_pause(&self) -> Option<Duration> {
        let mut state = self.state();
        let rest = state.paused_until?.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero());
        if std::mem::take(&mut state.unreported) { rest } else { None }
    }
}

struct Ticket<'a> {
    limiter: &'a Limiter,
    number: u64,
}

impl<'a> Ticket<'a> {
    fn new(limiter: &'a Limiter) -> Self {
        let mut state = limiter.state();
        let number = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.insert(number);
        Ticket { limiter, number }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.limiter.state().waiting.remove(&self.number);
        self.limiter.changed.notify_waiters();
    }
}

#[derive(Debug)]
pub(crate) struct Permit {
    limiter: Arc<Limiter>,
    started: Instant,
    served: u64,
    answered: bool,
    is_suspended: bool,
    released: bool,
}

impl Permit {
    pub(crate) fn answered(&mut self) {
        self.answered = true;
        let mut state = self.limiter.state();
        state.refused_alone = None;
        let ceiling = state.ceiling;
        state.limit = state.limit.map(|limit| {
            // Near the last refusal, another one is likely, and each costs all requests a pause.
            let step = if limit + 1.0 < ceiling { 1.0 } else { CAUTIOUS_STEP };
            limit + step / limit
        });
        drop(state);
        self.limiter.changed.notify_waiters();
    }

    /// Lowers the limit after a refusal because of too many requests. Returns whether concurrent requests can be the
    /// reason, so that this one only has to wait.
    pub(crate) fn refused(mut self, message: &str) -> bool {
        self.release();
        let mut state = self.limiter.state();
        let served = usize::try_from(state.served - self.served).unwrap_or(usize::MAX);
        let taken = state.active.saturating_add(served);
        #[allow(clippy::cast_precision_loss)]
        let (taken_or_one, active) = (taken.max(1) as f64, (state.active + 1) as f64);
        let limit = state.limit.unwrap_or(active).min(active.max(taken_or_one));
        // Requests that started together are refused together, which counts as one decrease.
        let is_same_burst = state.lowered.is_some_and(|lowered| self.started < lowered);
        let lowered = if is_same_burst { limit } else { limit / 2.0 };
        state.limit = Some(lowered.min(taken_or_one).max(1.0));
        state.ceiling = taken_or_one + 1.0;
        if !is_same_burst {
            state.lowered = Some(Instant::now());
        }
        if taken == 0 {
            state.count_lone_refusal(self.started, message);
        }
        drop(state);
        self.limiter.changed.notify_waiters();
        taken > 0
    }

    /// Stops counting as active until `resume`: the reader of the response is busy with something else that may need
    /// a permit.
    pub(crate) fn suspend(&mut self) {
        if !self.released && !std::mem::replace(&mut self.is_suspended, true) {
            self.limiter.state().active -= 1;
        }
    }

    pub(crate) fn resume(&mut self) {
        if std::mem::take(&mut self.is_suspended) {
            self.limiter.state().active += 1;
        }
    }

    fn release(&mut self) {
        if std::mem::replace(&mut self.released, true) {
            return;
        }
        self.resume();
        let mut state = self.limiter.state();
        state.active -= 1;
        state.served += u64::from(self.answered);
        drop(state);
        self.limiter.changed.notify_waiters();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests;
