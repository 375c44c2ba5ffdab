//! A heartbeat on a thread of its own: a script that computes without end does not stop it. Must not know what is written
//! besides.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::Instant,
};

use super::{file::Journal, owner::BEAT, write::Lease};

/// Says now and then that the process of a run is there, until it is dropped.
pub(super) struct Beat {
    is_over: Arc<AtomicBool>,
    /// None when the system gives no thread: on the same machine nobody needs the heartbeat.
    thread: Option<Thread>,
}

impl Beat {
    /// Begins; the first one is that of the lease itself.
    pub(super) fn begin(path: &Path, lease: &Lease) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (path, number, owner, over) = (path.to_owned(), lease.number, lease.owner.clone(), is_over.clone());
        let builder = thread::Builder::new().name("heartbeat".into()).stack_size(256 << 10);
        let started = builder.spawn(move || beat(&path, number, &owner, &over));
        Beat { is_over, thread: started.ok().map(|handle| handle.thread().clone()) }
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.iter().for_each(Thread::unpark);
    }
}

fn beat(path: &Path, number: i64, owner: &str, is_over: &AtomicBool) {
    let mut journal = None;
    loop {
        let began = Instant::now();
        while let Some(rest) = BEAT.checked_sub(began.elapsed()) {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            thread::park_timeout(rest);
        }
        // A connection of its own, opened when it is needed: most runs are over by then. What fails now may go well next
        // time, and whoever appends tells of it.
        if journal.is_none() {
            journal = Journal::open(path).ok();
        }
        if let Some(journal) = &journal {
            let _ = journal.beat(number, owner);
        }
    }
}
