//! The engines of a worker: the threads they run on, the slots for runs, and engines detached from a lost attempt.

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{Notify, Semaphore, watch};

use super::{
    batch::Entry,
    counters::RunningInvocation,
    engine::{self, EngineContext, Job, RunSlot},
    local_journal::delete_old_runs,
    options::RunOptions,
    outbox::{AttemptEnd, Inbox, Outbox},
};
use lmthing_engine::session::{LateRun, WatchedRun};
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_system::threads::{BlockedJob, ThreadOptions, ThreadPool};

/// How long a run may block its thread before the thread is replaced. Interruptible scripts end earlier, and lmthing itself
/// may take long for a large answer.
const BLOCKED_TIMEOUT: Duration = Duration::from_secs(60);

/// After how long a blocked thread is given up, with the runs that have begun on it.
const STUCK_TIMEOUT: Duration = Duration::from_secs(600);

/// The same for a run that has passed a time limit.
const LATE_BLOCKED_TIMEOUT: Duration = Duration::from_millis(100);

const SUPERVISION_INTERVAL: Duration = Duration::from_millis(200);

/// How long an engine whose attempt was lost waits for the next one. Restate starts that after some seconds.
const DETACHED_LIFETIME: Duration = Duration::from_secs(60);

const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);

pub struct Engines {
    threads: Mutex<ThreadPool<(u64, Job)>>,
    slots: Arc<Semaphore>,
    journal: PathBuf,
    next: AtomicU64,
    running: Mutex<HashMap<u64, Running>>,
    changed: Arc<Notify>,
    /// Engines whose attempts were lost, by the name of the run.
    detached: Mutex<HashMap<String, (Instant, EngineHandle)>>,
}

pub(super) struct EngineHandle {
    pub(super) inbox: Inbox,
    /// The other end is dropped when the run is over.
    pub(super) over: watch::Receiver<()>,
    #[allow(dead_code, reason = "it counts until it is dropped")]
    pub(super) running: RunningInvocation,
}

#[derive(Clone)]
struct Running {
    run: String,
    slot: RunSlot,
    outbox: Arc<Outbox>,
    over: watch::Receiver<()>,
    watched: WatchedRun,
}

impl Engines {
    pub fn start(options: RunOptions) -> io::Result<Arc<Self>> {
        let slots = Arc::new(Semaphore::new(options.jobs));
        let context = Arc::new(EngineContext { options, servers: Arc::default() });
        let thread_options = ThreadOptions { name: "lmthing-run", stack_size: THREAD_STACK_SIZE };
        let (jobs, journal) = (context.options.jobs, context.options.journal.clone());
        let threads = ThreadPool::start(thread_options, jobs, move || {
            let context = context.clone();
            move |(_, job)| {
                let context = context.clone();
                async move { engine::run(&context, job).await }
            }
        })?;
        Ok(Arc::new(Engines {
            threads: Mutex::new(threads),
            slots,
            journal,
            next: AtomicU64::new(1),
            running: Mutex::default(),
            detached: Mutex::default(),
            changed: Arc::default(),
        }))
    }

    pub(super) async fn acquire_slot(&self) -> RunSlot {
        let permit = self.slots.clone().acquire_owned().await;
        RunSlot::new(permit.expect("the places are never closed"))
    }

    /// Resolves when the engine of an earlier attempt has ended or was detached. `None` if no engine runs this run.
    pub(super) fn earlier_engine_changed(&self, run: &str) -> Option<impl Future<Output = ()> + use<>> {
        let changed = self.next_detached();
        let mut over = self.running_engine(run)?.over.clone();
        Some(async move {
            tokio::select! {
                _ = over.changed() => {}
                () = changed => {}
            }
        })
    }

    /// Ends the engine of an earlier attempt, even if that attempt still waits for it.
    pub(super) fn stop(&self, run: &str) {
        if let Some(earlier) = self.running_engine(run) {
            earlier.outbox.end(AttemptEnd::Retry("another attempt goes on with the run".to_owned()));
        }
    }

    fn running_engine(&self, run: &str) -> Option<Running> {
        let running = self.running();
        running.values().find(|running| running.run == run && running.over.has_changed().is_ok()).cloned()
    }

    /// Starts a run on a thread. The receiver closes when the run is over.
    pub(super) fn run(&self, mut job: Job) -> watch::Receiver<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, over) = watch::channel(());
        job.over = Some(sender);
        let (run, outbox, slot) = (job.run.clone(), job.outbox.clone(), job.slot.clone());
        let watched = job.watched.clone();
        self.threads().run(number, (number, job));
        let mut running = self.running();
        running.retain(|_, running| running.over.has_changed().is_ok());
        running.insert(number, Running { run, slot, outbox, over: over.clone(), watched });
        over
    }

    /// Keeps an engine for the next attempt of its run. It finishes its step meanwhile.
    pub(super) fn detach(&self, run: &str, engine: EngineHandle) {
        self.detached().insert(run.to_owned(), (Instant::now(), engine));
        self.changed.notify_waiters();
    }

    pub(super) fn has_detached(&self, run: &str) -> bool {
        self.detached().contains_key(run)
    }

    /// Resolves when the next engine is detached, whatever its run.
    pub(super) fn next_detached(&self) -> impl Future<Output = ()> + use<> {
        self.changed.clone().notified_owned()
    }

    /// Takes the detached engine of a run if its history matches `stored`; drops it otherwise.
    pub(super) fn take_over(&self, run: &str, stored: &[Entry]) -> Option<EngineHandle> {
        let (_, mut engine) = self.detached().remove(run)?;
        engine.inbox.take_over(stored).then_some(engine)
    }

    /// Replaces blocked threads, ends late runs and deletes old ones. Never returns.
    pub async fn supervise(&self) {
        let mut cleaned_up: Option<Instant> = None;
        loop {
            if cleaned_up.is_none_or(|cleaned_up| cleaned_up.elapsed() >= CLEANUP_INTERVAL) {
                cleaned_up = Some(Instant::now());
                let journal = self.journal.clone();
                tokio::task::spawn_blocking(move || delete_old_runs(&journal));
            }
            tokio::time::sleep(SUPERVISION_INTERVAL).await;
            self.detached().retain(|_, (since, _)| since.elapsed() < DETACHED_LIFETIME);
            let late = self.late();
            let patience = |job| if late.contains_key(&job) { LATE_BLOCKED_TIMEOUT } else { BLOCKED_TIMEOUT };
            // Runs that have begun stay on their thread, as their requests were paid. On an error there is no replacement
            // for a blocked thread, and the others continue.
            let _ = self.threads().relieve(patience);
            for (number, late) in late {
                let Some(lost) = self.running().remove(&number) else { continue };
                lost.outbox.end(AttemptEnd::Fatal("limit", late.message));
                lost.slot.release();
            }
            self.give_up_stuck();
        }
    }

    /// Ends runs whose thread is blocked for ever. The server repeats those that only waited for the thread.
    fn give_up_stuck(&self) {
        let stuck = self.threads().blocked_jobs(STUCK_TIMEOUT);
        for BlockedJob { number, is_blocking } in stuck {
            let Some(lost) = self.running().remove(&number) else { continue };
            let _ = lost.watched.expire();
            lost.outbox.end(if is_blocking {
                let why = "the script computed without a pause and could not be interrupted";
                AttemptEnd::Fatal("script", why.to_owned())
            } else {
                AttemptEnd::Retry("another run held the thread of this one".to_owned())
            });
            lost.slot.release();
        }
    }

    fn late(&self) -> HashMap<u64, LateRun> {
        let is_late = |(number, running): (&u64, &Running)| Some((*number, running.watched.late()?));
        self.running().iter().filter_map(is_late).collect()
    }

    fn detached(&self) -> MutexGuard<'_, HashMap<String, (Instant, EngineHandle)>> {
        self.detached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn threads(&self) -> MutexGuard<'_, ThreadPool<(u64, Job)>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<u64, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
