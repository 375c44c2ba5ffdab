//! One thread of the pool with its event loop.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    runtime::Builder,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::{LocalSet, spawn_local},
};

use super::turn_tracker::TurnTracker;

#[derive(Clone, Copy, Debug)]
pub struct ThreadOptions {
    pub name: &'static str,
    /// In bytes.
    pub stack_size: usize,
}

/// Dropping it ends the thread after its jobs.
pub(super) struct Thread<J> {
    sender: UnboundedSender<(u64, J)>,
    turns: Arc<TurnTracker>,
    job_count: Arc<AtomicUsize>,
}

impl<J: Send + 'static> Thread<J> {
    pub(super) fn start<R, F>(options: ThreadOptions, begin: impl FnOnce() -> R + Send + 'static) -> io::Result<Self>
    where
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let (sender, receiver) = unbounded_channel();
        let thread = Thread { sender, turns: Arc::new(TurnTracker::new()), job_count: Arc::default() };
        let (turns, job_count) = (thread.turns.clone(), thread.job_count.clone());
        let runtime = Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name(options.name.into()).stack_size(options.stack_size).spawn(move || {
            LocalSet::new().block_on(&runtime, run_jobs(receiver, begin(), &turns, &job_count));
            // Does not wait for blocking calls, whose results are not needed any more.
            runtime.shutdown_background();
        })?;
        Ok(thread)
    }

    pub(super) fn run(&self, number: u64, job: J) {
        self.job_count.fetch_add(1, Ordering::Relaxed);
        // The receiver exists as long as this sender.
        let _ = self.sender.send((number, job));
    }

    pub(super) fn jobs(&self) -> usize {
        self.job_count.load(Ordering::Relaxed)
    }

    pub(super) fn blocking_job(&self, patience: impl Fn(u64) -> Duration) -> Option<u64> {
        self.turns.blocking_job(patience)
    }
}

async fn run_jobs<J, F>(
    mut jobs: UnboundedReceiver<(u64, J)>,
    run: impl Fn(J) -> F,
    turns: &Arc<TurnTracker>,
    job_count: &Arc<AtomicUsize>,
) where
    F: Future<Output = ()> + 'static,
{
    while let Some((number, job)) = jobs.recv().await {
        let (work, turns, job_count) = (run(job), turns.clone(), job_count.clone());
        spawn_local(async move {
            turns.track(number, work).await;
            job_count.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
