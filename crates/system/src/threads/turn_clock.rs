//! Which job of a thread is being polled, and since when; read from other threads.

use std::{
    future::poll_fn,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

pub(super) struct TurnClock {
    created: Instant,
    /// 0 between turns.
    job: AtomicU64,
    /// When the turn began, in milliseconds after `created`.
    turn_began: AtomicU64,
}

impl TurnClock {
    pub(super) fn new() -> Self {
        TurnClock { created: Instant::now(), job: 0.into(), turn_began: 0.into() }
    }

    /// Drives a job and records each of its turns.
    pub(super) async fn record(&self, job: u64, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        poll_fn(|cx| {
            self.turn_began.store(self.now(), Ordering::Relaxed);
            self.job.store(job, Ordering::Release);
            let polled = work.as_mut().poll(cx);
            self.job.store(0, Ordering::Release);
            polled
        })
        .await;
    }

    /// The job whose current turn is longer than its limit.
    pub(super) fn blocking_job(&self, limit: impl Fn(u64) -> Duration) -> Option<u64> {
        let job = self.job.load(Ordering::Acquire);
        let turn = Duration::from_millis(self.now().saturating_sub(self.turn_began.load(Ordering::Relaxed)));
        (job != 0 && turn > limit(job)).then_some(job)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
