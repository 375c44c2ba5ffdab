//! The clock and budget of a run, readable from every thread: the thread of the scripts may be blocked in native
//! code.

use std::{
    cell::Cell,
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use lmthing_base::{
    cost::{Budget, LimitReached},
    event::{RunSummary, SharedSummary},
};

/// How long after its limit a run may end by itself, including the interruption of its scripts.
pub const LATENESS: Duration = Duration::from_millis(650);

const PATIENCE: Duration = Duration::from_millis(50);

/// Clones share one state.
#[derive(Clone)]
pub struct RunClock(Arc<Inner>);

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

/// The clock and summary of a run on another thread, once it has begun. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct WatchedRun(Arc<OnceLock<(RunClock, SharedSummary)>>);

impl WatchedRun {
    pub fn begin(&self, clock: &RunClock, summary: &SharedSummary) {
        let _ = self.0.set((clock.clone(), summary.clone()));
    }

    /// Ends the run, which makes no further request, and reports what it has used. `None` if it has not begun.
    pub fn expire(&self) -> Option<(RunSummary, Duration)> {
        let (clock, summary) = self.0.get()?;
        let mut timing = lock(&clock.0.timing);
        timing.is_expired = true;
        timing.deadline = Some(Instant::now());
        drop(timing);
        clock.0.changed.notify_all();
        Some((summary.copy_within(PATIENCE).unwrap_or_default(), clock.0.began.elapsed()))
    }

    /// A report on the run, if it passed a limit and has not ended by itself.
    pub fn late(&self) -> Option<LateRun> {
        let (clock, summary) = self.0.get()?;
        clock.is_late(LATENESS).then(|| LateRun {
            message: clock.time_limit_reached().message,
            summary: summary.copy_within(PATIENCE).unwrap_or_default(),
            took: clock.0.began.elapsed(),
        })
    }
}

#[derive(Clone, Debug)]
pub struct LateRun {
    pub message: String,
    pub summary: RunSummary,
    pub took: Duration,
}

#[derive(Default)]
struct Timing {
    paused: PausedTime,
    deadline: Option<Instant>,
    passed: Option<Instant>,
    is_over: bool,
    /// The deadline stays as it is from now on.
    is_expired: bool,
    on_limit: Option<Box<dyn FnOnce() + Send>>,
}

impl Timing {
    /// The time until the next check; zero once the run is late, `None` without a deadline.
    fn wait(&mut self, grace: Duration) -> Option<Duration> {
        let (deadline, now) = (self.deadline?, Instant::now());
        if now < deadline {
            return Some(deadline - now);
        }
        // Not counted from the deadline: a process that was stopped could not end the run in time.
        let passed = *self.passed.get_or_insert(now);
        Some(grace.saturating_sub(now.saturating_duration_since(passed)))
    }
}

impl RunClock {
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

    /// Locks the budget. Two calls in one expression would deadlock.
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        lock(&self.0.budget)
    }

    /// `None` without a limit and while the clock is paused.
    pub fn deadline(&self) -> Option<Instant> {
        lock(&self.0.timing).deadline
    }

    pub(super) fn limit_changed(&self) {
        self.update(|_| {});
    }

    /// Pauses the clock until [`RunClock::resume`] has been called as often.
    pub(super) fn pause(&self) {
        self.update(PausedTime::begin);
    }

    pub(super) fn resume(&self) {
        self.update(PausedTime::end);
    }

    pub(super) fn finish(&self) {
        lock(&self.0.timing).is_over = true;
        self.0.changed.notify_all();
    }

    /// Calls `start` once the run has a time limit; most runs have none.
    pub fn when_limited(&self, start: impl FnOnce() + Send + 'static) {
        lock(&self.0.timing).on_limit = Some(Box::new(start));
        self.limit_changed();
    }

    /// Whether the run has not ended within `grace` after its deadline was noticed.
    pub fn is_late(&self, grace: Duration) -> bool {
        let mut timing = lock(&self.0.timing);
        !timing.is_over && timing.wait(grace) == Some(Duration::ZERO)
    }

    /// Blocks until the run is late, and returns the limit it has passed; `None` if the run ends before.
    pub fn wait_until_late(&self, grace: Duration) -> Option<LimitReached> {
        let mut timing = lock(&self.0.timing);
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
        Some(self.time_limit_reached())
    }

    /// The message that the time limit is reached.
    pub fn time_limit_reached(&self) -> LimitReached {
        self.budget().time_limit_reached()
    }

    fn update(&self, change: impl FnOnce(&PausedTime)) {
        let time = self.budget().time();
        let mut timing = lock(&self.0.timing);
        change(&timing.paused);
        let paused = timing.paused.total();
        timing.passed = None;
        if !timing.is_expired {
            timing.deadline =
                time.zip(paused).and_then(|(time, paused)| self.0.began.checked_add(time)?.checked_add(paused));
        }
        let start = timing.on_limit.take_if(|_| time.is_some());
        drop(timing);
        self.0.changed.notify_all();
        if let Some(start) = start {
            start();
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time in which a clock was paused; pauses may overlap.
#[derive(Default)]
pub(super) struct PausedTime {
    active: Cell<usize>,
    since: Cell<Option<Instant>>,
    earlier: Cell<Duration>,
}

impl PausedTime {
    pub(super) fn begin(&self) {
        self.active.set(self.active.get() + 1);
        if self.since.get().is_none() {
            self.since.set(Some(Instant::now()));
        }
    }

    pub(super) fn end(&self) {
        self.active.set(self.active.get().saturating_sub(1));
        if self.active.get() == 0
            && let Some(since) = self.since.take()
        {
            self.earlier.set(self.earlier.get() + since.elapsed());
        }
    }

    /// `None` during a pause.
    pub(super) fn total(&self) -> Option<Duration> {
        self.since.get().is_none().then(|| self.earlier.get())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use lmthing_base::cost::Limits;

    fn limited(millis: u64) -> RunClock {
        let limits = Limits { time: Some(Duration::from_millis(millis)), ..Limits::default() };
        RunClock::new(Budget::new(limits))
    }

    #[test]
    fn another_thread_sees_the_passed_deadline() {
        let clock = limited(20);
        let watched = clock.clone();
        let watcher = thread::spawn(move || watched.wait_until_late(Duration::from_millis(10)));
        let reached = watcher.join().unwrap().unwrap();
        assert!(reached.message.contains("time limit"), "{}", reached.message);
        assert!(clock.is_late(Duration::ZERO));
    }

    #[test]
    fn a_paused_or_ended_run_is_not_late() {
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
    fn the_grace_period_begins_when_the_passed_deadline_is_noticed() {
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
