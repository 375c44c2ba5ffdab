//! libuv's handle rule: an active, referenced handle keeps the program alive (`ref()`, `unref()`).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result};

use crate::event_loop::KeepAlive;
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/alive", init: exports };

/// Keeps the program alive while it is active and referenced.
pub(super) struct LoopHandle {
    referenced: Cell<bool>,
    active: Cell<bool>,
    guard: RefCell<Option<KeepAlive>>,
}

impl LoopHandle {
    pub(super) fn new() -> Self {
        LoopHandle { referenced: Cell::new(true), active: Cell::new(false), guard: RefCell::default() }
    }

    pub(super) fn set_active(&self, ctx: &Ctx<'_>, active: bool) -> Result<()> {
        self.active.set(active);
        self.update(ctx)
    }

    pub(super) fn set_referenced(&self, ctx: &Ctx<'_>, referenced: bool) -> Result<()> {
        self.referenced.set(referenced);
        self.update(ctx)
    }

    pub(super) fn is_alive(&self) -> bool {
        self.guard.borrow().is_some()
    }

    fn update(&self, ctx: &Ctx<'_>) -> Result<()> {
        let wanted = self.referenced.get() && self.active.get();
        if wanted != self.guard.borrow().is_some() {
            let guard = wanted.then(|| KeepAlive::new(ctx)).transpose()?;
            // Dropped after the borrow ends: dropping a guard wakes tasks that wait for the end.
            drop(self.guard.replace(guard));
        }
        Ok(())
    }
}

/// `{setActive(on), setReferenced(on), isAlive()}`; inactive at first.
fn new_handle<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let handle = Rc::new(LoopHandle::new());
    let object = Object::new(ctx.clone())?;
    let own = handle.clone();
    let set_active = move |ctx: Ctx<'js>, active: bool| own.set_active(&ctx, active);
    object.set("setActive", Function::new(ctx.clone(), set_active)?)?;
    let own = handle.clone();
    let set_referenced = move |ctx: Ctx<'js>, referenced: bool| own.set_referenced(&ctx, referenced);
    object.set("setReferenced", Function::new(ctx.clone(), set_referenced)?)?;
    object.set("isAlive", Function::new(ctx, move || handle.is_alive())?)?;
    Ok(object)
}

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("createLoopHandle", Function::new(ctx.clone(), new_handle)?)?;
    Ok(exports)
}
