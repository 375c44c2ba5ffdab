//! Starting threads, and the event loop of a thread.

use std::{io, thread};

use tokio::{
    runtime::{Builder, Runtime},
    task::LocalSet,
};

/// How a thread is started.
#[derive(Clone, Copy, Debug)]
pub struct ThreadOptions {
    /// The name that the system shows.
    pub name: &'static str,
    /// Bytes of stack.
    pub stack_size: usize,
}

impl ThreadOptions {
    /// Starts a detached thread.
    pub fn spawn(self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        thread::Builder::new().name(self.name.into()).stack_size(self.stack_size).spawn(work).map(drop)
    }
}

/// An event loop for one thread.
pub struct EventLoop(Runtime);

impl EventLoop {
    pub fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build().map(EventLoop)
    }

    /// Runs a future to its end. Does not wait for blocking calls that are still running then, such as DNS lookups
    /// or reads of standard input.
    pub fn run<T>(self, work: impl Future<Output = T>) -> T {
        let result = self.0.block_on(work);
        self.0.shutdown_background();
        result
    }

    /// The same for a future that calls [`spawn_local`](tokio::task::spawn_local).
    pub(super) fn run_local<T>(self, work: impl Future<Output = T>) -> T {
        let result = LocalSet::new().block_on(&self.0, work);
        self.0.shutdown_background();
        result
    }
}
