//! The state of the event loop, without JavaScript values.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use rquickjs::{Ctx, JsLifetime, Result};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use super::promise_hooks;
use super::timers::{TimerId, Timers};
use super::wasm_time::WasmTime;
use crate::diagnose::Thrown;
use crate::user_data;
use lmthing_base::diagnostic::{Diagnostic, Location};

/// Why a run ends early.
#[derive(Clone, Debug)]
pub enum Halt {
    /// `process.exit(code)`.
    Exit(i32),
    /// A callback of a timer, microtask or event threw.
    Uncaught(Thrown),
    UnhandledRejection(Thrown),
}

/// How long a script may run after its deadline before it is interrupted.
const GRACE_PERIOD: Duration = Duration::from_millis(500);

#[derive(JsLifetime)]
pub struct EventLoop {
    start: Instant,
    timers: RefCell<Timers>,
    tick_requested: Cell<bool>,
    /// The number of [`super::guards::KeepAlive`] guards.
    pub(super) keep_alive: Cell<usize>,
    /// The number of [`super::guards::WaitingForScript`] guards.
    pub(super) waiting_for_script: Cell<usize>,
    /// Oldest first.
    pub(super) pending_answers: RefCell<Vec<Rc<PendingAnswer>>>,
    /// Wakes the driver.
    work: Notify,
    /// Wakes tasks that wait for the loop to be idle or halted.
    changed: Notify,
    /// Grows with everything that the program does.
    pub(super) activity: Cell<u64>,
    halt: RefCell<Option<Halt>>,
    /// When running scripts are interrupted.
    soft_deadline: Cell<Option<Instant>>,
    hard_deadline: Cell<Option<Instant>>,
    /// The processor time of this thread at which running scripts are interrupted.
    work_deadline: Cell<Option<Duration>>,
    /// Moves `soft_deadline` by this span after an interruption.
    longest_turn: Cell<Option<Duration>>,
    /// Moves `work_deadline` by this span after an interruption.
    longest_work: Cell<Option<Duration>>,
    /// When the current turn must end, and its longest duration.
    turn: Cell<Option<(std::time::Instant, Duration)>>,
    was_interrupted: Cell<bool>,
    halt_handler: RefCell<Option<HaltHandler>>,
    pub(crate) wasm_time: WasmTime,
}

/// How long this thread has computed.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Where the system does not say it: how long the thread has existed since the first call.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    thread_local!(static START: std::time::Instant = std::time::Instant::now());
    START.with(std::time::Instant::elapsed)
}

/// Called instead of ending the run.
pub type HaltHandler = Rc<dyn Fn(Halt)>;

impl EventLoop {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            timers: RefCell::default(),
            tick_requested: Cell::new(false),
            keep_alive: Cell::new(0),
            waiting_for_script: Cell::new(0),
            pending_answers: RefCell::default(),
            work: Notify::new(),
            changed: Notify::new(),
            activity: Cell::new(0),
            halt: RefCell::new(None),
            soft_deadline: Cell::new(None),
            hard_deadline: Cell::new(None),
            work_deadline: Cell::new(None),
            longest_turn: Cell::new(None),
            longest_work: Cell::new(None),
            turn: Cell::new(None),
            was_interrupted: Cell::new(false),
            halt_handler: RefCell::default(),
            wasm_time: WasmTime::default(),
        }
    }

    /// The loop of the engine that `ctx` belongs to.
    pub fn of(ctx: &Ctx<'_>) -> Result<Rc<Self>> {
        Ok(user_data::read::<Rc<Self>>(ctx)?.clone())
    }

    /// Milliseconds since the loop started.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Sets a new or existing timer.
    pub fn schedule(&self, id: TimerId, delay: u64, referenced: bool) {
        self.timers.borrow_mut().schedule(id, self.now().saturating_add(delay), referenced);
        self.wake();
    }

    pub fn schedule_immediate(&self, id: TimerId) {
        self.timers.borrow_mut().schedule_immediate(id);
        self.wake();
    }

    /// Cancels a timer or an immediate.
    pub fn cancel(&self, id: TimerId) {
        self.timers.borrow_mut().cancel(id);
        self.notify_changed();
    }

    /// Sets whether a timer or an immediate keeps the program alive.
    pub fn set_referenced(&self, id: TimerId, referenced: bool) {
        self.timers.borrow_mut().set_referenced(id, referenced);
        self.notify_changed();
    }

    /// Calls the dispatcher with a tick after the current jobs.
    pub fn request_tick(&self) {
        self.tick_requested.set(true);
        self.wake();
    }

    /// Ends the run, or calls the halt handler if there is one. Only the first call counts. Running JavaScript is
    /// interrupted and cannot catch it.
    pub fn halt(&self, halt: Halt) {
        let handler = self.halt_handler.borrow().clone();
        if let Some(handler) = handler {
            return handler(halt);
        }
        self.halt.borrow_mut().get_or_insert(halt);
        self.notify_changed();
    }

    pub fn is_halted(&self) -> bool {
        self.halt.borrow().is_some()
    }

    /// Interrupts scripts some time after the deadline; `None` removes it.
    pub(super) fn set_deadline(&self, deadline: Option<std::time::Instant>) {
        self.work_deadline.set(None);
        self.soft_deadline.set(deadline.and_then(|deadline| Instant::from_std(deadline).checked_add(GRACE_PERIOD)));
        self.longest_turn.set(None);
        self.longest_work.set(None);
        promise_hooks::set_late(false);
    }

    /// Interrupts scripts once this thread has computed for `work` from now, until another limit is set.
    pub(super) fn set_work_limit(&self, work: Duration) {
        self.longest_work.set(None);
        self.work_deadline.set(processor_time().checked_add(work));
    }

    /// Interrupts the running script once this thread has computed for `work` from now, then each later one that computes
    /// that long.
    pub(super) fn set_longest_work(&self, work: Duration) {
        self.set_deadline(None);
        self.set_work_limit(work);
        self.longest_work.set(Some(work));
    }

    /// Interrupts each script that runs longer than this without yielding.
    pub(super) fn set_longest_turn(&self, span: Duration) {
        self.work_deadline.set(None);
        self.longest_work.set(None);
        self.soft_deadline.set(Instant::now().checked_add(span));
        self.longest_turn.set(Some(span));
        promise_hooks::set_late(false);
    }

    pub(super) fn set_turn(&self, turn: Option<(std::time::Instant, Duration)>) {
        self.turn.set(turn);
    }

    fn check_turn_limit(&self) {
        let Some((_, span)) = self.turn.get().filter(|(end, _)| std::time::Instant::now() >= *end) else { return };
        let seconds = span.as_secs_f64();
        let message =
            format!("the script computed for {seconds} s without a pause and was interrupted: an endless loop?");
        let diagnostic = Diagnostic::new(message);
        self.halt(Halt::Uncaught(Thrown { diagnostic, payload: None }));
    }

    /// Called by the engine while JavaScript runs.
    pub(super) fn should_interrupt(&self) -> bool {
        self.check_turn_limit();
        let is_late = self.is_late();
        if is_late {
            promise_hooks::set_late(true);
            self.was_interrupted.set(true);
            if let Some(span) = self.longest_turn.get() {
                self.soft_deadline.set(Instant::now().checked_add(span));
            }
            if let Some(work) = self.longest_work.get() {
                self.work_deadline.set(processor_time().checked_add(work));
            }
        }
        is_late
    }

    /// Whether a script was interrupted since the last call.
    pub(super) fn take_interrupted(&self) -> bool {
        self.was_interrupted.take()
    }

    pub(super) fn set_halt_handler(&self, handler: HaltHandler) {
        self.halt_handler.replace(Some(handler));
    }

    pub fn has_halt_handler(&self) -> bool {
        self.halt_handler.borrow().is_some()
    }

    pub(super) fn set_hard_deadline(&self, deadline: std::time::Instant) {
        self.hard_deadline.set(Some(Instant::from_std(deadline)));
    }

    /// When running scripts are interrupted.
    pub fn interrupt_time(&self) -> Option<std::time::Instant> {
        self.soft_deadline.get().into_iter().chain(self.hard_deadline.get()).min().map(Instant::into_std)
    }

    pub fn is_late(&self) -> bool {
        self.interrupt_time().is_some_and(|time| std::time::Instant::now() >= time)
            || self.work_deadline.get().is_some_and(|end| processor_time() >= end)
    }

    pub(super) fn why_halted(&self) -> Option<Halt> {
        self.halt.borrow().clone()
    }

    pub(super) async fn halted(&self) -> Halt {
        loop {
            // Created before the check, so that no change is missed.
            let changed = self.changed();
            if let Some(halt) = self.why_halted() {
                return halt;
            }
            changed.await;
        }
    }

    pub(super) fn has_tick(&self) -> bool {
        self.tick_requested.get()
    }

    pub(super) fn take_tick(&self) -> bool {
        self.tick_requested.replace(false)
    }

    /// Takes the first timer that is due at `now`.
    pub(super) fn take_due(&self, now: u64) -> Option<TimerId> {
        self.timers.borrow_mut().pop_due(now)
    }

    /// Includes cancelled immediates.
    pub(super) fn immediate_count(&self) -> usize {
        self.timers.borrow().immediate_count()
    }

    /// Takes the first immediate; `None` if it was cancelled.
    pub(super) fn take_immediate(&self) -> Option<TimerId> {
        self.timers.borrow_mut().pop_immediate()
    }

    /// Whether nothing keeps the program alive.
    pub(super) fn is_idle(&self) -> bool {
        !self.has_tick() && self.keep_alive.get() == 0 && !self.timers.borrow().has_referenced()
    }

    /// Whether nothing is pending that could run the script again: no timer is set, and all that keeps the program alive
    /// waits for the script.
    pub(super) fn is_stalled(&self) -> bool {
        let all_wait_for_script = self.keep_alive.get() <= self.waiting_for_script.get();
        !self.has_tick() && all_wait_for_script && self.timers.borrow().is_empty()
    }

    /// Whether more than `waiting` guards, and those that wait for the script, keep the program alive.
    pub(super) fn has_open_work(&self, waiting: usize) -> bool {
        let waiting = self.waiting_for_script.get() + waiting;
        self.has_tick() || self.keep_alive.get() > waiting || self.timers.borrow().has_referenced()
    }

    pub(super) fn last_pending_answer(&self) -> Option<Rc<PendingAnswer>> {
        self.pending_answers.borrow().last().cloned()
    }

    pub(super) fn wake(&self) {
        self.work.notify_one();
    }

    /// Wakes tasks that wait for the loop to be idle or halted.
    pub(super) fn notify_changed(&self) {
        self.note_activity();
        self.changed.notify_waiters();
    }

    pub(super) fn note_activity(&self) {
        self.activity.set(self.activity.get().wrapping_add(1));
    }

    /// Waits for the next [`EventLoop::notify_changed`] after this call, even if not polled before.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Waits for a tick, an immediate, a rejection, or the next timer's deadline.
    pub(super) async fn work(&self) {
        let deadline = self.timers.borrow().next_deadline();
        match deadline {
            Some(deadline) => {
                let deadline = self.start + Duration::from_millis(deadline);
                tokio::select! {
                    () = self.work.notified() => {}
                    () = tokio::time::sleep_until(deadline) => {}
                }
            }
            None => self.work.notified().await,
        }
    }
}

/// A call from Rust that the script has not answered yet.
#[derive(Debug)]
pub struct PendingAnswer {
    /// The called function as shown to the user.
    pub responder: String,
    pub location: Option<Location>,
}
