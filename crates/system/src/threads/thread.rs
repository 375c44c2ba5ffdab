//! One thread with its event loop. Must not know the others.

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

use super::pulse::Pulse;

/// What threads are like.
#[derive(Clone, Copy, Debug)]
pub struct Like {
    /// What the system shows.
    pub name: &'static str,
    /// Bytes of stack of each.
    pub stack_size: usize,
}

/// The end of a thread that hands it jobs. The thread ends with it.
pub(super) struct Thread<J> {
    sender: UnboundedSender<(u64, J)>,
    pulse: Arc<Pulse>,
    count: Arc<AtomicUsize>,
}

impl<J: Send + 'static> Thread<J> {
    /// Starts one. `begin` is called there.
    pub(super) fn start<R, F>(like: Like, begin: impl FnOnce() -> R + Send + 'static) -> io::Result<Self>
    where
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let (sender, receiver) = unbounded_channel();
        let thread = Thread { sender, pulse: Arc::new(Pulse::new()), count: Arc::default() };
        let (pulse, count) = (thread.pulse.clone(), thread.count.clone());
        let runtime = Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name(like.name.into()).stack_size(like.stack_size).spawn(move || {
            LocalSet::new().block_on(&runtime, work(receiver, begin(), &pulse, &count));
            // Not to wait for a blocking call that nobody needs any more.
            runtime.shutdown_background();
        })?;
        Ok(thread)
    }

    /// Hands it a job.
    pub(super) fn run(&self, number: u64, job: J) {
        self.count.fetch_add(1, Ordering::Relaxed);
        // It is there as long as this end is.
        let _ = self.sender.send((number, job));
    }

    /// Jobs that it has.
    pub(super) fn jobs(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The job that has held it for longer than `patience` says of it.
    pub(super) fn stuck(&self, patience: impl Fn(u64) -> Duration) -> Option<u64> {
        self.pulse.stuck(patience)
    }
}

async fn work<J, F>(
    mut jobs: UnboundedReceiver<(u64, J)>,
    run: impl Fn(J) -> F,
    pulse: &Arc<Pulse>,
    count: &Arc<AtomicUsize>,
) where
    F: Future<Output = ()> + 'static,
{
    while let Some((number, job)) = jobs.recv().await {
        let (work, pulse, count) = (run(job), pulse.clone(), count.clone());
        spawn_local(async move {
            pulse.during(number, work).await;
            count.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
