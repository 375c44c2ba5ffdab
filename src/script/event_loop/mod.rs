//! The event loop of one engine, in Node's order: after every callback first `process.nextTick`, then promise jobs, then
//! rejections nobody handled; timers by deadline, then immediates.
//!
//! A single spawned future drives it, so that two callbacks never run without the jobs between them. Callbacks live in
//! JavaScript (`lmthing:internal/timers`); here are only ids and deadlines. What ends the run early (`process.exit`, an
//! uncaught exception, an unhandled rejection) is kept as the one [`Halt`] for the host to await.

mod promise;
mod rejections;
mod timers;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rquickjs::runtime::RejectionTracker;
use rquickjs::{AsyncRuntime, Ctx, Exception, Function, JsLifetime, Result, Value};
use tokio::sync::Notify;
use tokio::time::Instant;

pub use promise::settle;

use super::engine;
use super::error::{Thrown, diagnose, diagnose_error};
use timers::{TimerId, Timers};

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

/// Stops running JavaScript from any thread: the script sees an exception that it cannot catch.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Stops the script for good.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The state of the loop that holds no JavaScript values.
pub(super) struct EventLoop {
    start: Instant,
    timers: RefCell<Timers>,
    tick_requested: Cell<bool>,
    /// Work other than timers that keeps the program alive, such as a request under way.
    keep_alive: Cell<usize>,
    /// Wakes the driver.
    work: Notify,
    /// Wakes who waits for the loop to have nothing left to do, or for its halt.
    changed: Notify,
    halt: RefCell<Option<Halt>>,
    interrupt: Interrupt,
}

/// The JavaScript function that runs a callback by kind and id.
#[derive(JsLifetime)]
struct Dispatcher<'js>(Function<'js>);

/// What the dispatcher is asked to run.
#[derive(Clone, Copy)]
enum Callback {
    Tick,
    Timer(TimerId),
    Immediate(TimerId),
}

impl EventLoop {
    pub(super) fn new(interrupt: Interrupt) -> Self {
        Self {
            start: Instant::now(),
            timers: RefCell::default(),
            tick_requested: Cell::new(false),
            keep_alive: Cell::new(0),
            work: Notify::new(),
            changed: Notify::new(),
            halt: RefCell::new(None),
            interrupt,
        }
    }

    /// Milliseconds since the loop began: the clock of timers.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn schedule(&self, id: TimerId, delay: u64, referenced: bool) {
        self.timers.borrow_mut().schedule(id, self.now().saturating_add(delay), referenced);
        self.work.notify_one();
    }

    pub(super) fn schedule_immediate(&self, id: TimerId) {
        self.timers.borrow_mut().schedule_immediate(id);
        self.work.notify_one();
    }

    pub(super) fn cancel(&self, id: TimerId) {
        self.timers.borrow_mut().cancel(id);
        self.changed.notify_waiters();
    }

    pub(super) fn set_referenced(&self, id: TimerId, referenced: bool) {
        self.timers.borrow_mut().set_referenced(id, referenced);
        self.changed.notify_waiters();
    }

    pub(super) fn request_tick(&self) {
        self.tick_requested.set(true);
        self.work.notify_one();
    }

    /// Ends the run; only the first call counts. Running JavaScript is interrupted.
    pub(super) fn halt(&self, halt: Halt) {
        self.halt.borrow_mut().get_or_insert(halt);
        self.interrupt.interrupt();
        self.changed.notify_waiters();
    }

    pub(super) fn is_halted(&self) -> bool {
        self.halt.borrow().is_some()
    }

    fn is_idle(&self) -> bool {
        !self.tick_requested.get() && self.keep_alive.get() == 0 && !self.timers.borrow().has_referenced()
    }

    async fn halted(&self) -> Halt {
        loop {
            let changed = self.changed.notified();
            if let Some(halt) = self.halt.borrow().clone() {
                return halt;
            }
            changed.await;
        }
    }

    /// Waits until there is something to do: a tick, an immediate, a rejection, or the next timer's deadline.
    async fn work(&self) {
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

/// Keeps the program alive, as an open request does, until dropped.
pub struct KeepAlive(Rc<EventLoop>);

impl KeepAlive {
    pub fn new(ctx: &Ctx<'_>) -> Result<Self> {
        let event_loop = engine::shared(ctx)?.event_loop;
        event_loop.keep_alive.set(event_loop.keep_alive.get() + 1);
        Ok(Self(event_loop))
    }
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.0.keep_alive.set(self.0.keep_alive.get() - 1);
        self.0.changed.notify_waiters();
    }
}

/// Hooks the loop into the runtime; part of making an engine, before the context is used.
pub(super) async fn attach(runtime: &AsyncRuntime, event_loop: &Rc<EventLoop>) {
    let interrupt = event_loop.interrupt.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || interrupt.is_set()))).await;
    let event_loop = event_loop.clone();
    let tracker: RejectionTracker = Box::new(move |ctx, promise, reason, handled| {
        rejections::track(&ctx, promise, reason, handled);
        event_loop.work.notify_one();
    });
    runtime.set_host_promise_rejection_tracker(Some(tracker)).await;
}

/// Starts the driver; it runs whenever the context is driven.
pub(super) fn start(ctx: &Ctx<'_>, event_loop: &Rc<EventLoop>) -> Result<()> {
    let in_use = || Exception::throw_internal(ctx, "user data is in use");
    ctx.store_userdata(rejections::Rejections::default()).map_err(|_| in_use())?;
    ctx.spawn(drive(ctx.clone(), event_loop.clone()));
    Ok(())
}

/// Registers the function that runs callbacks; called once, by `lmthing:internal/timers`.
pub(super) fn set_dispatcher<'js>(ctx: &Ctx<'js>, dispatcher: Function<'js>) -> Result<()> {
    let stored = ctx.store_userdata(Dispatcher(dispatcher)).map(drop);
    stored.map_err(|_| Exception::throw_internal(ctx, "user data is in use"))
}

async fn drive(ctx: Ctx<'_>, event_loop: Rc<EventLoop>) {
    loop {
        event_loop.work().await;
        settle_jobs(&ctx, &event_loop);
        if rejections::any(&ctx) {
            // Rust code that just got the promise takes its outcome before anybody calls it unhandled.
            yield_once().await;
            settle_jobs(&ctx, &event_loop);
            report_rejection(&ctx, &event_loop);
        }
        run_timers(&ctx, &event_loop);
        run_immediates(&ctx, &event_loop);
        if event_loop.is_halted() {
            return;
        }
        event_loop.changed.notify_waiters();
        if event_loop.timers.borrow().immediate_count() > 0 || rejections::any(&ctx) {
            event_loop.work.notify_one();
            yield_once().await;
        }
    }
}

fn run_timers(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    let now = event_loop.now();
    while !event_loop.is_halted() {
        let due = event_loop.timers.borrow_mut().pop_due(now);
        let Some(id) = due else { return };
        run_callback(ctx, event_loop, Callback::Timer(id));
    }
}

fn run_immediates(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    let count = event_loop.timers.borrow().immediate_count();
    for _ in 0..count {
        if event_loop.is_halted() {
            return;
        }
        let next = event_loop.timers.borrow_mut().pop_immediate();
        if let Some(id) = next {
            run_callback(ctx, event_loop, Callback::Immediate(id));
        }
    }
}

/// Runs one callback and then everything it made due: ticks and promise jobs.
fn run_callback(ctx: &Ctx<'_>, event_loop: &EventLoop, callback: Callback) {
    dispatch(ctx, event_loop, callback);
    run_ticks(ctx, event_loop);
    settle_jobs(ctx, event_loop);
    report_rejection(ctx, event_loop);
}

/// Promise jobs first, then ticks, until neither is left: the order that holds where a module's code runs.
fn settle_jobs(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    loop {
        run_jobs(ctx, event_loop);
        if !event_loop.tick_requested.get() || event_loop.is_halted() {
            return;
        }
        run_ticks(ctx, event_loop);
    }
}

/// Runs the promise jobs and ticks that are due now, so that whoever awaits what was just settled goes on before the caller
/// does. Not to be called while JavaScript runs.
pub(crate) fn drain_jobs(ctx: &Ctx<'_>) {
    if let Ok(engine::Shared { event_loop, .. }) = engine::shared(ctx) {
        settle_jobs(ctx, &event_loop);
    }
}

fn run_jobs(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while !event_loop.is_halted() && ctx.execute_pending_job() {}
}

/// Runs queued ticks one by one, promise jobs between them.
fn run_ticks(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while event_loop.tick_requested.replace(false) && !event_loop.is_halted() {
        dispatch(ctx, event_loop, Callback::Tick);
        run_jobs(ctx, event_loop);
    }
}

/// Calls into JavaScript; the dispatcher asks for another tick itself when more are queued.
fn dispatch(ctx: &Ctx<'_>, event_loop: &EventLoop, callback: Callback) {
    let dispatcher = ctx.userdata::<Dispatcher>().map(|dispatcher| dispatcher.0.clone());
    let Some(dispatcher) = dispatcher else { return };
    let (kind, id) = match callback {
        Callback::Tick => ("tick", 0),
        Callback::Timer(id) => ("timer", id),
        Callback::Immediate(id) => ("immediate", id),
    };
    if let Err(error) = dispatcher.call::<_, ()>((kind, id))
        && !event_loop.is_halted()
    {
        event_loop.halt(Halt::Uncaught(diagnose_error(ctx, error)));
    }
}

fn report_rejection(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    if event_loop.is_halted() {
        return;
    }
    if let Some(reason) = rejections::take_first(ctx) {
        event_loop.halt(Halt::UnhandledRejection(diagnose(ctx, reason)));
    }
}

/// Reports an exception that nothing can catch any more.
pub(super) fn report_uncaught<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Result<()> {
    let event_loop = engine::shared(ctx)?.event_loop;
    if !event_loop.is_halted() {
        event_loop.halt(Halt::Uncaught(diagnose(ctx, thrown)));
    }
    Ok(())
}

/// Runs `work` unless the run is ended early, by `process.exit` or an error that nothing can catch; then `work` is dropped
/// and the halt returned, also when it happened while `work` was about to return.
pub async fn until_halted<T>(ctx: &Ctx<'_>, work: impl Future<Output = T>) -> std::result::Result<T, Halt> {
    let Ok(engine::Shared { event_loop, .. }) = engine::shared(ctx) else { return Ok(work.await) };
    tokio::select! {
        biased;
        halt = event_loop.halted() => Err(halt),
        outcome = work => match event_loop.halt.borrow().clone() {
            Some(halt) => Err(halt),
            None => Ok(outcome),
        },
    }
}

/// Waits for what ends the run early. [`until_halted`] is the safer way to wait for it beside the run.
pub async fn halted(ctx: &Ctx<'_>) -> Result<Halt> {
    Ok(engine::shared(ctx)?.event_loop.halted().await)
}

/// Waits until nothing keeps the program alive: no timer or immediate that counts, no request under way. Returns the halt
/// when the run is ended meanwhile.
pub async fn idle(ctx: &Ctx<'_>) -> Result<Option<Halt>> {
    let event_loop = engine::shared(ctx)?.event_loop;
    loop {
        // Jobs that are queued now may set timers; a rejection needs two turns to be called unhandled.
        for _ in 0..3 {
            yield_once().await;
        }
        let changed = event_loop.changed.notified();
        if let Some(halt) = event_loop.halt.borrow().clone() {
            return Ok(Some(halt));
        }
        if event_loop.is_idle() && !rejections::any(ctx) {
            return Ok(None);
        }
        changed.await;
    }
}

/// Whether nothing keeps the program alive at this moment.
pub fn is_idle(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(engine::shared(ctx)?.event_loop.is_idle())
}

/// Lets everything else that is ready run once.
async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
