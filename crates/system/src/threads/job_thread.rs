//! One thread that drives several jobs in turns.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::spawn_local,
};

use super::{
    event_loop::{EventLoop, ThreadOptions},
    turn_clock::TurnClock,
};

/// The handle of a thread, which ends when this is dropped.
pub(super) struct JobThread<J> {
    sender: UnboundedSender<(u64, J)>,
    clock: Arc<TurnClock>,
    count: Arc<AtomicUsize>,
}

impl<J: Send + 'static> JobThread<J> {
    /// `begin` is called on the new thread.
    pub(super) fn start<R, F>(options: ThreadOptions, begin: impl FnOnce() -> R + Send + 'static) -> io::Result<Self>
    where
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let (sender, receiver) = unbounded_channel();
        let thread = JobThread { sender, clock: Arc::new(TurnClock::new()), count: Arc::default() };
        let (clock, count) = (thread.clock.clone(), thread.count.clone());
        let event_loop = EventLoop::new()?;
        options.spawn(move || event_loop.run_local(run_jobs(receiver, begin(), &clock, &count)))?;
        Ok(thread)
    }

    pub(super) fn run(&self, number: u64, job: J) {
        self.count.fetch_add(1, Ordering::Relaxed);
        // The thread receives as long as this sender exists.
        let _ = self.sender.send((number, job));
    }

    pub(super) fn job_count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The job that has blocked the thread for longer than its limit.
    pub(super) fn blocking_job(&self, limit: impl Fn(u64) -> Duration) -> Option<u64> {
        self.clock.blocking_job(limit)
    }
}

async fn run_jobs<J, F>(
    mut jobs: UnboundedReceiver<(u64, J)>,
    run: impl Fn(J) -> F,
    clock: &Arc<TurnClock>,
    count: &Arc<AtomicUsize>,
) where
    F: Future<Output = ()> + 'static,
{
    while let Some((number, job)) = jobs.recv().await {
        let (work, clock, count) = (run(job), clock.clone(), count.clone());
        spawn_local(async move {
            clock.record(number, work).await;
            count.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
