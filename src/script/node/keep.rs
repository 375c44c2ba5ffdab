//! `ref()` and `unref()`: whether something under way keeps the program alive.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, Result};

use crate::script::event_loop::KeepAlive;

/// Keeps the program alive while something is under way and referenced.
pub(super) struct Keep {
    referenced: Cell<bool>,
    active: Cell<bool>,
    guard: RefCell<Option<KeepAlive>>,
}

impl Keep {
    /// Nothing is under way yet.
    pub(super) fn new() -> Self {
        Keep { referenced: Cell::new(true), active: Cell::new(false), guard: RefCell::default() }
    }

    /// Something begins or ends.
    pub(super) fn set_active(&self, ctx: &Ctx<'_>, active: bool) -> Result<()> {
        self.active.set(active);
        self.update(ctx)
    }

    /// `ref()` and `unref()`.
    pub(super) fn set_referenced(&self, ctx: &Ctx<'_>, referenced: bool) -> Result<()> {
        self.referenced.set(referenced);
        self.update(ctx)
    }

    /// Whether the program is kept alive now.
    pub(super) fn holds(&self) -> bool {
        self.guard.borrow().is_some()
    }

    fn update(&self, ctx: &Ctx<'_>) -> Result<()> {
        let wanted = self.referenced.get() && self.active.get();
        if wanted != self.guard.borrow().is_some() {
            let guard = wanted.then(|| KeepAlive::new(ctx)).transpose()?;
            // Dropped outside of the borrow: letting go wakes who waits for the end.
            drop(self.guard.replace(guard));
        }
        Ok(())
    }
}
