//! How long scripts may run before they are interrupted: deadlines, and the leash of what nobody waits for.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Result};

use super::state::EventLoop;

/// Has scripts interrupted that are still running at that time, whatever deadline they have.
pub fn set_latest(ctx: &Ctx<'_>, latest: Instant) -> Result<()> {
    EventLoop::of(ctx)?.set_latest(latest);
    Ok(())
}

/// Has scripts interrupted that are still running some time after the deadline: until then whoever set it may end the run in
/// a better way.
pub fn set_deadline(ctx: &Ctx<'_>, deadline: Option<Instant>) -> Result<()> {
    EventLoop::of(ctx)?.set_deadline(deadline);
    Ok(())
}

/// Whether scripts are being interrupted because their time is up.
pub fn is_late(ctx: &Ctx<'_>) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_late())
}

/// Has any script interrupted that runs longer than this without giving others a turn; those that come behind it run.
pub fn set_leash(ctx: &Ctx<'_>, span: Duration) -> Result<()> {
    EventLoop::of(ctx)?.set_leash(span);
    Ok(())
}

/// Whether any script was interrupted since this was asked last.
pub fn take_interrupted(ctx: &Ctx<'_>) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.take_interrupted())
}

/// Ends the run when a script computes for longer than a span without giving others a turn. Whoever drives the engine says when a
/// turn begins and ends.
pub struct Turns(Rc<EventLoop>, Duration);

impl Turns {
    /// For the engine that `ctx` belongs to.
    pub fn new(ctx: &Ctx<'_>, span: Duration) -> Result<Self> {
        Ok(Turns(EventLoop::of(ctx)?, span))
    }

    /// The engine is driven from now on.
    pub fn begin(&self) {
        self.0.set_turn(Instant::now().checked_add(self.1).map(|ends| (ends, self.1)));
    }

    /// It gives others a turn.
    pub fn end(&self) {
        self.0.set_turn(None);
    }
}
