//! Threads of which each drives several jobs at once, as jobs mostly wait for models and servers.
//!
//! Owns: which thread a job goes to, and who holds a thread without giving the others a turn. Must not know what a job is, nor
//! what comes of it: whoever runs it tells that itself.
//!
//! A job stays on its thread, so that what drives it need not be `Send`: an engine of JavaScript with its event loop.

mod pulse;
mod thread;

use std::{io, time::Duration};

pub use thread::Like;
use thread::Thread;

/// One of the threads; another one when a stuck one has been replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(u64);

/// A job that holds its thread, which was replaced.
#[derive(Clone, Copy, Debug)]
pub struct Stuck {
    /// The number of the job.
    pub job: u64,
    /// Its thread, which has all of its other jobs, but runs none of them before this one ends.
    pub thread: ThreadId,
}

/// Some threads, and how each begins.
pub struct Threads<J> {
    threads: Vec<(ThreadId, Thread<J>)>,
    start: Box<dyn Fn() -> io::Result<Thread<J>> + Send + Sync>,
    next: u64,
}

impl<J: Send + 'static> Threads<J> {
    /// Starts as many as there are processors, and `most` at most.
    ///
    /// `begin` is called on each thread, and gives what makes a future of a job; both stay there.
    ///
    /// # Errors
    /// The system has none left.
    pub fn start<B, R, F>(like: Like, most: usize, begin: B) -> io::Result<Self>
    where
        B: Fn() -> R + Clone + Send + Sync + 'static,
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let start = Box::new(move || Thread::start(like, begin.clone()));
        let mut threads = Threads { threads: Vec::new(), start, next: 0 };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..most.min(processors).max(1) {
            match threads.one_more() {
                Ok(thread) => threads.threads.push(thread),
                // The others do its work.
                Err(_) if !threads.threads.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(threads)
    }

    fn one_more(&mut self) -> io::Result<(ThreadId, Thread<J>)> {
        self.next += 1;
        Ok((ThreadId(self.next), (self.start)()?))
    }

    /// Hands a job to the thread that has the fewest. `number` is what it is called when it is stuck: not 0.
    pub fn run(&self, number: u64, job: J) -> ThreadId {
        let fewest = self.threads.iter().min_by_key(|(_, thread)| thread.jobs());
        // There is always one.
        let Some((id, thread)) = fewest else { return ThreadId(0) };
        thread.run(number, job);
        *id
    }

    /// Replaces each thread that a job has held for longer than `patience` says of it. What else such a thread had is not run before
    /// that job ends, if ever: it is the caller's to run it again.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn replace_stuck(&mut self, patience: impl Fn(u64) -> Duration) -> io::Result<Vec<Stuck>> {
        let mut found = Vec::new();
        for index in 0..self.threads.len() {
            let (thread, one) = &self.threads[index];
            let Some(job) = one.stuck(&patience) else { continue };
            let stuck = Stuck { job, thread: *thread };
            match self.one_more() {
                Ok(another) => self.threads[index] = another,
                // Those that were replaced have to be told of; this one is looked at again.
                Err(_) if !found.is_empty() => break,
                Err(error) => return Err(error),
            }
            found.push(stuck);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::{rc::Rc, sync::mpsc, time::Instant};

    use super::*;

    const LIKE: Like = Like { name: "test", stack_size: 1 << 20 };

    #[test]
    fn jobs_share_threads_and_one_that_holds_its_thread_is_found() {
        let (sender, receiver) = mpsc::channel();
        let mut threads = Threads::start(LIKE, 1, move || {
            // Not `Send`, as an engine.
            let sender = Rc::new(sender.clone());
            move |millis: u64| {
                let sender = sender.clone();
                async move {
                    if millis > 1000 {
                        std::thread::sleep(Duration::from_millis(millis));
                    }
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    sender.send(millis).unwrap();
                }
            }
        })
        .unwrap();
        let began = Instant::now();
        let first = threads.run(1, 200);
        assert_eq!(threads.run(2, 10), first);
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(10), Ok(200)));
        assert!(began.elapsed() < Duration::from_secs(5));
        threads.run(3, 3000);
        let stuck = loop {
            if let Some(stuck) = threads.replace_stuck(|_| Duration::from_millis(100)).unwrap().pop() {
                break stuck;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!((stuck.job, stuck.thread), (3, first));
        assert_ne!(threads.run(4, 20), first);
        assert_eq!(receiver.recv(), Ok(20));
    }
}
