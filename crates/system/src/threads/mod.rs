//! A pool of threads, each of which drives several jobs that mostly wait for models and servers.
//!
//! A job stays on its thread, so that its future need not be `Send`, such as one with a JavaScript engine.

mod event_loop;
mod job_thread;
mod turn_clock;

use std::{io, time::Duration};

pub use event_loop::{EventLoop, ThreadOptions};
use job_thread::JobThread;

/// Identifies a thread of a pool. The replacement of a blocked thread has another id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(u64);

/// A thread that was replaced, and the job that blocks it.
#[derive(Clone, Copy, Debug)]
pub struct BlockedThread {
    /// The number of the job.
    pub job: u64,
    /// The other jobs of this thread do not run before that one ends.
    pub thread: ThreadId,
}

pub struct ThreadPool<J> {
    threads: Vec<(ThreadId, JobThread<J>)>,
    start: Box<dyn Fn() -> io::Result<JobThread<J>> + Send + Sync>,
    last_id: u64,
}

impl<J: Send + 'static> ThreadPool<J> {
    /// Starts as many threads as there are processors, but at most `max`.
    ///
    /// `begin` is called on each thread and returns the function that makes the future of a job; both stay there.
    ///
    /// # Errors
    /// The first thread cannot be started.
    pub fn start<B, R, F>(options: ThreadOptions, max: usize, begin: B) -> io::Result<Self>
    where
        B: Fn() -> R + Clone + Send + Sync + 'static,
        R: Fn(J) -> F + 'static,
        F: Future<Output = ()> + 'static,
    {
        let start = Box::new(move || JobThread::start(options, begin.clone()));
        let mut pool = ThreadPool { threads: Vec::new(), start, last_id: 0 };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..max.min(processors).max(1) {
            match pool.start_thread() {
                Ok(thread) => pool.threads.push(thread),
                // A smaller pool works as well.
                Err(_) if !pool.threads.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(pool)
    }

    fn start_thread(&mut self) -> io::Result<(ThreadId, JobThread<J>)> {
        self.last_id += 1;
        Ok((ThreadId(self.last_id), (self.start)()?))
    }

    /// Runs a job on the thread with the fewest jobs. `number` identifies it if it blocks its thread; it must not be 0.
    pub fn run(&self, number: u64, job: J) -> ThreadId {
        let least_busy = self.threads.iter().min_by_key(|(_, thread)| thread.job_count());
        let Some((id, thread)) = least_busy else { unreachable!("a pool has at least one thread") };
        thread.run(number, job);
        *id
    }

    /// Replaces each thread that a job has blocked for longer than its limit. The other jobs of such a thread may never
    /// run: the caller runs them again.
    ///
    /// # Errors
    /// No thread can be started, and none was replaced.
    pub fn replace_blocked(&mut self, limit: impl Fn(u64) -> Duration) -> io::Result<Vec<BlockedThread>> {
        let mut replaced = Vec::new();
        for index in 0..self.threads.len() {
            let (id, thread) = &self.threads[index];
            let Some(job) = thread.blocking_job(&limit) else { continue };
            let blocked = BlockedThread { job, thread: *id };
            match self.start_thread() {
                Ok(replacement) => self.threads[index] = replacement,
                // Those already replaced must be returned; the next call tries this one again.
                Err(_) if !replaced.is_empty() => break,
                Err(error) => return Err(error),
            }
            replaced.push(blocked);
        }
        Ok(replaced)
    }
}

#[cfg(test)]
mod tests {
    use std::{rc::Rc, sync::mpsc, time::Instant};

    use super::*;

    const OPTIONS: ThreadOptions = ThreadOptions { name: "test", stack_size: 1 << 20 };

    #[test]
    fn jobs_share_a_thread_and_a_blocked_one_is_replaced() {
        let (sender, receiver) = mpsc::channel();
        let mut pool = ThreadPool::start(OPTIONS, 1, move || {
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
        let first = pool.run(1, 200);
        assert_eq!(pool.run(2, 10), first);
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(10), Ok(200)));
        assert!(began.elapsed() < Duration::from_secs(5));
        pool.run(3, 3000);
        let blocked = loop {
            if let Some(blocked) = pool.replace_blocked(|_| Duration::from_millis(100)).unwrap().pop() {
                break blocked;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!((blocked.job, blocked.thread), (3, first));
        assert_ne!(pool.run(4, 20), first);
        assert_eq!(receiver.recv(), Ok(20));
    }
}
