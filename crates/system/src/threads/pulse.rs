//! What a thread is doing, for whoever looks from outside.

use std::{
    future::poll_fn,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The job that has its turn, and since when.
pub(super) struct Pulse {
    began: Instant,
    /// 0 when none has.
    job: AtomicU64,
    /// In milliseconds.
    since: AtomicU64,
}

impl Pulse {
    pub(super) fn new() -> Self {
        Pulse { began: Instant::now(), job: 0.into(), since: 0.into() }
    }

    /// Drives a job, and tells of each of its turns.
    pub(super) async fn during(&self, job: u64, work: impl Future<Output = ()>) {
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

    /// The job that has had its turn for longer than `patience` says of it.
    pub(super) fn stuck(&self, patience: impl Fn(u64) -> Duration) -> Option<u64> {
        let job = self.job.load(Ordering::Acquire);
        let turn = Duration::from_millis(self.now().saturating_sub(self.since.load(Ordering::Relaxed)));
        (job != 0 && turn > patience(job)).then_some(job)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
