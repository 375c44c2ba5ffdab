//! The pace against simulated servers, in simulated time.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

use tokio::time::Instant;

use super::Pace;

#[derive(Clone, Copy, Debug)]
enum ServerLimit {
    /// A bucket of so many tokens that gets so many a second.
    Bucket(f64, f64),
    /// So many requests in each period of so many seconds.
    Period(u32, f64),
    AtOnce(usize),
}

#[derive(Clone, Copy, Debug)]
struct Load {
    jobs: usize,
    /// Mean time of an answer in seconds; answers take 0.4 to 1.6 of it.
    latency: f64,
}

struct Server {
    limit: ServerLimit,
    tokens: f64,
    filled_at: f64,
    period: f64,
    taken: u32,
    active: usize,
}

impl Server {
    fn new(limit: ServerLimit) -> Self {
        let tokens = if let ServerLimit::Bucket(size, _) = limit { size } else { 0.0 };
        Server { limit, tokens, filled_at: 0.0, period: 0.0, taken: 0, active: 0 }
    }

    fn takes(&mut self, now: f64) -> bool {
        let takes = match self.limit {
            ServerLimit::Bucket(size, rate) => {
                self.tokens = (self.tokens + (now - self.filled_at) * rate).min(size);
                self.filled_at = now;
                let takes = self.tokens >= 1.0;
                self.tokens -= f64::from(u8::from(takes));
                takes
            }
            ServerLimit::Period(most, seconds) => {
                if (now / seconds).floor() > self.period {
                    (self.period, self.taken) = ((now / seconds).floor(), 0);
                }
                self.taken += 1;
                self.taken <= most
            }
            ServerLimit::AtOnce(most) => self.active < most,
        };
        self.active += usize::from(takes);
        takes
    }
}

/// How many requests a server with this limit answers at most.
#[allow(clippy::cast_precision_loss)]
fn allowed(limit: ServerLimit, load: Load, seconds: f64) -> f64 {
    let by_jobs = |jobs: usize| jobs as f64 * seconds / load.latency;
    let by_limit = match limit {
        ServerLimit::Bucket(size, rate) => size + rate * seconds,
        ServerLimit::Period(most, period) => f64::from(most) * (seconds / period).ceil(),
        ServerLimit::AtOnce(most) => by_jobs(most),
    };
    by_limit.min(by_jobs(load.jobs))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Arrived(usize),
    Refused(usize),
    Answered(usize),
    Wake,
}

/// Longest time of a request or a refusal on its way.
const NETWORK: f64 = 0.004;

const SEED: u64 = 7;

/// Answered and refused requests when as many jobs as the load has always want to send one.
fn simulate(limit: ServerLimit, load: Load, seconds: f64) -> (usize, usize) {
    let mut generator = fastrand::Rng::with_seed(SEED);
    let mut random = |from: f64, to: f64| from + (to - from) * generator.f64();
    let (base, mut server, mut pace) = (Instant::now(), Server::new(limit), Pace::default());
    let instant = |at: f64| base + Duration::from_secs_f64(at);
    let mut agenda = BinaryHeap::from([Reverse((Duration::ZERO, Happening::Wake))]);
    let mut queue: VecDeque<f64> = vec![0.0; load.jobs].into();
    let (mut starts, mut active, mut answered, mut refused) = (Vec::new(), 0, 0, 0);
    let mut wake_at = None;
    while let Some(Reverse((now, happening))) = agenda.pop().filter(|next| next.0.0.as_secs_f64() <= seconds) {
        let now = now.as_secs_f64();
        let mut later = |after: f64, happening| agenda.push(Reverse((Duration::from_secs_f64(now + after), happening)));
        match happening {
            Happening::Arrived(request) if server.takes(now) => {
                later(load.latency * random(0.4, 1.6), Happening::Answered(request));
            }
            Happening::Arrived(request) => later(random(0.0, NETWORK), Happening::Refused(request)),
            Happening::Refused(request) => {
                pace.refused(&starts[request], instant(now));
                (active, refused) = (active - 1, refused + 1);
                queue.push_back(now);
            }
            Happening::Answered(request) => {
                pace.accepted(&starts[request]);
                server.active -= 1;
                (active, answered) = (active - 1, answered + 1);
                queue.push_back(now);
            }
            Happening::Wake => wake_at = None,
        }
        while let Some(queued) = queue.front().copied() {
            if let Some(at) = pace.wait_until(active, instant(now)) {
                if wake_at.is_none_or(|known| at < known) {
                    wake_at = Some(at);
                    // Timers are late by up to a millisecond.
                    later((at - instant(now)).as_secs_f64() + random(0.0, 0.001), Happening::Wake);
                }
                break;
            }
            queue.pop_front();
            starts.push(pace.start(active, instant(queued), instant(now)));
            active += 1;
            later(random(0.0, NETWORK), Happening::Arrived(starts.len() - 1));
        }
    }
    (answered, refused)
}

/// Fails unless the pace reaches at least `least` of what the server allows, with at most `most` of all requests refused,
/// under several loads.
#[track_caller]
fn assert_share(limit: ServerLimit, least: f64, most: f64) {
    const SECONDS: f64 = 120.0;
    for jobs in [16, 32] {
        for latency in [0.03, 0.3, 1.0, 3.0] {
            let load = Load { jobs, latency };
            let (answered, refused) = simulate(limit, load, SECONDS);
            #[allow(clippy::cast_precision_loss)]
            let (answered, refused) = (answered as f64, refused as f64);
            let (share, refused) = (answered / allowed(limit, load, SECONDS), refused / (answered + refused));
            assert!(
                share >= least && refused <= most,
                "{limit:?}, {load:?}: {share:.2} answered, {refused:.2} refused"
            );
        }
    }
}

#[test]
fn buckets_are_used_up() {
    assert_share(ServerLimit::Bucket(10.0, 10.0), 0.9, 0.2);
    assert_share(ServerLimit::Bucket(5.0, 10.0), 0.9, 0.2);
    assert_share(ServerLimit::Bucket(2.0, 4.0), 0.9, 0.25);
    assert_share(ServerLimit::Bucket(60.0, 10.0), 0.9, 0.2);
    assert_share(ServerLimit::Bucket(60.0, 1.0), 0.9, 0.25);
}

#[test]
fn periods_are_used_up() {
    assert_share(ServerLimit::Period(10, 1.0), 0.8, 0.25);
    assert_share(ServerLimit::Period(2, 0.5), 0.8, 0.25);
    assert_share(ServerLimit::Period(60, 6.0), 0.8, 0.25);
}

#[test]
fn servers_that_limit_requests_at_once_are_kept_busy() {
    assert_share(ServerLimit::AtOnce(8), 0.9, 0.15);
    // Every few seconds one request more is tried, which for long answers is more often than one is accepted.
    assert_share(ServerLimit::AtOnce(1), 0.9, 0.6);
}

#[test]
fn waits_double_while_nothing_is_accepted() {
    let (mut now, mut pace, mut waits) = (Instant::now(), Pace::default(), Vec::new());
    for _ in 0..16 {
        let start = pace.start(0, now, now);
        pace.refused(&start, now);
        let next = pace.wait_until(0, now).unwrap();
        waits.push((next - now).as_millis());
        now = next;
    }
    assert!(waits[0] <= 100 && waits.windows(2).all(|pair| pair[1] >= pair[0]), "{waits:?}");
    assert_eq!(waits.last(), Some(&16_000));
}

#[test]
fn a_raised_limit_is_found() {
    let (mut now, mut pace, mut starts) = (Instant::now(), Pace::default(), Vec::new());
    for active in 0..10 {
        starts.push(pace.start(active, now, now));
    }
    for (active, start) in starts.iter().enumerate().rev() {
        if active < 4 { pace.accepted(start) } else { pace.refused(start, now) }
    }
    assert!(pace.wait_until(3, now).is_none() && pace.wait_until(4, now).is_some(), "four at once");
    for active in 4..50 {
        now = pace.wait_until(active, now).unwrap_or(now);
        let start = pace.start(active, now, now);
        pace.accepted(&start);
    }
    assert!(now - starts[0].at <= Duration::from_secs(10), "{:?}", now - starts[0].at);
}
