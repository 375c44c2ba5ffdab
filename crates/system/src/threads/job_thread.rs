//! One thread that drives several jobs in turns.

use std::{
    collections::{HashSet, VecDeque},
    io,
    rc::Rc,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, task::spawn_local};

use super::{
    event_loop::{EventLoop, ThreadOptions},
    turn_clock::TurnClock,
};

/// The handle of a thread, which ends when this is dropped.
pub(super) struct JobThread<J>(Arc<Shared<J>>);

struct Shared<J> {
    jobs: Mutex<Jobs<J>>,
    changed: Notify,
    clock: TurnClock,
}

struct Jobs<J> {
    /// Not begun: another thread can take them over.
    queued: VecDeque<(u64, J)>,
    begun: HashSet<u64>,
    is_closed: bool,
}

impl<J: Send + 'static> JobThread<J> {
    /// `begin` is called on the new thread.
    pub(super) fn start<R, F>(options: ThreadOptions, begin: impl FnOnce() -> R + Send + 'static) -> io::Result<Self>
    where
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let jobs = Jobs { queued: VecDeque::new(), begun: HashSet::new(), is_closed: false };
        let shared = Arc::new(Shared { jobs: Mutex::new(jobs), changed: Notify::new(), clock: TurnClock::new() });
        let event_loop = EventLoop::new()?;
        let of_thread = shared.clone();
        options.spawn(move || event_loop.run_local(run_jobs(of_thread, begin())))?;
        Ok(JobThread(shared))
    }

    pub(super) fn run(&self, number: u64, job: J) {
        self.0.jobs().queued.push_back((number, job));
        self.0.changed.notify_one();
    }

    pub(super) fn job_count(&self) -> usize {
        let jobs = self.0.jobs();
        jobs.queued.len() + jobs.begun.len()
    }

    pub(super) fn has_queued(&self) -> bool {
        !self.0.jobs().queued.is_empty()
    }

    /// Takes away the jobs that have not begun.
    pub(super) fn take_queued(&self) -> VecDeque<(u64, J)> {
        std::mem::take(&mut self.0.jobs().queued)
    }

    pub(super) fn begun(&self) -> Vec<u64> {
        self.0.jobs().begun.iter().copied().collect()
    }

    /// The job whose current turn is longer than its limit.
    pub(super) fn blocking_job(&self, limit: impl Fn(u64) -> Duration) -> Option<u64> {
        self.0.clock.blocking_job(limit)
    }
}

impl<J> Drop for JobThread<J> {
    fn drop(&mut self) {
        self.0.jobs().is_closed = true;
        self.0.changed.notify_one();
    }
}

impl<J> Shared<J> {
    fn jobs(&self) -> MutexGuard<'_, Jobs<J>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a job is queued, or until the handle is dropped. Returns the number of queued jobs.
    async fn queued(&self) -> Option<usize> {
        loop {
            {
                let jobs = self.jobs();
                if jobs.is_closed {
                    return None;
                }
                if !jobs.queued.is_empty() {
                    return Some(jobs.queued.len());
                }
            }
            self.changed.notified().await;
        }
    }

    /// Takes a job, which counts as begun from now on.
    fn begin(&self) -> Option<(u64, J)> {
        let mut jobs = self.jobs();
        let (number, job) = jobs.queued.pop_front()?;
        jobs.begun.insert(number);
        Some((number, job))
    }
}

async fn run_jobs<J: 'static, F>(shared: Arc<Shared<J>>, run: impl Fn(J) -> F + 'static)
where
    F: Future<Output = ()> + 'static,
{
    let run = Rc::new(run);
    while let Some(count) = shared.queued().await {
        for _ in 0..count {
            let (run, shared) = (run.clone(), shared.clone());
            spawn_local(async move {
                // Taken at the first turn: until then another thread can take the job over.
                let Some((number, job)) = shared.begin() else { return };
                shared.clock.record(number, run(job)).await;
                shared.jobs().begun.remove(&number);
            });
        }
        tokio::task::yield_now().await;
    }
}
