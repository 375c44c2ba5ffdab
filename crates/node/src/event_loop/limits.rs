//! How long scripts may run before they are interrupted.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Result};

use super::state::EventLoop;

/// Interrupts scripts that are still running at that time, whatever [`set_deadline`] says.
pub fn set_hard_deadline(ctx: &Ctx<'_>, deadline: Instant) -> Result<()> {
    EventLoop::of(ctx)?.set_hard_deadline(deadline);
    Ok(())
}

/// Interrupts scripts that are still running half a second after the deadline. The caller can end the run in another way
/// before that.
pub fn set_deadline(ctx: &Ctx<'_>, deadline: Option<Instant>) -> Result<()> {
    EventLoop::of(ctx)?.set_deadline(deadline);
    Ok(())
}

/// Interrupts scripts once this thread has computed for that long, until another limit is set. A busy machine and time
/// spent waiting do not count.
pub fn set_work_limit(ctx: &Ctx<'_>, work: Duration) -> Result<()> {
    EventLoop::of(ctx)?.set_work_limit(work);
    Ok(())
}

/// Interrupts scripts that compute for too long, one after the other, while the others of the engine go on. A busy machine
/// and time spent waiting do not count. The driver of the engine calls [`WorkLimit::restart`] at the beginning of each turn.
#[derive(Clone)]
pub struct WorkLimit(Rc<EventLoop>, Duration);

impl WorkLimit {
    pub fn new(ctx: &Ctx<'_>, work: Duration) -> Result<Self> {
        Ok(WorkLimit(EventLoop::of(ctx)?, work))
    }

    /// What runs from now on has all of the time.
    pub fn restart(&self) {
        self.0.set_longest_work(self.1);
    }

    /// Whether a script was interrupted since the last call.
    pub fn take_interrupted(&self) -> bool {
        self.0.take_interrupted()
    }
}

/// Whether scripts are interrupted because their deadline has passed.
pub fn is_late(ctx: &Ctx<'_>) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.is_late())
}

/// Interrupts each script that runs longer than this without yielding; later scripts may run again.
pub fn set_longest_turn(ctx: &Ctx<'_>, span: Duration) -> Result<()> {
    EventLoop::of(ctx)?.set_longest_turn(span);
    Ok(())
}

/// Whether a script was interrupted since the last call.
pub fn take_interrupted(ctx: &Ctx<'_>) -> bool {
    EventLoop::of(ctx).is_ok_and(|event_loop| event_loop.take_interrupted())
}

/// Ends the run if a script computes for longer than a time span without yielding. The driver of the engine marks where
/// turns begin and end.
pub struct TurnLimit(Rc<EventLoop>, Duration);

impl TurnLimit {
    pub fn new(ctx: &Ctx<'_>, span: Duration) -> Result<Self> {
        Ok(TurnLimit(EventLoop::of(ctx)?, span))
    }

    pub fn begin(&self) {
        self.0.set_turn(Instant::now().checked_add(self.1).map(|end| (end, self.1)));
    }

    pub fn end(&self) {
        self.0.set_turn(None);
    }
}
