//! The heartbeat of a run, on its own thread: a script that computes without end does not stop it.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::Instant,
};

use super::{file::Journal, owner::HEARTBEAT_INTERVAL, write::Lease};

pub(super) struct Heartbeat {
    is_over: Arc<AtomicBool>,
    /// `None` if the system cannot start a thread: processes of the same machine do not need the heartbeat.
    thread: Option<Thread>,
}

impl Heartbeat {
    /// Starts the heartbeat; creating the lease was the first one.
    pub(super) fn begin(path: &Path, lease: &Lease) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (path, number, owner, over) = (path.to_owned(), lease.number, lease.owner.clone(), is_over.clone());
        let builder = thread::Builder::new().name("heartbeat".into()).stack_size(256 << 10);
        let started = builder.spawn(move || beat(&path, number, &owner, &over));
        Heartbeat { is_over, thread: started.ok().map(|handle| handle.thread().clone()) }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.iter().for_each(Thread::unpark);
    }
}

fn beat(path: &Path, number: i64, owner: &str, is_over: &AtomicBool) {
    let mut journal = None;
    loop {
        let began = Instant::now();
        while let Some(rest) = HEARTBEAT_INTERVAL.checked_sub(began.elapsed()) {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            thread::park_timeout(rest);
        }
        // A separate connection, opened on first use, as most runs end earlier. A failure is ignored: the next attempt may
        // succeed, and appending reports it.
        if journal.is_none() {
            journal = Journal::open(path).ok();
        }
        if let Some(journal) = &journal {
            let _ = journal.beat(number, owner);
        }
    }
}
