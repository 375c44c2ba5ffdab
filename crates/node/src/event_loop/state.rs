//! The state of the loop that holds no JavaScript values: what is to run when, and why the run must end.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use rquickjs::{Ctx, JsLifetime, Result};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use super::promise_hooks;
use super::timers::{TimerId, Timers};
use crate::diagnose::Thrown;
use crate::user_data;
use lmthing_base::diagnostic::{Diagnostic, Location};

/// Why a run must end now. The first one counts; whatever the script does afterwards is not seen.
#[derive(Clone, Debug)]
pub enum Halt {
    /// `process.exit(code)`.
    Exit(i32),
    /// A callback of a timer, a microtask or an event threw.
    Uncaught(Thrown),
    /// A promise was rejected and nobody handled it.
    UnhandledRejection(Thrown),
}

/// How long a script may go on after its deadline before it is interrupted.
const LATENESS: Duration = Duration::from_millis(500);

/// One for each engine.
#[derive(JsLifetime)]
pub struct EventLoop {
    start: Instant,
    timers: RefCell<Timers>,
    tick_requested: Cell<bool>,
    /// Work other than timers that keeps the program alive, such as a request under way.
    keep_alive: Cell<usize>,
    /// How many of those that keep the program alive wait for the script and for nothing else.
    waiting_for_script: Cell<usize>,
    /// What the script is asked to answer, in words for the user, oldest first.
    asked: RefCell<Vec<Rc<Asked>>>,
    /// Wakes the driver.
    work: Notify,
    /// Wakes who waits for the loop to have nothing left to do, or for its halt.
    changed: Notify,
    halt: RefCell<Option<Halt>>,
    /// When scripts are interrupted that are still running.
    latest: Cell<Option<Instant>>,
    /// The same, as it was given from outside.
    bound: Cell<Option<Instant>>,
    /// How much later they are interrupted the next time, where one interruption is not to be the end of everything.
    respite: Cell<Option<Duration>>,
    /// When the turn that the engine has must be over, and how long it may be.
    turn: Cell<Option<(std::time::Instant, Duration)>>,
    /// Whether a script was interrupted since somebody asked.
    was_interrupted: Cell<bool>,
    /// Who takes what would end the run, if somebody does.
    catcher: RefCell<Option<Catcher>>,
}

/// Is told what would have ended the run, which goes on.
pub type Catcher = Rc<dyn Fn(Halt)>;

impl EventLoop {
    /// A loop whose clock starts now.
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            timers: RefCell::default(),
            tick_requested: Cell::new(false),
            keep_alive: Cell::new(0),
            waiting_for_script: Cell::new(0),
            asked: RefCell::default(),
            work: Notify::new(),
            changed: Notify::new(),
            halt: RefCell::new(None),
            latest: Cell::new(None),
            bound: Cell::new(None),
            respite: Cell::new(None),
            turn: Cell::new(None),
            was_interrupted: Cell::new(false),
            catcher: RefCell::default(),
        }
    }

    /// The loop of the engine that `ctx` belongs to.
    pub fn of(ctx: &Ctx<'_>) -> Result<Rc<Self>> {
        Ok(user_data::read::<Rc<Self>>(ctx)?.clone())
    }

    /// Milliseconds since the loop began: the clock of timers.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Sets a timer, or sets it anew.
    pub fn schedule(&self, id: TimerId, delay: u64, referenced: bool) {
        self.timers.borrow_mut().schedule(id, self.now().saturating_add(delay), referenced);
        self.wake();
    }

    /// Queues an immediate for the next turn.
    pub fn schedule_immediate(&self, id: TimerId) {
        self.timers.borrow_mut().schedule_immediate(id);
        self.wake();
    }

    /// Forgets a timer or an immediate.
    pub fn cancel(&self, id: TimerId) {
        self.timers.borrow_mut().cancel(id);
        self.turned();
    }

    /// Sets whether a timer or an immediate keeps the program alive.
    pub fn set_referenced(&self, id: TimerId, referenced: bool) {
        self.timers.borrow_mut().set_referenced(id, referenced);
        self.turned();
    }

    /// Has the dispatcher called with a tick once the jobs at hand are done.
    pub fn request_tick(&self) {
        self.tick_requested.set(true);
        self.wake();
    }

    /// Ends the run; only the first call counts. JavaScript that is running is interrupted by an exception it cannot
    /// catch. Where somebody catches what ends runs, only he is told.
    pub fn halt(&self, halt: Halt) {
        let catcher = self.catcher.borrow().clone();
        if let Some(catcher) = catcher {
            return catcher(halt);
        }
        self.halt.borrow_mut().get_or_insert(halt);
        self.turned();
    }

    /// Whether the run was ended.
    pub fn is_halted(&self) -> bool {
        self.halt.borrow().is_some()
    }

    /// Has scripts interrupted that are running some time after this; without a deadline none is.
    pub(super) fn set_deadline(&self, deadline: Option<std::time::Instant>) {
        self.latest.set(deadline.and_then(|deadline| Instant::from_std(deadline).checked_add(LATENESS)));
        self.respite.set(None);
        promise_hooks::set_late(false);
    }

    /// Has any script interrupted that runs longer than this without giving others a turn; those that come behind it run.
    pub(super) fn set_leash(&self, span: Duration) {
        self.latest.set(Instant::now().checked_add(span));
        self.respite.set(Some(span));
        promise_hooks::set_late(false);
    }

    /// Sets when the turn that begins must be over, and how long it may be.
    pub(super) fn set_turn(&self, turn: Option<(std::time::Instant, Duration)>) {
        self.turn.set(turn);
    }

    /// Ends the run when its turn is over.
    fn look_at_turn(&self) {
        let Some((_, span)) = self.turn.get().filter(|(ends, _)| std::time::Instant::now() >= *ends) else { return };
        let seconds = span.as_secs_f64();
        let message =
            format!("the script computed for {seconds} s without a pause and was interrupted: an endless loop?");
        let diagnostic = Diagnostic::new(message);
        self.halt(Halt::Uncaught(Thrown { diagnostic, payload: None }));
    }

    /// Whether the script that is running is to be interrupted now.
    pub(super) fn interrupts(&self) -> bool {
        self.look_at_turn();
        let is_late = self.is_late();
        if is_late {
            promise_hooks::set_late(true);
            self.was_interrupted.set(true);
            if let Some(span) = self.respite.get() {
                self.latest.set(Instant::now().checked_add(span));
            }
        }
        is_late
    }

    /// Whether any script was interrupted since this was asked last.
    pub(super) fn take_interrupted(&self) -> bool {
        self.was_interrupted.take()
    }

    /// Has everything that would end the run told to somebody in its place.
    pub(super) fn set_catcher(&self, catcher: Catcher) {
        self.catcher.replace(Some(catcher));
    }

    /// Whether the run goes on whatever happens.
    pub fn catches(&self) -> bool {
        self.catcher.borrow().is_some()
    }

    /// Has scripts interrupted that are running at that time, whatever deadline is set.
    pub(super) fn set_latest(&self, latest: std::time::Instant) {
        self.bound.set(Some(Instant::from_std(latest)));
    }

    /// When that is.
    pub fn latest(&self) -> Option<std::time::Instant> {
        self.latest.get().into_iter().chain(self.bound.get()).min().map(Instant::into_std)
    }

    /// Whether that time has come.
    pub fn is_late(&self) -> bool {
        self.latest().is_some_and(|latest| std::time::Instant::now() >= latest)
    }

    /// Why the run was ended, if it was.
    pub(super) fn why_halted(&self) -> Option<Halt> {
        self.halt.borrow().clone()
    }

    /// Waits for the end of the run.
    pub(super) async fn halted(&self) -> Halt {
        loop {
            // Made before looking, so that no change in between is missed.
            let changed = self.changed();
            if let Some(halt) = self.why_halted() {
                return halt;
            }
            changed.await;
        }
    }

    /// Whether a tick is asked for.
    pub(super) fn has_tick(&self) -> bool {
        self.tick_requested.get()
    }

    /// Takes the tick that is asked for, if one is.
    pub(super) fn take_tick(&self) -> bool {
        self.tick_requested.replace(false)
    }

    /// Takes the first timer that is due at `now`.
    pub(super) fn take_due(&self, now: u64) -> Option<TimerId> {
        self.timers.borrow_mut().pop_due(now)
    }

    /// How many immediates are queued, cancelled ones included.
    pub(super) fn immediate_count(&self) -> usize {
        self.timers.borrow().immediate_count()
    }

    /// Takes the first immediate; `None` when it was cancelled.
    pub(super) fn take_immediate(&self) -> Option<TimerId> {
        self.timers.borrow_mut().pop_immediate()
    }

    /// Whether nothing keeps the program alive.
    pub(super) fn is_idle(&self) -> bool {
        !self.has_tick() && self.keep_alive.get() == 0 && !self.timers.borrow().has_referenced()
    }

    /// Whether nothing will happen any more unless the script does something by itself, which it cannot: whoever keeps the
    /// program alive waits for the script, and no timer is set.
    pub(super) fn is_still(&self) -> bool {
        let nothing_under_way = self.keep_alive.get() <= self.waiting_for_script.get();
        !self.has_tick() && nothing_under_way && self.timers.borrow().is_empty()
    }

    /// What the script was asked last and has not answered.
    pub(super) fn last_asked(&self) -> Option<Rc<Asked>> {
        self.asked.borrow().last().cloned()
    }

    /// Wakes the driver: there is something to do.
    pub(super) fn wake(&self) {
        self.work.notify_one();
    }

    /// Tells who waits for the loop that it may have come to an end.
    pub(super) fn turned(&self) {
        self.changed.notify_waiters();
    }

    /// Waits for the next [`EventLoop::turned`] from now on, polled or not.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Waits until there is something to do: a tick, an immediate, a rejection, or the next timer's deadline.
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

/// Something the script was asked: to answer the call of a tool.
#[derive(Debug)]
pub struct Asked {
    /// Who has to answer: `the tool weather`.
    pub who: String,
    /// Where that is in the file.
    pub location: Option<Location>,
}

/// Remembers what the script is asked until dropped.
pub struct Asking {
    event_loop: Rc<EventLoop>,
    asked: Rc<Asked>,
}

impl Asking {
    /// From now on.
    pub fn new(ctx: &Ctx<'_>, asked: Asked) -> Result<Self> {
        let (event_loop, asked) = (EventLoop::of(ctx)?, Rc::new(asked));
        event_loop.asked.borrow_mut().push(asked.clone());
        Ok(Self { event_loop, asked })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.event_loop.asked.borrow_mut().retain(|asked| !Rc::ptr_eq(asked, &self.asked));
    }
}

/// Says that a run, which keeps the program alive, waits for the script and for nothing else, until dropped.
pub struct WaitingForScript(Rc<EventLoop>);

impl WaitingForScript {
    /// From now on.
    pub fn new(ctx: &Ctx<'_>) -> Result<Self> {
        let event_loop = EventLoop::of(ctx)?;
        event_loop.waiting_for_script.set(event_loop.waiting_for_script.get() + 1);
        event_loop.turned();
        Ok(Self(event_loop))
    }
}

impl Drop for WaitingForScript {
    fn drop(&mut self) {
        self.0.waiting_for_script.set(self.0.waiting_for_script.get() - 1);
        self.0.turned();
    }
}

/// Keeps the program alive, as an open request does, until dropped.
pub struct KeepAlive(Rc<EventLoop>);

impl KeepAlive {
    /// From now on.
    pub fn new(ctx: &Ctx<'_>) -> Result<Self> {
        let event_loop = EventLoop::of(ctx)?;
        event_loop.keep_alive.set(event_loop.keep_alive.get() + 1);
        Ok(Self(event_loop))
    }
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.0.keep_alive.set(self.0.keep_alive.get() - 1);
        self.0.turned();
    }
}
