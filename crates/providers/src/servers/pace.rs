//! How fast requests to a server start. Servers limit requests at once or requests a second and do not say which, so
//! both limits are learned from refusals:
//!
//! - A refusal at more concurrent requests than are usually accepted limits the requests at once. From time to time one
//!   request more is sent, which costs a refusal at most.
//! - A refusal at fewer limits the rate. Between two refusals a saturated server accepts exactly what its limit allows,
//!   so that is measured, and the rate stays near it.
//!
//! A refusal delays no request but by these limits, since others may be accepted a moment later. While nothing is
//! accepted, waits double, up to a bound.
//!
//! Pure: the caller passes the time.

use std::time::Duration;

use tokio::time::Instant;

/// Bounds of the wait before one request more is sent than the limit allows.
const PROBE_WAIT: (Duration, Duration) = (Duration::from_millis(200), Duration::from_millis(6_400));

/// Requests a second after the first refusal, unless a rate is known.
const FIRST_RATE: f64 = 20.0;

/// One request every 16 seconds.
const LOWEST_RATE: f64 = 1.0 / 16.0;

/// Fewer requests, or a shorter time, do not give a rate.
const SHORTEST_MEASUREMENT: (f64, Duration) = (6.0, Duration::from_millis(500));

/// How much of the highest accepted concurrency remains with each further accepted request.
const REMEMBERED: f64 = 0.98;

#[derive(Debug, Default)]
pub(super) struct Pace {
    limit: Option<Limit>,
    rate: Option<Rate>,
    measurement: Measurement,
    /// The highest number of other requests at which a request was accepted lately.
    accepted_with: f64,
    refused: Option<Instant>,
    /// Requests started since then and not refused so far.
    started: i64,
}

/// The limit of requests at once.
#[derive(Clone, Copy, Debug)]
struct Limit {
    requests: usize,
    probe_at: Instant,
    probe_wait: Duration,
    /// Whether the last probe was not refused so far.
    is_probe_accepted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Rate {
    /// Requests a second.
    value: f64,
    next_start: Instant,
}

/// Requests that started while others waited, without the refused ones, and the time they took.
#[derive(Debug, Default)]
struct Measurement {
    requests: f64,
    seconds: f64,
    last_start: Option<Instant>,
    /// Requests a second up to the last refusal.
    rate: Option<f64>,
}

/// A request that has started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub at: Instant,
    others: usize,
    is_probe: bool,
    rate: Option<f64>,
}

impl Pace {
    /// When a request may start while `active` others are under way; `None` for now. An earlier end of one of the others
    /// may allow it earlier.
    pub(super) fn wait_until(&self, active: usize, now: Instant) -> Option<Instant> {
        let by_rate = self.rate.map(|rate| rate.next_start);
        let by_limit = self.limit.filter(|limit| active >= limit.requests).map(|limit| limit.probe_at);
        by_rate.max(by_limit).filter(|at| *at > now)
    }

    /// A request that has waited since `queued` starts.
    pub(super) fn start(&mut self, active: usize, queued: Instant, now: Instant) -> Start {
        let is_probe = self.limit.as_mut().is_some_and(|limit| limit.probe(active, now));
        let start = Start { at: now, others: active, is_probe, rate: self.rate.map(|rate| rate.value) };
        self.measurement.count(queued, now);
        self.started += 1;
        let measured = self.measurement.rate;
        if let Some(rate) = &mut self.rate {
            rate.advance(measured, now);
        }
        start
    }

    pub(super) fn accepted(&mut self, start: &Start) {
        #[allow(clippy::cast_precision_loss)]
        let others = start.others as f64;
        self.accepted_with = (self.accepted_with * REMEMBERED).max(others);
    }

    pub(super) fn refused(&mut self, start: &Start, now: Instant) {
        // Requests that started together are refused together, which counts as one refusal.
        let is_first_of_burst = self.refused.is_none_or(|refused| start.at >= refused);
        self.started -= 1;
        self.measurement.requests = (self.measurement.requests - 1.0).max(0.0);
        let is_any_accepted = self.started > 0;
        if is_first_of_burst {
            self.refused = Some(now);
            self.started = 0;
            self.measurement.end();
        }
        // A probe that came just as another request ended is accepted, and makes the next one look like the usual load:
        // its refusal says nothing of the rate unless there is one.
        let is_only_beyond_limit = start.is_probe && self.rate.is_none();
        #[allow(clippy::cast_precision_loss)]
        let is_rate = start.others as f64 <= self.accepted_with && !is_only_beyond_limit;
        if !is_rate || start.is_probe {
            self.lower_limit(start, now);
        }
        if is_rate && is_first_of_burst {
            self.lower_rate(start, is_any_accepted, now);
        }
    }

    /// With a limit of requests at once that is not raised within an hour.
    #[cfg(test)]
    pub(super) fn at_most(requests: usize, now: Instant) -> Self {
        let probe_at = now + Duration::from_secs(3_600);
        let limit = Limit { requests, probe_at, probe_wait: PROBE_WAIT.0, is_probe_accepted: false };
        Pace { limit: Some(limit), ..Pace::default() }
    }

    fn lower_limit(&mut self, start: &Start, now: Instant) {
        let first = Limit { requests: usize::MAX, probe_at: now, probe_wait: PROBE_WAIT.0, is_probe_accepted: false };
        let limit = self.limit.get_or_insert(first);
        limit.requests = limit.requests.min(start.others.max(1));
        if start.is_probe {
            limit.is_probe_accepted = false;
            limit.probe_wait = (limit.probe_wait * 2).min(PROBE_WAIT.1);
        }
        limit.probe_at = now + limit.probe_wait;
    }

    fn lower_rate(&mut self, start: &Start, is_any_accepted: bool, now: Instant) {
        // Where a limit counts in periods, nothing is accepted until the next one, which should not be missed.
        let lowest = self.measurement.rate.map_or(LOWEST_RATE, |measured| (measured / 8.0).max(LOWEST_RATE));
        let value = match (self.measurement.rate, start.rate) {
            (_, Some(rate)) if !is_any_accepted => rate / 2.0,
            (Some(measured), _) => measured * 0.95,
            (None, Some(rate)) => rate / 1.5,
            (None, None) => FIRST_RATE,
        };
        let value = value.max(lowest);
        // A bucket that refills steadily has the next token soon.
        let share = if is_any_accepted { 0.5 } else { 1.0 };
        self.rate = Some(Rate { value, next_start: now + Duration::from_secs_f64(share / value) });
    }
}

impl Limit {
    /// Whether a request that starts now is beyond the limit, which is then raised.
    fn probe(&mut self, active: usize, now: Instant) -> bool {
        let is_probe = active >= self.requests;
        if is_probe {
            if std::mem::replace(&mut self.is_probe_accepted, true) {
                self.probe_wait = (self.probe_wait / 2).max(PROBE_WAIT.0);
            }
            self.requests = active + 1;
            self.probe_at = now + self.probe_wait;
        }
        is_probe
    }
}

impl Rate {
    /// Plans the next start after one now, and raises the rate: slowly near the measured one, where a refusal is likely.
    fn advance(&mut self, measured: Option<f64>, now: Instant) {
        self.value *= match measured.map(|measured| self.value / measured) {
            None => 1.5,
            Some(..0.9) => 2.0,
            Some(0.9..1.1) => 1.01,
            Some(_) => 1.1,
        };
        let interval = Duration::from_secs_f64(1.0 / self.value);
        // A late start is made up for by one interval at most.
        self.next_start = self.next_start.max(now - interval) + interval;
    }
}

impl Measurement {
    fn count(&mut self, queued: Instant, now: Instant) {
        let last = self.last_start.replace(now);
        // Only starts of requests that had to wait since the last one say something about the server.
        if let Some(last) = last.filter(|last| queued <= *last) {
            self.requests += 1.0;
            self.seconds += (now - last).as_secs_f64();
        }
    }

    fn end(&mut self) {
        let (requests, time) = SHORTEST_MEASUREMENT;
        if self.requests >= requests && self.seconds >= time.as_secs_f64() {
            self.rate = Some(self.requests / self.seconds);
            // Earlier requests count less and less.
            self.requests /= 2.0;
            self.seconds /= 2.0;
        }
    }
}

#[cfg(test)]
mod tests;
