//! Tracks which job of a thread is being polled, for other threads that detect blocking jobs.

use std::{
    future::poll_fn,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

pub(super) struct TurnTracker {
    began: Instant,
    /// The number of the job being polled, or 0.
    job: AtomicU64,
    /// When its poll started, in milliseconds after `began`.
    since: AtomicU64,
}

impl TurnTracker {
    pub(super) fn new() -> Self {
        TurnTracker { began: Instant::now(), job: 0.into(), since: 0.into() }
    }

    pub(super) async fn track(&self, job: u64, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        poll_fn(|cx| {
            self.since.store(self.now(), Ordering::Relaxed);
            self.job.store(job, Ordering::Release);
            let polled = work.as_mut().poll(cx);
            self.job.store(0, Ordering::Release);
            polled
        })
        .await;
    }

    /// The job being polled, if that takes longer than `patience` of its number.
    pub(super) fn blocking_job(&self, patience: impl Fn(u64) -> Duration) -> Option<u64> {
        let job = self.job.load(Ordering::Acquire);
        let turn = Duration::from_millis(self.now().saturating_sub(self.since.load(Ordering::Relaxed)));
        (job != 0 && turn > patience(job)).then_some(job)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
