//! The future that runs due callbacks.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::runtime::RejectionTracker;
use rquickjs::{AsyncRuntime, Ctx, Error, Function, JsLifetime, Result, Value};

use super::hooks::{self, Origin, emit_rejected, emit_uncaught};
use super::promise_hooks;
use super::rejections;
use super::state::{EventLoop, Halt};
use super::timers::TimerId;
use crate::diagnose::diagnose_error;
use crate::host::ScriptHost;
use crate::user_data;

/// How often the host is notified while a script does not yield.
const BUSY_INTERVAL: Duration = Duration::from_millis(100);

/// The JavaScript function that runs callbacks, once `lmthing:internal/timers` is loaded.
#[derive(Default, JsLifetime)]
struct Dispatcher<'js>(RefCell<Option<Function<'js>>>);

#[derive(Clone, Copy)]
enum Callback {
    Tick,
    Timer(TimerId),
    Immediate(TimerId),
}

/// Creates the loop and sets the hooks of the runtime. Must be called before the context is used.
pub async fn attach(runtime: &AsyncRuntime, host: Rc<dyn ScriptHost>) -> Rc<EventLoop> {
    let event_loop = Rc::new(EventLoop::new());
    let interrupted_loop = event_loop.clone();
    let mut last_notified = Instant::now();
    // `process.exit` interrupts the running JavaScript, as an exception could be caught.
    let interrupt = move || {
        if last_notified.elapsed() >= BUSY_INTERVAL {
            last_notified = Instant::now();
            host.busy();
            if let Some(warning) = interrupted_loop.wasm_time.take_warning() {
                host.warn(&warning);
            }
        }
        interrupted_loop.is_halted()
            || host.is_cancelled()
            || interrupted_loop.should_interrupt()
            || interrupted_loop.is_halted()
    };
    runtime.set_interrupt_handler(Some(Box::new(interrupt))).await;
    let tracked_loop = event_loop.clone();
    // Called while JavaScript runs, so it only records the rejection for the driver.
    let tracker: RejectionTracker = Box::new(move |ctx, promise, reason, handled| {
        rejections::track(&ctx, promise, reason, handled);
        tracked_loop.wake();
    });
    runtime.set_host_promise_rejection_tracker(Some(tracker)).await;
    let active_loop = event_loop.clone();
    runtime.set_promise_hook(Some(promise_hooks::hook(move || active_loop.note_activity()))).await;
    event_loop
}

/// Starts the driver.
pub fn set_up(ctx: &Ctx<'_>, event_loop: Rc<EventLoop>) -> Result<()> {
    rejections::set_up(ctx)?;
    hooks::set_up(ctx)?;
    promise_hooks::set_up(ctx)?;
    user_data::store(ctx, Dispatcher::default())?;
    user_data::store(ctx, event_loop.clone())?;
    ctx.spawn(drive(ctx.clone(), event_loop));
    Ok(())
}

/// Called once, by `lmthing:internal/timers`.
pub fn set_dispatcher<'js>(ctx: &Ctx<'js>, dispatcher: Function<'js>) -> Result<()> {
    user_data::read::<Dispatcher>(ctx)?.0.replace(Some(dispatcher));
    Ok(())
}

async fn drive(ctx: Ctx<'_>, event_loop: Rc<EventLoop>) {
    loop {
        event_loop.work().await;
        settle_jobs(&ctx, &event_loop);
        if rejections::any(&ctx) {
            // Rust code that awaits the promise may handle the rejection first.
            yield_once().await;
            settle_jobs(&ctx, &event_loop);
            report_rejection(&ctx, &event_loop);
        }
        run_timers(&ctx, &event_loop);
        run_immediates(&ctx, &event_loop);
        if event_loop.is_halted() {
            return;
        }
        event_loop.notify_changed();
        if event_loop.immediate_count() > 0 || rejections::any(&ctx) {
            // Other futures of the program run first.
            event_loop.wake();
            yield_once().await;
        }
    }
}

/// Polls all other futures that are ready once.
pub(super) async fn yield_once() {
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

fn run_timers(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    // The time is read once, so that timers that set timers without delay cannot block the loop.
    let now = event_loop.now();
    while !event_loop.is_halted() {
        let Some(id) = event_loop.take_due(now) else { return };
        run_callback(ctx, event_loop, Callback::Timer(id));
    }
}

fn run_immediates(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    // Immediates that these queue run in the next turn.
    for _ in 0..event_loop.immediate_count() {
        if event_loop.is_halted() {
            return;
        }
        if let Some(id) = event_loop.take_immediate() {
            run_callback(ctx, event_loop, Callback::Immediate(id));
        }
    }
}

/// Runs one callback, then the ticks and promise jobs that it queued.
fn run_callback(ctx: &Ctx<'_>, event_loop: &EventLoop, callback: Callback) {
    dispatch(ctx, event_loop, callback);
    run_ticks(ctx, event_loop);
    settle_jobs(ctx, event_loop);
    report_rejection(ctx, event_loop);
}

/// Runs promise jobs, then ticks, until neither is left. This is the order after a module's top-level code.
pub(super) fn settle_jobs(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    loop {
        run_jobs(ctx, event_loop);
        if !event_loop.has_tick() || event_loop.is_halted() {
            return;
        }
        run_ticks(ctx, event_loop);
    }
}

/// Runs due promise jobs and ticks, so that code that awaits a settled promise resumes before the caller continues. Must
/// not be called while JavaScript runs.
pub fn drain_jobs(ctx: &Ctx<'_>) {
    if let Ok(event_loop) = EventLoop::of(ctx) {
        settle_jobs(ctx, &event_loop);
    }
}

fn run_jobs(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while !event_loop.is_halted() && ctx.execute_pending_job() {
        event_loop.note_activity();
    }
}

/// Runs all ticks, including those that they queue, before any promise job. The others still run if one throws.
fn run_ticks(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while event_loop.take_tick() && !event_loop.is_halted() {
        event_loop.note_activity();
        dispatch(ctx, event_loop, Callback::Tick);
    }
}

fn dispatch(ctx: &Ctx<'_>, event_loop: &EventLoop, callback: Callback) {
    let dispatcher = ctx.userdata::<Dispatcher>().and_then(|dispatcher| dispatcher.0.borrow().clone());
    // Nothing can be queued before the module is loaded.
    let Some(dispatcher) = dispatcher else { return };
    let (kind, id) = match callback {
        Callback::Tick => ("tick", 0),
        Callback::Timer(id) => ("timer", id),
        Callback::Immediate(id) => ("immediate", id),
    };
    // `process.exit` interrupts the callback, which returns an error here.
    if let Err(error) = dispatcher.call::<_, ()>((kind, id))
        && !event_loop.is_halted()
    {
        end_uncaught(ctx, event_loop, error);
    }
}

fn end_uncaught(ctx: &Ctx<'_>, event_loop: &EventLoop, error: Error) {
    // The code that set the deadline ends the run and calls its listeners.
    if event_loop.is_late() {
        ctx.catch();
        return;
    }
    if let Some(error) = emit_uncaught(ctx, error, Origin::Call, 1) {
        event_loop.halt(Halt::Uncaught(diagnose_error(ctx, error)));
    }
}

/// Ends the run for an unhandled rejection, unless a listener handles it.
fn report_rejection(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while !event_loop.is_halted() && !event_loop.is_late() {
        let Some((reason, promise)) = rejections::take_first(ctx) else { return };
        match emit_rejected(ctx, reason, promise) {
            Some(error) => event_loop.halt(Halt::UnhandledRejection(diagnose_error(ctx, error))),
            None => {
                run_ticks(ctx, event_loop);
                settle_jobs(ctx, event_loop);
            }
        }
    }
}

/// Reports an exception that no script can catch.
pub fn report_uncaught<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Result<()> {
    let event_loop = EventLoop::of(ctx)?;
    if !event_loop.is_halted() {
        end_uncaught(ctx, &event_loop, ctx.throw(thrown));
    }
    Ok(())
}
