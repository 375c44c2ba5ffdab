//! Runs what is due: the one future that calls back into JavaScript.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::runtime::RejectionTracker;
use rquickjs::{AsyncRuntime, Ctx, Error, Function, JsLifetime, Result, Value};

use super::hooks::{self, Origin, tell_rejected, tell_uncaught};
use super::promise_hooks;
use super::rejections;
use super::state::{EventLoop, Halt};
use super::timers::TimerId;
use super::wait::yield_once;
use crate::diagnose::diagnose_error;
use crate::host::ScriptHost;
use crate::user_data;

/// How often the host is told of a script that does not give the engine back.
const BUSY_INTERVAL: Duration = Duration::from_millis(100);

/// The JavaScript function that runs a callback by kind and id, once `lmthing:internal/timers` is loaded.
#[derive(Default, JsLifetime)]
struct Dispatcher<'js>(RefCell<Option<Function<'js>>>);

/// What the dispatcher is asked to run.
#[derive(Clone, Copy)]
enum Callback {
    Tick,
    Timer(TimerId),
    Immediate(TimerId),
}

/// Makes a loop and hooks it into the runtime; part of making an engine, before the context is used.
pub async fn attach(runtime: &AsyncRuntime, host: Rc<dyn ScriptHost>) -> Rc<EventLoop> {
    let event_loop = Rc::new(EventLoop::new());
    let halted = event_loop.clone();
    let mut told = Instant::now();
    // How `process.exit` gets out of JavaScript that is running: a throw could be caught.
    let interrupt = move || {
        if told.elapsed() >= BUSY_INTERVAL {
            told = Instant::now();
            host.busy();
        }
        halted.is_halted() || halted.interrupts() || halted.is_halted()
    };
    runtime.set_interrupt_handler(Some(Box::new(interrupt))).await;
    let woken = event_loop.clone();
    // Called in the middle of JavaScript: it takes a note, the driver looks at it later.
    let tracker: RejectionTracker = Box::new(move |ctx, promise, reason, handled| {
        rejections::track(&ctx, promise, reason, handled);
        woken.wake();
    });
    runtime.set_host_promise_rejection_tracker(Some(tracker)).await;
    runtime.set_promise_hook(Some(promise_hooks::hook())).await;
    event_loop
}

/// Starts the driver, which runs whenever the context is driven; part of making an engine.
pub fn set_up(ctx: &Ctx<'_>, event_loop: Rc<EventLoop>) -> Result<()> {
    rejections::set_up(ctx)?;
    hooks::set_up(ctx)?;
    promise_hooks::set_up(ctx)?;
    user_data::store(ctx, Dispatcher::default())?;
    user_data::store(ctx, event_loop.clone())?;
    ctx.spawn(drive(ctx.clone(), event_loop));
    Ok(())
}

/// Registers the function that runs callbacks; called once, by `lmthing:internal/timers`.
pub fn set_dispatcher<'js>(ctx: &Ctx<'js>, dispatcher: Function<'js>) -> Result<()> {
    user_data::read::<Dispatcher>(ctx)?.0.replace(Some(dispatcher));
    Ok(())
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
        event_loop.turned();
        if event_loop.immediate_count() > 0 || rejections::any(&ctx) {
            // Requests and the prompt's own run get their turn first.
            event_loop.wake();
            yield_once().await;
        }
    }
}

fn run_timers(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    // The clock stands still here: a timer that sets timers of no delay must not keep the loop to itself.
    let now = event_loop.now();
    while !event_loop.is_halted() {
        let Some(id) = event_loop.take_due(now) else { return };
        run_callback(ctx, event_loop, Callback::Timer(id));
    }
}

fn run_immediates(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    // Only those there are now; what they queue waits for the next turn.
    for _ in 0..event_loop.immediate_count() {
        if event_loop.is_halted() {
            return;
        }
        if let Some(id) = event_loop.take_immediate() {
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
        if !event_loop.has_tick() || event_loop.is_halted() {
            return;
        }
        run_ticks(ctx, event_loop);
    }
}

/// Runs the promise jobs and ticks that are due now, so that whoever awaits what was just settled goes on before the
/// caller does. Not to be called while JavaScript runs.
pub fn drain_jobs(ctx: &Ctx<'_>) {
    if let Ok(event_loop) = EventLoop::of(ctx) {
        settle_jobs(ctx, &event_loop);
    }
}

fn run_jobs(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while !event_loop.is_halted() && ctx.execute_pending_job() {}
}

/// Runs all queued ticks, and those that they queue, before any promise job. A tick that throws leaves the others asked for.
fn run_ticks(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while event_loop.take_tick() && !event_loop.is_halted() {
        dispatch(ctx, event_loop, Callback::Tick);
    }
}

/// Calls into JavaScript.
fn dispatch(ctx: &Ctx<'_>, event_loop: &EventLoop, callback: Callback) {
    let dispatcher = ctx.userdata::<Dispatcher>().and_then(|dispatcher| dispatcher.0.borrow().clone());
    // Before the module of timers is loaded nothing can have been queued.
    let Some(dispatcher) = dispatcher else { return };
    let (kind, id) = match callback {
        Callback::Tick => ("tick", 0),
        Callback::Timer(id) => ("timer", id),
        Callback::Immediate(id) => ("immediate", id),
    };
    // `process.exit` ends a callback by an interrupt, which looks like an error here.
    if let Err(error) = dispatcher.call::<_, ()>((kind, id))
        && !event_loop.is_halted()
    {
        end_uncaught(ctx, event_loop, error);
    }
}

fn end_uncaught(ctx: &Ctx<'_>, event_loop: &EventLoop, error: Error) {
    // Interrupted by the clock: whoever set the deadline ends the run, and tells listeners of its end.
    if event_loop.is_late() {
        ctx.catch();
        return;
    }
    if let Some(error) = tell_uncaught(ctx, error, Origin::Call, 1) {
        event_loop.halt(Halt::Uncaught(diagnose_error(ctx, error)));
    }
}

/// Ends the run for a rejection that nobody handled and no listener takes upon itself.
fn report_rejection(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    while !event_loop.is_halted() && !event_loop.is_late() {
        let Some((reason, promise)) = rejections::take_first(ctx) else { return };
        match tell_rejected(ctx, reason, promise) {
            Some(error) => event_loop.halt(Halt::UnhandledRejection(diagnose_error(ctx, error))),
            None => {
                run_ticks(ctx, event_loop);
                settle_jobs(ctx, event_loop);
            }
        }
    }
}

/// Reports an exception that nothing can catch any more.
pub fn report_uncaught<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Result<()> {
    let event_loop = EventLoop::of(ctx)?;
    if !event_loop.is_halted() {
        end_uncaught(ctx, &event_loop, ctx.throw(thrown));
    }
    Ok(())
}
