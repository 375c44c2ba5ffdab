//! Guards that say what the program waits for.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::state::{EventLoop, PendingAnswer};

/// Registers a [`PendingAnswer`] until dropped.
pub struct PendingAnswerGuard {
    event_loop: Rc<EventLoop>,
    answer: Rc<PendingAnswer>,
}

impl PendingAnswerGuard {
    pub fn new(ctx: &Ctx<'_>, answer: PendingAnswer) -> Result<Self> {
        let (event_loop, answer) = (EventLoop::of(ctx)?, Rc::new(answer));
        event_loop.pending_answers.borrow_mut().push(answer.clone());
        Ok(Self { event_loop, answer })
    }
}

impl Drop for PendingAnswerGuard {
    fn drop(&mut self) {
        self.event_loop.pending_answers.borrow_mut().retain(|answer| !Rc::ptr_eq(answer, &self.answer));
    }
}

/// Marks one [`KeepAlive`] as waiting for nothing but the script, until dropped.
pub struct WaitingForScript(Rc<EventLoop>);

impl WaitingForScript {
    pub fn new(ctx: &Ctx<'_>) -> Result<Self> {
        let event_loop = EventLoop::of(ctx)?;
        event_loop.waiting_for_script.set(event_loop.waiting_for_script.get() + 1);
        event_loop.notify_changed();
        Ok(Self(event_loop))
    }
}

impl Drop for WaitingForScript {
    fn drop(&mut self) {
        self.0.waiting_for_script.set(self.0.waiting_for_script.get() - 1);
        self.0.notify_changed();
    }
}

/// Keeps the program alive until dropped, as a running request does.
pub struct KeepAlive(Rc<EventLoop>);

impl KeepAlive {
    pub fn new(ctx: &Ctx<'_>) -> Result<Self> {
        let event_loop = EventLoop::of(ctx)?;
        event_loop.keep_alive.set(event_loop.keep_alive.get() + 1);
        event_loop.note_activity();
        Ok(Self(event_loop))
    }

    /// Keeps the program alive from this call on until `work` is done. A guard that `work` creates itself would be too late:
    /// the program could count as idle before the first poll.
    pub fn during<T, W: Future<Output = T>>(ctx: &Ctx<'_>, work: W) -> impl Future<Output = T> + use<T, W> {
        let alive = Self::new(ctx);
        async move {
            let _alive = alive;
            work.await
        }
    }
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.0.keep_alive.set(self.0.keep_alive.get() - 1);
        self.0.notify_changed();
    }
}
