//! The clock of a run and its budget, as every thread may read them: the thread that runs the scripts may be busy with native work
//! that never ends.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use super::standstill::Standstill;
use crate::{
    cost::{Budget, LimitReached},
    event::{RunSummary, SharedSummary},
};

/// How much longer than its limit a run may take: what ends by itself, and scripts that can be interrupted, are over by then.
pub(crate) const LATENESS: Duration = Duration::from_millis(650);

/// How long to wait for the lock on the summary.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a run has used and when it must be over. Clones share one state.
#[derive(Clone)]
pub(crate) struct RunClock(Arc<Inner>);

struct Inner {
    began: Instant,
    budget: Mutex<Budget>,
    timing: Mutex<Timing>,
    changed: Condvar,
}

impl fmt::Debug for RunClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunClock").field("deadline", &self.deadline()).finish()
    }
}

/// A run on another thread: its clock and what it has come to, once it has begun. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchedRun(Arc<OnceLock<(RunClock, SharedSummary)>>);

impl WatchedRun {
    /// The run begins.
    pub(crate) fn begin(&self, clock: &RunClock, summary: &SharedSummary) {
        // It begins once.
        let _ = self.0.set((clock.clone(), summary.clone()));
    }

    /// What there is to say of a run that has passed a limit and should have ended by itself by now.
    pub(crate) fn late(&self) -> Option<LateRun> {
        let (clock, summary) = self.0.get()?;
        clock.is_late(LATENESS).then(|| LateRun {
            message: clock.time_is_up().message,
            summary: summary.copy_within(PATIENCE).unwrap_or_default(),
            took: clock.0.began.elapsed(),
        })
    }
}

/// A run that has passed its limit on time and did not end by itself.
#[derive(Clone, Debug)]
pub(crate) struct LateRun {
    /// Which limit, in words.
    pub(crate) message: String,
    /// What the run has come to.
    pub(crate) summary: RunSummary,
    /// Since it began.
    pub(crate) took: Duration,
}

#[derive(Default)]
struct Timing {
    still: Standstill,
    deadline: Option<Instant>,
    /// When the deadline was first seen to have passed.
    passed: Option<Instant>,
    is_over: bool,
    on_limit: Option<Box<dyn FnOnce() + Send>>,
}

impl Timing {
    /// How long to wait before looking again; zero once the run is late, `None` without a deadline.
    fn wait(&mut self, grace: Duration) -> Option<Duration> {
        let (deadline, now) = (self.deadline?, Instant::now());
        if now < deadline {
            return Some(deadline - now);
        }
        // Not from the deadline: the process may have been stopped, and then the run could not end by itself either.
        let passed = *self.passed.get_or_insert(now);
        Some(grace.saturating_sub(now.saturating_duration_since(passed)))
    }
}

impl RunClock {
    /// Starts now.
    pub(super) fn new(budget: Budget) -> Self {
        let inner = Inner {
            began: Instant::now(),
            budget: Mutex::new(budget),
            timing: Mutex::default(),
            changed: Condvar::new(),
        };
        let clock = RunClock(Arc::new(inner));
        clock.limit_changed();
        clock
    }

    /// Locks the budget: do not call twice in one expression.
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        locked(&self.0.budget)
    }

    /// When the run must be over; `None` without a limit, and while the clock stands still.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        locked(&self.0.timing).deadline
    }

    /// The limit on time may be another one now.
    pub(super) fn limit_changed(&self) {
        self.update(|_| {});
    }

    /// The clock stands still until as many calls of [`RunClock::resume`] have been made.
    pub(super) fn pause(&self) {
        self.update(Standstill::begin);
    }

    /// Takes back one call of [`RunClock::pause`].
    pub(super) fn resume(&self) {
        self.update(Standstill::end);
    }

    /// The run is over; its clock is no longer watched.
    pub(super) fn finish(&self) {
        locked(&self.0.timing).is_over = true;
        self.0.changed.notify_all();
    }

    /// Calls `start` once as soon as the run has a limit on time. Most runs have none.
    pub(crate) fn when_limited(&self, start: impl FnOnce() + Send + 'static) {
        locked(&self.0.timing).on_limit = Some(Box::new(start));
        self.limit_changed();
    }

    /// Whether the run has not ended within `grace` after its deadline was seen to have passed.
    pub(crate) fn is_late(&self, grace: Duration) -> bool {
        let mut timing = locked(&self.0.timing);
        !timing.is_over && timing.wait(grace) == Some(Duration::ZERO)
    }

    /// Blocks until the run is late, and says which limit it has passed; `None` once the run is over.
    pub(crate) fn wait_until_late(&self, grace: Duration) -> Option<LimitReached> {
        let mut timing = locked(&self.0.timing);
        loop {
            if timing.is_over {
                return None;
            }
            timing = match timing.wait(grace) {
                Some(Duration::ZERO) => break,
                Some(left) => self.0.changed.wait_timeout(timing, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.0.changed.wait(timing).unwrap_or_else(PoisonError::into_inner),
            };
        }
        drop(timing);
        Some(self.time_is_up())
    }

    /// That the limit on time is reached, in words.
    pub(crate) fn time_is_up(&self) -> LimitReached {
        self.budget().time_limit_reached()
    }

    fn update(&self, change: impl FnOnce(&Standstill)) {
        let time = self.budget().time();
        let mut timing = locked(&self.0.timing);
        change(&timing.still);
        let still = timing.still.so_far();
        timing.passed = None;
        timing.deadline = time.zip(still).and_then(|(time, still)| self.0.began.checked_add(time)?.checked_add(still));
        let start = timing.on_limit.take_if(|_| time.is_some());
        drop(timing);
        self.0.changed.notify_all();
        if let Some(start) = start {
            start();
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::cost::Limits;

    fn limited(millis: u64) -> RunClock {
        let limits = Limits { time: Some(Duration::from_millis(millis)), ..Limits::default() };
        RunClock::new(Budget::new(limits))
    }

    #[test]
    fn another_thread_learns_that_the_time_is_up() {
        let clock = limited(20);
        let watched = clock.clone();
        let watcher = thread::spawn(move || watched.wait_until_late(Duration::from_millis(10)));
        let reached = watcher.join().unwrap().unwrap();
        assert!(reached.message.contains("time limit"), "{}", reached.message);
        assert!(clock.is_late(Duration::ZERO));
    }

    #[test]
    fn a_run_is_not_late_while_the_clock_stands_still_or_once_the_run_is_over() {
        let clock = limited(0);
        clock.pause();
        assert!(!clock.is_late(Duration::ZERO));
        assert_eq!(clock.deadline(), None);
        clock.resume();
        assert!(clock.is_late(Duration::ZERO));
        clock.finish();
        assert!(!clock.is_late(Duration::ZERO));
        assert!(clock.wait_until_late(Duration::ZERO).is_none());
    }

    #[test]
    fn a_deadline_that_passed_unseen_leaves_the_run_its_time_to_end() {
        let clock = limited(0);
        thread::sleep(Duration::from_millis(40));
        let seen = Instant::now();
        assert!(clock.wait_until_late(Duration::from_millis(30)).is_some());
        assert!(seen.elapsed() >= Duration::from_millis(30));
    }

    #[test]
    fn the_watcher_starts_with_the_first_limit() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let clock = RunClock::new(Budget::new(Limits::default()));
        clock.when_limited(move || sender.send(()).unwrap());
        assert!(receiver.try_recv().is_err());
        clock.budget().set_file_limits(Limits { time: Some(Duration::from_secs(1)), ..Limits::default() });
        clock.limit_changed();
        assert!(receiver.try_recv().is_ok());
    }
}
