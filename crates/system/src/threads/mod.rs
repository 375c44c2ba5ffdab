//! A pool of threads that each run several jobs concurrently, as jobs mostly wait for models and servers.
//!
//! A job stays on its thread, so its future need not be `Send`: JavaScript engines are not.

mod thread;
mod turn_tracker;

use std::{io, time::Duration};

pub use thread::ThreadOptions;
use thread::Thread;

/// A replacement of a blocked thread has an id of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(u64);

/// A job that blocks its thread, which was replaced.
#[derive(Clone, Copy, Debug)]
pub struct BlockingJob {
    pub job: u64,
    /// The replaced thread. It runs none of its other jobs before this one ends.
    pub thread: ThreadId,
}

pub struct Threads<J> {
    threads: Vec<(ThreadId, Thread<J>)>,
    start: Box<dyn Fn() -> io::Result<Thread<J>> + Send + Sync>,
    next: u64,
}

impl<J: Send + 'static> Threads<J> {
    /// Starts a thread for each processor, but at most `max`. If the system provides fewer, those are used.
    ///
    /// `begin` is called on each thread; the function that it returns starts jobs there.
    pub fn start<B, R, F>(options: ThreadOptions, max: usize, begin: B) -> io::Result<Self>
    where
        B: Fn() -> R + Clone + Send + Sync + 'static,
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let start = Box::new(move || Thread::start(options, begin.clone()));
        let mut threads = Threads { threads: Vec::new(), start, next: 0 };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..max.min(processors).max(1) {
            match threads.start_thread() {
                Ok(thread) => threads.threads.push(thread),
                Err(_) if !threads.threads.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(threads)
    }

    fn start_thread(&mut self) -> io::Result<(ThreadId, Thread<J>)> {
        self.next += 1;
        Ok((ThreadId(self.next), (self.start)()?))
    }

    /// Gives a job to the thread with the fewest jobs. `number` identifies the job in [`BlockingJob`]; it must not be 0.
    pub fn run(&self, number: u64, job: J) -> ThreadId {
        let fewest = self.threads.iter().min_by_key(|(_, thread)| thread.jobs());
        // Unreachable: `start` fails without a thread.
        let Some((id, thread)) = fewest else { return ThreadId(0) };
        thread.run(number, job);
        *id
    }

    /// Replaces each thread that a job has blocked for longer than `patience` of the job's number. Other jobs of such a thread may
    /// never run; the caller must start them again.
    pub fn replace_blocked(&mut self, patience: impl Fn(u64) -> Duration) -> io::Result<Vec<BlockingJob>> {
        let mut blocking_jobs = Vec::new();
        for index in 0..self.threads.len() {
            let (id, thread) = &self.threads[index];
            let Some(job) = thread.blocking_job(&patience) else { continue };
            let blocking_job = BlockingJob { job, thread: *id };
            match self.start_thread() {
                Ok(replacement) => self.threads[index] = replacement,
                // The caller must learn of the threads that were replaced. The next call tries this one again.
                Err(_) if !blocking_jobs.is_empty() => break,
                Err(error) => return Err(error),
            }
            blocking_jobs.push(blocking_job);
        }
        Ok(blocking_jobs)
    }
}

#[cfg(test)]
mod tests {
    use std::{rc::Rc, sync::mpsc, time::Instant};

    use super::*;

    const OPTIONS: ThreadOptions = ThreadOptions { name: "test", stack_size: 1 << 20 };

    #[test]
    fn jobs_share_a_thread_and_a_blocked_thread_is_replaced() {
        let (sender, receiver) = mpsc::channel();
        let mut threads = Threads::start(OPTIONS, 1, move || {
            // Not `Send`, like an engine.
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
        let blocking = loop {
            if let Some(blocking) = threads.replace_blocked(|_| Duration::from_millis(100)).unwrap().pop() {
                break blocking;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!((blocking.job, blocking.thread), (3, first));
        assert_ne!(threads.run(4, 20), first);
        assert_eq!(receiver.recv(), Ok(20));
    }
}
