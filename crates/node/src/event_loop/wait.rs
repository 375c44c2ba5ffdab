//! Waiting for the loop from outside: for the end of some work, for the end of everything.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::limits::is_late;
use super::rejections;
use super::state::{Asked, EventLoop, Halt};

/// Runs `work` unless the run is ended early, by `process.exit` or an error that nothing can catch; then `work` is dropped
/// and the halt returned, also when it happened while `work` was about to return.
pub async fn until_halted<T>(ctx: &Ctx<'_>, work: impl Future<Output = T>) -> std::result::Result<T, Halt> {
    let Ok(event_loop) = EventLoop::of(ctx) else { return Ok(work.await) };
    tokio::select! {
        biased;
        halt = event_loop.halted() => Err(halt),
        outcome = work => match event_loop.why_halted() {
            Some(halt) => Err(halt),
            None => Ok(outcome),
        },
    }
}

/// Waits until nothing keeps the program alive: no timer or immediate that counts, no request under way. Returns the halt
/// when the run is ended meanwhile.
pub async fn idle(ctx: &Ctx<'_>) -> Result<Option<Halt>> {
    let event_loop = EventLoop::of(ctx)?;
    loop {
        // Jobs that are queued now may set timers; a rejection needs two turns to be called unhandled.
        for _ in 0..3 {
            yield_once().await;
        }
        let changed = event_loop.changed();
        if let Some(halt) = event_loop.why_halted() {
            return Ok(Some(halt));
        }
        if event_loop.is_idle() && !rejections::any(ctx) {
            return Ok(None);
        }
        changed.await;
    }
}

/// Waits until nothing will happen any more unless the script does something by itself. Never resolves once the run is
/// ended.
pub async fn still(ctx: &Ctx<'_>) -> Result<()> {
    let event_loop = EventLoop::of(ctx)?;
    loop {
        for _ in 0..3 {
            yield_once().await;
        }
        let changed = event_loop.changed();
        if !event_loop.is_halted() && event_loop.is_still() && !rejections::any(ctx) {
            return Ok(());
        }
        changed.await;
    }
}

/// Whether that holds at this moment.
pub fn is_still(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(EventLoop::of(ctx)?.is_still())
}

/// Whether nothing keeps the program alive at this moment.
pub fn is_idle(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(EventLoop::of(ctx)?.is_idle())
}

/// Whether the run was ended early; JavaScript does not get far any more then.
pub fn is_halted(ctx: &Ctx<'_>) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_halted())
}

/// What the script was asked last and has not answered.
pub fn last_asked(ctx: &Ctx<'_>) -> Result<Option<Rc<Asked>>> {
    Ok(EventLoop::of(ctx)?.last_asked())
}

/// Lets everything else that is ready run once.
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

/// Lets what is due now run, so that rejections nobody handles are known.
pub async fn breathe(ctx: &Ctx<'_>) {
    for _ in 0..5 {
        yield_once().await;
    }
    while rejections::any(ctx) && !is_late(ctx) {
        yield_once().await;
    }
}
