//! Writes a run on a thread of its own: neither the disk nor a locked file delays the event loop.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
};

use tokio::sync::oneshot;

use super::{
    error::JournalError,
    file::Journal,
    lock::LockNotice,
    owner::HEARTBEAT_INTERVAL,
    write::{Batch, Beginning, Lease, RunRow},
};
use lmthing_base::checkpoint::StoreError;

/// Bytes that may wait to be written. Beyond that the sender waits, so that a locked file cannot use up the memory.
const MAX_WAITING: usize = 64 << 20;

/// Enough for SQLite and for parsing entries.
const STACK_SIZE: usize = 1 << 20;

/// The sending half. The thread writes everything that was sent, and ends when all clones are dropped.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    jobs: Sender<Job>,
    waiting: Arc<Waiting>,
    error: Arc<OnceLock<StoreError>>,
}

#[derive(Debug)]
struct Job {
    /// `None` only waits for the jobs before.
    work: Option<(Batch, RunRow)>,
    done: oneshot::Sender<Result<(), StoreError>>,
    _share: Share,
}

/// The result of a job.
pub(super) struct Written {
    done: oneshot::Receiver<Result<(), StoreError>>,
    error: Arc<OnceLock<StoreError>>,
}

impl Writer {
    /// Starts the thread, which first enters the run into the journal. A failure is the result of all following jobs.
    pub(super) fn start(journal: Journal, beginning: Beginning, lock: LockNotice) -> Self {
        let (sender, receiver) = channel();
        let error = Arc::new(OnceLock::new());
        let (path, failed) = (journal.path().to_owned(), error.clone());
        let work = move || {
            lock.wait_on_this_thread();
            write_jobs(&journal, &beginning, &receiver, &failed);
        };
        if let Err(problem) = spawn("journal", work) {
            let _ = error.set(JournalError::without_thread(&path, &problem).into());
        }
        Writer { jobs: sender, waiting: Arc::default(), error }
    }

    /// Writes a batch after all earlier ones.
    pub(super) fn write(&self, batch: Batch, figures: RunRow) -> Written {
        let share = Waiting::share(&self.waiting, batch.size());
        self.send(Some((batch, figures)), share)
    }

    /// Resolves once everything before is written.
    pub(super) fn written(&self) -> Written {
        self.send(None, Share(self.waiting.clone(), 0))
    }

    /// The failure after which nothing more is written.
    pub(super) fn error(&self) -> Option<&StoreError> {
        self.error.get()
    }

    fn send(&self, work: Option<(Batch, RunRow)>, share: Share) -> Written {
        let (done, receiver) = oneshot::channel();
        // Without a thread `done` is dropped, which `Written` reports.
        let _ = self.jobs.send(Job { work, done, _share: share });
        Written { done: receiver, error: self.error.clone() }
    }
}

impl Written {
    pub(super) async fn result(self) -> Result<(), StoreError> {
        self.done.await.unwrap_or_else(|_| Err(ended(&self.error)))
    }

    /// Blocks the thread.
    pub(super) fn wait(self) -> Result<(), StoreError> {
        self.done.blocking_recv().unwrap_or_else(|_| Err(ended(&self.error)))
    }
}

fn ended(error: &OnceLock<StoreError>) -> StoreError {
    let unexpected = || StoreError { message: "the thread that writes the journal has ended".to_owned(), hint: None };
    error.get().cloned().unwrap_or_else(unexpected)
}

/// Opens a journal on a thread of its own, which waits as long as the file is locked.
pub(super) async fn open(
    work: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
    (path, lock): (&std::path::Path, LockNotice),
) -> Result<Journal, JournalError> {
    let (sender, opened) = oneshot::channel();
    let work = move || {
        lock.wait_on_this_thread();
        let _ = sender.send(work());
    };
    let started = spawn("open journal", work).map_err(|problem| JournalError::without_thread(path, &problem));
    started?;
    opened.await.unwrap_or_else(|_| Err(JournalError::new("the thread that opens the journal has ended")))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE).spawn(work).map(drop)
}

fn write_jobs(journal: &Journal, beginning: &Beginning, jobs: &Receiver<Job>, error: &OnceLock<StoreError>) {
    let mut lease = journal.enter(beginning).map_err(StoreError::from);
    let _ = lease.as_ref().map_err(|problem| error.set(problem.clone()));
    loop {
        match jobs.recv_timeout(HEARTBEAT_INTERVAL) {
            Ok(Job { work, done, .. }) => {
                let written = write(journal, &mut lease, work);
                if let Err(problem) = &written {
                    lease = Err(problem.clone());
                    let _ = error.set(problem.clone());
                }
                let _ = done.send(written);
            }
            Err(RecvTimeoutError::Timeout) => {
                // A failure is ignored: the next attempt may succeed, and writing reports it.
                let _ = lease.as_ref().map(|lease| journal.beat(lease));
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn write(
    journal: &Journal,
    lease: &mut Result<Lease, StoreError>,
    work: Option<(Batch, RunRow)>,
) -> Result<(), StoreError> {
    let lease = lease.as_mut().map_err(|problem| problem.clone())?;
    let Some((batch, figures)) = work else { return Ok(()) };
    Ok(journal.write(lease, &batch, &figures)?)
}

/// Counts the bytes of jobs that are not written yet.
#[derive(Debug, Default)]
struct Waiting {
    bytes: Mutex<usize>,
    less: Condvar,
}

/// The bytes of one job, until it is dropped.
#[derive(Debug)]
struct Share(Arc<Waiting>, usize);

impl Waiting {
    /// Waits until there is room. A job that is larger than all room waits for the ones before.
    fn share(waiting: &Arc<Self>, size: usize) -> Share {
        let has_no_room = |bytes: &mut usize| *bytes > 0 && *bytes + size > MAX_WAITING;
        let bytes = waiting.less.wait_while(waiting.bytes(), has_no_room);
        *bytes.unwrap_or_else(PoisonError::into_inner) += size;
        Share(waiting.clone(), size)
    }

    fn bytes(&self) -> MutexGuard<'_, usize> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.0.bytes() -= self.1;
        self.0.less.notify_all();
    }
}
