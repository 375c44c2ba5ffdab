//! How many requests a server gets at the same time: additive increase, multiplicative decrease. Nothing is held back
//! before the server has refused for the first time, or said that nothing is left.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::announced::LONGEST_PAUSE;

/// Every pause of this length is told.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// So many refusals in a row of requests that were alone, over at least so long, and nobody else in the line asks in vain:
/// each of them would wait as long again for the same answer.
const LOST_CAUSE: (u32, Duration) = (3, Duration::from_secs(60));

/// How much of a place a round of answers makes near the count at which the server refused.
const CAUTIOUS: f64 = 0.25;

/// After this many connections that ended without an answer, no connection to the server is used again for a while.
const MOST_CLOSED: u32 = 3;

/// How long after the last of them.
const CLOSED_TIME: Duration = Duration::from_secs(60);

/// The door to one server.
#[derive(Debug, Default)]
pub(in crate::provider) struct Gate {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// How many may be inside; `None` until the server has refused.
    limit: Option<f64>,
    /// The count at which the server refused last.
    ceiling: f64,
    inside: usize,
    /// Requests that were answered, and are over.
    served: u64,
    /// Connections that the server has ended without an answer, although it answers others, and when the last of them was.
    closed: Option<(u32, Instant)>,
    /// Nobody enters before.
    closed_until: Option<Instant>,
    /// It was closed ahead of time, and nobody was told.
    untold: bool,
    /// When the limit was lowered last.
    lowered: Option<Instant>,
    /// Who waits, in the order they came.
    waiting: BTreeSet<u64>,
    next_ticket: u64,
    /// Refusals in a row of requests that were alone, and when the first of them was sent.
    refused_alone: Option<(u32, Instant)>,
    /// Tickets before this one are given up, and the server's words.
    lost: (u64, String),
}

impl State {
    /// How many connections have ended without an answer, one soon after the other.
    fn recently_closed(&self) -> u32 {
        self.closed.filter(|(_, last)| last.elapsed() < CLOSED_TIME).map_or(0, |(count, _)| count)
    }

    /// Counts a refusal that was nobody else's fault; after some the line is given up.
    fn count_refusal(&mut self, sent: Instant, words: &str) {
        let (count, since) = self.refused_alone.unwrap_or((0, sent));
        let (most, longest) = LOST_CAUSE;
        if count + 1 < most || since.elapsed() < longest {
            self.refused_alone = Some((count + 1, since));
            return;
        }
        self.refused_alone = None;
        self.lost = (self.next_ticket, words.to_owned());
    }
}

impl Gate {
    /// Never held while anything is waited for.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place. Dropping the future gives up the place in the line.
    ///
    /// # Errors
    /// The server's words, when it has refused everybody for so long that there is no point in asking.
    pub(in crate::provider) async fn enter(self: &Arc<Self>) -> Result<Pass, String> {
        let ticket = Ticket::draw(self);
        // Whoever waits in front of this one may have got room since: nobody is told of a request that rests.
        self.changed.notify_waiters();
        // Whoever is inside may depend on somebody out here, so that no place is waited for without end.
        let patience = Instant::now() + LONGEST_PAUSE;
        loop {
            let changed = self.changed.notified();
            let now = Instant::now();
            if let Some(words) = self.given_up(ticket.number) {
                return Err(words);
            }
            let opens = match self.opens(ticket.number, now) {
                None => break,
                Some(_) if now >= patience => break,
                Some(opens) => opens.unwrap_or(patience).min(patience),
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep_until(opens) => {}
            }
        }
        let mut state = self.state();
        state.inside += 1;
        let (entered, served) = (Instant::now(), state.served);
        drop(state);
        Ok(Pass { gate: self.clone(), entered, served, answered: false, rests: false, left: false })
    }

    /// The server's words, when everybody with such a ticket was given up.
    fn given_up(&self, ticket: u64) -> Option<String> {
        let (lost, words) = &self.state().lost;
        (ticket < *lost).then(|| words.clone())
    }

    /// `None` when this ticket may enter; else when that is to be looked at again, if a time is known.
    fn opens(&self, ticket: u64, now: Instant) -> Option<Option<Instant>> {
        let state = self.state();
        if let Some(until) = state.closed_until.filter(|until| *until > now) {
            return Some(Some(until));
        }
        let first = state.waiting.first().is_none_or(|first| *first == ticket);
        let room = state.limit.is_none_or(|limit| {
            // A count of requests: far below what a float holds.
            #[allow(clippy::cast_precision_loss)]
            let after = (state.inside + 1) as f64;
            after <= limit
        });
        if first && room { None } else { Some(None) }
    }

    /// Lets nobody in for a while; says whether that is news.
    pub(in crate::provider) fn close_for(&self, wait: Duration) -> bool {
        let now = Instant::now();
        let until = now + wait.min(LONGEST_PAUSE);
        let mut state = self.state();
        // One line for a server that is asked a little too often, and not one for every second of it.
        let news = state.closed_until.is_none_or(|known| known <= now && wait >= LONG_PAUSE);
        state.closed_until = Some(state.closed_until.map_or(until, |known| known.max(until)));
        news
    }

    /// The same, as the server announced it in an answer: that is told only when a request has to wait for it.
    pub(in crate::provider) fn announce(&self, wait: Duration) {
        self.close_for(wait);
        self.state().untold |= wait >= LONG_PAUSE;
    }

    /// A connection has ended without an answer.
    pub(in crate::provider) fn note_closed(&self) {
        let mut state = self.state();
        if state.served > 0 {
            state.closed = Some((state.recently_closed() + 1, Instant::now()));
        }
    }

    /// Whether connections may be used again: when a server closes them after its answers, some requests are sent before the
    /// close is seen.
    pub(in crate::provider) fn keeps_connections(&self) -> bool {
        self.state().recently_closed() < MOST_CLOSED
    }

    /// How long an announced pause still lasts, for the first who has to wait for it.
    pub(in crate::provider) fn untold_pause(&self) -> Option<Duration> {
        let mut state = self.state();
        let left = state.closed_until?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        if std::mem::take(&mut state.untold) { left } else { None }
    }
}

/// A place in the line, given up when dropped.
struct Ticket<'a> {
    gate: &'a Gate,
    number: u64,
}

impl<'a> Ticket<'a> {
    fn draw(gate: &'a Gate) -> Self {
        let mut state = gate.state();
        let number = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.insert(number);
        Ticket { gate, number }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.gate.state().waiting.remove(&self.number);
        self.gate.changed.notify_waiters();
    }
}

/// A request that is inside, until it is dropped.
#[derive(Debug)]
pub(in crate::provider) struct Pass {
    gate: Arc<Gate>,
    entered: Instant,
    /// How many were served when this one entered.
    served: u64,
    answered: bool,
    /// Its place is free while it waits for something else than the server.
    rests: bool,
    left: bool,
}

impl Pass {
    /// The server takes the request: one more may come for each round of answers.
    pub(in crate::provider) fn answered(&mut self) {
        self.answered = true;
        let mut state = self.gate.state();
        state.refused_alone = None;
        let ceiling = state.ceiling;
        state.limit = state.limit.map(|limit| {
            // Where the server has refused before, it most likely will again: each try costs everybody a pause.
            let step = if limit + 1.0 < ceiling { 1.0 } else { CAUTIOUS };
            limit + step / limit
        });
        drop(state);
        self.gate.changed.notify_waiters();
    }

    /// The server refuses because of too many requests: fewer are let in from now on. Says whether the others that were
    /// inside, or were served meanwhile, are to blame: then this request only has to wait for its turn. With `words` the
    /// server refused.
    pub(in crate::provider) fn refused(mut self, words: &str) -> bool {
        self.leave();
        let mut state = self.gate.state();
        let served = usize::try_from(state.served - self.served).unwrap_or(usize::MAX);
        // What the server did take while it refused this one.
        let taken = state.inside.saturating_add(served);
        #[allow(clippy::cast_precision_loss)]
        let (taken_or_one, inside) = (taken.max(1) as f64, (state.inside + 1) as f64);
        let limit = state.limit.unwrap_or(inside).min(inside.max(taken_or_one));
        // Requests that were sent together are refused together: that is one decrease, not many.
        let together = state.lowered.is_some_and(|lowered| self.entered < lowered);
        let lowered = if together { limit } else { limit / 2.0 };
        state.limit = Some(lowered.min(taken_or_one).max(1.0));
        state.ceiling = taken_or_one + 1.0;
        if !together {
            state.lowered = Some(Instant::now());
        }
        if taken == 0 {
            state.count_refusal(self.entered, words);
        }
        drop(state);
        self.gate.changed.notify_waiters();
        taken > 0
    }

    /// Gives the place to others until `resume`: whoever reads the answer does something else, and may need a place for
    /// that.
    pub(in crate::provider) fn rest(&mut self) {
        if !self.left && !std::mem::replace(&mut self.rests, true) {
            self.gate.state().inside -= 1;
        }
    }

    /// Takes a place again, at once: the server is answering already.
    pub(in crate::provider) fn resume(&mut self) {
        if std::mem::take(&mut self.rests) {
            self.gate.state().inside += 1;
        }
    }

    fn leave(&mut self) {
        if std::mem::replace(&mut self.left, true) {
            return;
        }
        self.resume();
        let mut state = self.gate.state();
        state.inside -= 1;
        state.served += u64::from(self.answered);
        drop(state);
        self.gate.changed.notify_waiters();
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests;
