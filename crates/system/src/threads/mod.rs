//! A pool of threads, each of which drives several jobs that mostly wait for models and servers.
//!
//! A job stays on its thread, so that its future need not be `Send`, such as one with a JavaScript engine.

mod event_loop;
mod job_thread;
mod turn_clock;

use std::{io, time::Duration};

pub use event_loop::{EventLoop, ThreadOptions};
use job_thread::JobThread;

/// A turn of this length holds its thread: new jobs go to another one.
const LONG_TURN: Duration = Duration::from_millis(50);

/// A job that waits for its thread, or blocks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedJob {
    pub number: u64,
    pub is_blocking: bool,
}

/// Threads with an event loop each, for jobs that are identified by numbers.
pub struct ThreadPool<J> {
    threads: Vec<JobThread<J>>,
    /// Threads that a job has blocked: they get no new jobs, and end with their last one.
    blocked: Vec<JobThread<J>>,
    start: Box<dyn Fn() -> io::Result<JobThread<J>> + Send + Sync>,
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
        let mut threads = vec![start()?];
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // A smaller pool works as well.
        threads.extend((1..max.min(processors)).map_while(|_| start().ok()));
        Ok(ThreadPool { threads, blocked: Vec::new(), start })
    }

    /// Runs a job on the thread with the fewest jobs, if possible on one that no job holds at the moment. `number`
    /// identifies the job; it must not be 0.
    pub fn run(&self, number: u64, job: J) {
        let free_first = |thread: &&JobThread<J>| (is_held(thread), thread.job_count());
        let Some(thread) = self.threads.iter().min_by_key(free_first) else {
            unreachable!("a pool has at least one thread")
        };
        thread.run(number, job);
    }

    /// Moves jobs that have not begun away from threads that a job holds. A thread that is blocked for longer than the
    /// limit of its job is replaced; jobs that have begun stay on it, and go on when it is free again. Returns the jobs
    /// that block those threads. To be called again and again.
    ///
    /// # Errors
    /// No thread can be started in place of a blocked one.
    pub fn relieve(&mut self, limit: impl Fn(u64) -> Duration) -> io::Result<Vec<u64>> {
        self.blocked.retain(|thread| thread.job_count() > 0);
        let mut blocking = Vec::new();
        let mut failure = None;
        for index in 0..self.threads.len() {
            let Some(job) = self.threads[index].blocking_job(&limit) else { continue };
            match (self.start)() {
                Ok(thread) => {
                    let blocked = std::mem::replace(&mut self.threads[index], thread);
                    self.run_elsewhere(&blocked);
                    self.blocked.push(blocked);
                    blocking.push(job);
                }
                // The next call tries it again.
                Err(error) => failure = Some(error),
            }
        }
        if !self.threads.iter().all(is_held) {
            self.threads
                .iter()
                .filter(|thread| thread.has_queued() && is_held(thread))
                .for_each(|held| self.run_elsewhere(held));
        }
        match failure {
            Some(error) if blocking.is_empty() => Err(error),
            _ => Ok(blocking),
        }
    }

    fn run_elsewhere(&self, thread: &JobThread<J>) {
        thread.take_queued().into_iter().for_each(|(number, job)| self.run(number, job));
    }

    /// The jobs that have begun on threads that were replaced, and that one of them has blocked for longer than `time`.
    pub fn blocked_jobs(&self, time: Duration) -> Vec<BlockedJob> {
        let jobs = |thread: &JobThread<J>| {
            let blocking = thread.blocking_job(|_| time)?;
            let job = move |number| BlockedJob { number, is_blocking: number == blocking };
            Some(thread.begun().into_iter().map(job))
        };
        self.blocked.iter().filter_map(jobs).flatten().collect()
    }
}

fn is_held<J: Send + 'static>(thread: &JobThread<J>) -> bool {
    thread.blocking_job(|_| LONG_TURN).is_some()
}

#[cfg(test)]
mod tests {
    use std::{rc::Rc, sync::mpsc};

    use super::*;

    const OPTIONS: ThreadOptions = ThreadOptions { name: "test", stack_size: 1 << 20 };

    /// A pool whose jobs send their number when they have waited, or blocked their thread, for so long.
    fn pool(threads: usize) -> (ThreadPool<(u64, bool)>, mpsc::Receiver<u64>) {
        let (sender, receiver) = mpsc::channel();
        let pool = ThreadPool::start(OPTIONS, threads, move || {
            // Not `Send`, like an engine.
            let sender = Rc::new(sender.clone());
            move |(millis, blocks): (u64, bool)| {
                let sender = sender.clone();
                async move {
                    if blocks {
                        std::thread::sleep(Duration::from_millis(millis));
                    }
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    sender.send(millis).unwrap();
                }
            }
        });
        (pool.unwrap(), receiver)
    }

    fn relieve(pool: &mut ThreadPool<(u64, bool)>) -> u64 {
        loop {
            if let Some(job) = pool.relieve(|_| Duration::from_millis(100)).unwrap().pop() {
                return job;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn jobs_that_wait_share_a_thread() {
        let (pool, receiver) = pool(1);
        pool.run(1, (200, false));
        pool.run(2, (10, false));
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(10), Ok(200)));
    }

    #[test]
    fn what_has_begun_on_a_blocked_thread_runs_once_and_the_rest_moves() {
        let (mut pool, receiver) = pool(1);
        let wait_for_begun = |pool: &ThreadPool<(u64, bool)>, count| {
            while pool.threads[0].begun().len() < count {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        pool.run(1, (500, false));
        wait_for_begun(&pool, 1);
        pool.run(2, (1500, true));
        wait_for_begun(&pool, 2);
        pool.run(3, (30, false));
        assert_eq!(relieve(&mut pool), 2);
        let mut blocked = pool.blocked_jobs(Duration::from_millis(50));
        blocked.sort_unstable_by_key(|job| job.number);
        let job = |number| BlockedJob { number, is_blocking: number == 2 };
        assert_eq!(blocked, [job(1), job(2)]);
        pool.run(4, (20, false));
        let mut ended: Vec<u64> = (0..2).map(|_| receiver.recv().unwrap()).collect();
        ended.sort_unstable();
        assert_eq!(ended, [20, 30]);
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(500), Ok(1500)));
        assert!(receiver.recv_timeout(Duration::from_millis(100)).is_err());
        assert!(pool.blocked_jobs(Duration::from_millis(50)).is_empty());
    }

    #[test]
    fn jobs_behind_a_blocking_one_have_not_begun() {
        let (mut pool, receiver) = pool(1);
        pool.run(1, (1500, true));
        pool.run(2, (20, false));
        assert_eq!(relieve(&mut pool), 1);
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(20), Ok(1500)));
    }

    #[test]
    fn a_held_thread_gets_no_new_jobs_while_another_is_free() {
        let (pool, receiver) = pool(2);
        if pool.threads.len() < 2 {
            return;
        }
        pool.run(1, (1500, true));
        while !pool.threads.iter().any(is_held) {
            std::thread::sleep(Duration::from_millis(1));
        }
        (2..6).for_each(|number| pool.run(number, (number, false)));
        let mut first: Vec<u64> = (0..4).map(|_| receiver.recv().unwrap()).collect();
        first.sort_unstable();
        assert_eq!(first, [2, 3, 4, 5]);
        assert_eq!(receiver.recv(), Ok(1500));
    }
}
