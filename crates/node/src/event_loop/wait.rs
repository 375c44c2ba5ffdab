//! Waits for the loop from Rust.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::driver::{settle_jobs, yield_once};
use super::limits::is_late;
use super::rejections;
use super::state::{EventLoop, Halt, PendingAnswer};

/// Runs `work` until it is done or the run is halted. A halt is returned also if `work` is done at the same time.
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

/// Waits until nothing keeps the program alive: no referenced timer or immediate, no running request. Returns the halt if
/// the run is halted before.
pub async fn idle(ctx: &Ctx<'_>) -> Result<Option<Halt>> {
    until_lasting(ctx, EventLoop::is_idle).await
}

/// Waits until nothing is pending that could run the script again. Never resolves after a halt.
pub async fn until_stalled(ctx: &Ctx<'_>) -> Result<()> {
    match until_lasting(ctx, EventLoop::is_stalled).await? {
        Some(_) => std::future::pending().await,
        None => Ok(()),
    }
}

/// Waits for a state of the loop that all work which is ready leaves as it is. Returns the halt if the run is halted
/// before.
async fn until_lasting(ctx: &Ctx<'_>, is_reached: fn(&EventLoop) -> bool) -> Result<Option<Halt>> {
    let event_loop = EventLoop::of(ctx)?;
    let is_reached = || is_reached(&event_loop) && !rejections::any(ctx);
    loop {
        // Created before the checks, so that no change is missed.
        let changed = event_loop.changed();
        if is_reached() {
            run_queued(ctx, &event_loop).await;
        }
        if let Some(halt) = event_loop.why_halted() {
            return Ok(Some(halt));
        }
        if is_reached() {
            return Ok(None);
        }
        changed.await;
    }
}

/// A number that grows with all that the program does: promises, ticks, timers, requests that begin or end. The program was
/// at rest if it is the same as before.
pub fn activity(ctx: &Ctx<'_>) -> Result<u64> {
    Ok(EventLoop::of(ctx)?.activity.get())
}

/// Whether nothing is pending that could run the script again.
pub fn is_stalled(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(EventLoop::of(ctx)?.is_stalled())
}

/// Whether more keeps the program alive than `waiting` guards that wait for something outside of it. A timer does.
pub fn has_open_work(ctx: &Ctx<'_>, waiting: usize) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.has_open_work(waiting))
}

/// Whether nothing keeps the program alive.
pub fn is_idle(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(EventLoop::of(ctx)?.is_idle())
}

/// Whether the run was halted. JavaScript is interrupted soon after it starts then.
pub fn is_halted(ctx: &Ctx<'_>) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_halted())
}

/// The most recent answer that the script has not given yet.
pub fn last_pending_answer(ctx: &Ctx<'_>) -> Result<Option<Rc<PendingAnswer>>> {
    Ok(EventLoop::of(ctx)?.last_pending_answer())
}

/// Polls the other futures and runs promise jobs and ticks until nothing has happened in three rounds in a row. Each may
/// set a timer or start a request, and a rejection needs two rounds to count as unhandled. The runtime runs jobs between
/// two rounds as well, so the jobs that are run here do not show that the program is at rest.
async fn run_queued(ctx: &Ctx<'_>, event_loop: &EventLoop) {
    let mut quiet_rounds = 0;
    while quiet_rounds < 3 && !event_loop.is_halted() {
        let before = event_loop.activity.get();
        yield_once().await;
        settle_jobs(ctx, event_loop);
        quiet_rounds = if event_loop.activity.get() == before { quiet_rounds + 1 } else { 0 };
    }
}

/// Runs due jobs until all unhandled rejections are reported.
pub async fn process_rejections(ctx: &Ctx<'_>) {
    for _ in 0..5 {
        yield_once().await;
    }
    while rejections::any(ctx) && !is_late(ctx) {
        yield_once().await;
    }
}
