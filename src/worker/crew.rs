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
    beneath::forget_old,
    engine::{self, Job, Place, Shared},
    options::RunOptions,
    outbox::{Ended, Inbox, Outbox},
    tally::AtWork,
};
use crate::{
    script::THREAD_STACK_SIZE,
    session::{LateRun, WatchedRun},
    threads::{Like, ThreadId, Threads},
};

/// How long a run may block its thread. Interruptible scripts end earlier, and lmthing itself may take long for a large
/// answer.
const STUCK: Duration = Duration::from_secs(60);

/// The same for a run that has passed a time limit.
const STUCK_LATE: Duration = Duration::from_millis(100);

const TICK: Duration = Duration::from_millis(200);

/// How long an engine whose attempt was lost waits for the next one. Restate starts that after some seconds.
const KEPT: Duration = Duration::from_secs(60);

const FORGETTING: Duration = Duration::from_secs(3600);

pub(crate) struct Crew {
    threads: Mutex<Threads<(u64, Job)>>,
    places: Arc<Semaphore>,
    journal: PathBuf,
    next: AtomicU64,
    running: Mutex<HashMap<u64, Running>>,
    changed: Arc<Notify>,
    /// Engines whose attempts were lost, by the name of the run.
    left: Mutex<HashMap<String, (Instant, Engine)>>,
}

pub(super) struct Engine {
    pub(super) inbox: Inbox,
    /// The other end is dropped when the run is over.
    pub(super) over: watch::Receiver<()>,
    #[allow(dead_code, reason = "it counts until it is dropped")]
    pub(super) at_work: AtWork,
}

#[derive(Clone)]
struct Running {
    run: String,
    place: Place,
    thread: ThreadId,
    outbox: Arc<Outbox>,
    over: watch::Receiver<()>,
    watched: WatchedRun,
}

impl Crew {
    pub(crate) fn start(options: RunOptions) -> io::Result<Arc<Self>> {
        let places = Arc::new(Semaphore::new(options.jobs));
        let shared = Arc::new(Shared { options, servers: Arc::default() });
        let like = Like { name: "lmthing-run", stack_size: THREAD_STACK_SIZE };
        let (jobs, journal) = (shared.options.jobs, shared.options.journal.clone());
        let threads = Threads::start(like, jobs, move || {
            let shared = shared.clone();
            move |(_, job)| {
                let shared = shared.clone();
                async move { engine::run(&shared, job).await }
            }
        })?;
        Ok(Arc::new(Crew {
            threads: Mutex::new(threads),
            places,
            journal,
            next: AtomicU64::new(1),
            running: Mutex::default(),
            left: Mutex::default(),
            changed: Arc::default(),
        }))
    }

    pub(super) async fn place(&self) -> Place {
        let permit = self.places.clone().acquire_owned().await;
        Place::new(permit.expect("the places are never closed"))
    }

    /// Resolves when the engine of an earlier attempt has ended or was detached. `None` if no engine runs this run.
    pub(super) fn earlier_changes(&self, run: &str) -> Option<impl Future<Output = ()> + use<>> {
        let changed = self.one_is_left();
        let mut over = self.at_work(run)?.over.clone();
        Some(async move {
            tokio::select! {
                _ = over.changed() => {}
                () = changed => {}
            }
        })
    }

    /// Ends the engine of an earlier attempt, even if that attempt still waits for it.
    pub(super) fn stop(&self, run: &str) {
        if let Some(earlier) = self.at_work(run) {
            earlier.outbox.end(Ended::TryAgain("another attempt goes on with the run".to_owned()));
        }
    }

    fn at_work(&self, run: &str) -> Option<Running> {
        let running = self.running();
        running.values().find(|running| running.run == run && running.over.has_changed().is_ok()).cloned()
    }

    /// Starts a run on a thread. The receiver closes when the run is over.
    pub(super) fn run(&self, mut job: Job) -> watch::Receiver<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (told, over) = watch::channel(());
        job.over = Some(told);
        let (run, outbox, place) = (job.run.clone(), job.outbox.clone(), job.place.clone());
        let watched = job.watched.clone();
        let thread = self.threads().run(number, (number, job));
        let mut running = self.running();
        running.retain(|_, running| running.over.has_changed().is_ok());
        running.insert(number, Running { run, place, thread, outbox, over: over.clone(), watched });
        over
    }

    /// Keeps an engine for the next attempt of its run. It finishes its step meanwhile.
    pub(super) fn leave(&self, run: &str, engine: Engine) {
        self.left().insert(run.to_owned(), (Instant::now(), engine));
        self.changed.notify_waiters();
    }

    pub(super) fn has_left(&self, run: &str) -> bool {
        self.left().contains_key(run)
    }

    /// Resolves when the next engine is detached, whatever its run.
    pub(super) fn one_is_left(&self) -> impl Future<Output = ()> + use<> {
        self.changed.clone().notified_owned()
    }

    /// Takes the detached engine of a run if its history matches `stored`; drops it otherwise.
    pub(super) fn taken_over(&self, run: &str, stored: &[Entry]) -> Option<Engine> {
        let (_, mut engine) = self.left().remove(run)?;
        engine.inbox.is_taken_over(stored).then_some(engine)
    }

    /// Replaces blocked threads, ends late runs and deletes old ones. Never returns.
    pub(crate) async fn watch(&self) {
        let mut forgot: Option<Instant> = None;
        loop {
            if forgot.is_none_or(|forgot| forgot.elapsed() >= FORGETTING) {
                forgot = Some(Instant::now());
                let journal = self.journal.clone();
                tokio::task::spawn_blocking(move || forget_old(&journal));
            }
            tokio::time::sleep(TICK).await;
            self.left().retain(|_, (since, _)| since.elapsed() < KEPT);
            let late = self.late();
            let patience = |job| if late.contains_key(&job) { STUCK_LATE } else { STUCK };
            // On an error there is no replacement thread, and the others continue.
            let stuck = self.threads().replace_stuck(patience).unwrap_or_default();
            for (number, late) in late {
                let Some(lost) = self.running().remove(&number) else { continue };
                lost.outbox.end(Ended::ForGood("limit", late.message));
                lost.place.give_back();
            }
            for stuck in stuck {
                let mut running = self.running();
                let lost: Vec<u64> = running
                    .iter()
                    .filter(|(_, running)| running.thread == stuck.thread)
                    .map(|(number, _)| *number)
                    .collect();
                for number in lost {
                    let Some(lost) = running.remove(&number) else { continue };
                    lost.outbox.end(if number == stuck.job {
                        let why = "the script computed without a pause and could not be interrupted";
                        Ended::ForGood("script", why.to_owned())
                    } else {
                        Ended::TryAgain("another run held the thread of this one".to_owned())
                    });
                    lost.place.give_back();
                }
            }
        }
    }

    fn late(&self) -> HashMap<u64, LateRun> {
        let is_late = |(number, running): (&u64, &Running)| Some((*number, running.watched.late()?));
        self.running().iter().filter_map(is_late).collect()
    }

    fn left(&self) -> MutexGuard<'_, HashMap<String, (Instant, Engine)>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn threads(&self) -> MutexGuard<'_, Threads<(u64, Job)>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<u64, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
