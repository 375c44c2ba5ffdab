//! Queues requests to a server. They start at once before the server refuses one or announces a used-up limit.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::{
    pace::{Pace, Start},
    rate_limit_headers::MAX_PAUSE,
};

/// Pauses of at least this length are reported every time.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// After this many consecutive refusals of requests without any concurrent ones, over at least this time, all waiting
/// requests fail: each would wait as long for the same refusal.
const MAX_REFUSALS: (u32, Duration) = (3, Duration::from_secs(60));

/// How long after a response refusals do not count as failures of requests that others wait behind.
const RECENT: Duration = Duration::from_secs(60);

/// After this many connections that were closed without a response, connections are not reused for `NO_REUSE_TIME`.
const MAX_CLOSED: u32 = 3;

const NO_REUSE_TIME: Duration = Duration::from_secs(60);

/// The server has refused requests for so long that those waiting are given up.
#[derive(Debug)]
pub(crate) struct Abandoned {
    /// The message of the last refusal.
    pub(crate) message: String,
}

#[derive(Debug, Default)]
pub(crate) struct Limiter {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    pace: Pace,
    active: usize,
    served: u64,
    /// Connections closed without a response by a server that answers others, and the time of the last one.
    closed: Option<(u32, Instant)>,
    paused_until: Option<Instant>,
    unreported: bool,
    is_slowed: bool,
    last_answer: Option<Instant>,
    waiting: BTreeSet<u64>,
    next_ticket: u64,
    /// Consecutive refusals without concurrent requests, and when the first of these was sent.
    refused_alone: Option<(u32, Instant)>,
    abandoned: (u64, String),
}

enum Turn {
    /// With the number of requests served so far.
    Started(Start, u64),
    /// Others are first.
    Behind,
    At(Instant),
}

impl State {
    /// # Errors
    /// The server's message, if it has refused requests for too long.
    fn try_start(&mut self, ticket: &Ticket<'_>) -> Result<Turn, Abandoned> {
        let (abandoned, message) = &self.abandoned;
        if ticket.number < *abandoned {
            return Err(Abandoned { message: message.clone() });
        }
        if self.waiting.first().is_some_and(|first| *first != ticket.number) {
            return Ok(Turn::Behind);
        }
        let now = Instant::now();
        let pause = self.paused_until.filter(|until| *until > now);
        if let Some(at) = pause.max(self.pace.wait_until(self.active, now)) {
            return Ok(Turn::At(at));
        }
        let start = self.pace.start(self.active, ticket.since, now);
        self.active += 1;
        Ok(Turn::Started(start, self.served))
    }

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
    /// The server has refused requests for too long.
    pub(crate) async fn acquire(self: &Arc<Self>) -> Result<Permit, Abandoned> {
        let ticket = Ticket::new(self);
        // A suspended permit does not notify, so the first in the queue may already be able to start.
        self.changed.notify_waiters();
        loop {
            let changed = self.changed.notified();
            // In a statement of its own: the lock is not held while this waits.
            let turn = self.state().try_start(&ticket)?;
            match turn {
                Turn::Started(start, served) => {
                    let limiter = self.clone();
                    return Ok(Permit {
                        limiter,
                        start,
                        served,
                        answered: false,
                        is_suspended: false,
                        released: false,
                    });
                }
                Turn::Behind => changed.await,
                Turn::At(at) => {
                    tokio::select! {
                        () = changed => {}
                        () = tokio::time::sleep_until(at) => {}
                    }
                }
            }
        }
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

    /// The wait after a refusal, if the user should be informed of it.
    pub(crate) fn reported_wait(&self) -> Option<Duration> {
        let (now, mut state) = (Instant::now(), self.state());
        let wait = state.pace.wait_until(state.active, now)? - now;
        let is_first = !std::mem::replace(&mut state.is_slowed, true);
        (is_first || wait >= LONG_PAUSE).then_some(wait)
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
    since: Instant,
}

impl<'a> Ticket<'a> {
    fn new(limiter: &'a Limiter) -> Self {
        let mut state = limiter.state();
        let number = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.insert(number);
        Ticket { limiter, number, since: Instant::now() }
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
    start: Start,
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
        state.last_answer = Some(Instant::now());
        state.pace.accepted(&self.start);
    }

    /// Slows requests down after a refusal because of too many requests. Returns whether other requests of the run can
    /// be the reason, so that this one only has to wait.
    pub(crate) fn refused(mut self, message: &str) -> bool {
        self.release();
        let now = Instant::now();
        let mut state = self.limiter.state();
        state.pace.refused(&self.start, now);
        let has_others = state.active > 0 || state.served > self.served;
        let is_recent = state.last_answer.is_some_and(|last| now - last < RECENT);
        let is_shared = has_others || (is_recent && !state.waiting.is_empty());
        if !is_shared {
            state.count_lone_refusal(self.start.at, message);
        }
        drop(state);
        self.limiter.changed.notify_waiters();
        is_shared
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
