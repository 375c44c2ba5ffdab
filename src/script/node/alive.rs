//! What keeps a program alive though no operation of its own is under way: a server that listens, a socket that is open, a
//! watcher.

use std::cell::RefCell;

use rquickjs::{Ctx, Function, Object, Result};

use crate::script::event_loop::KeepAlive;
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/alive", init: exports };

/// `{release()}`: the program stays alive until it is called.
fn hold<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let alive = RefCell::new(Some(KeepAlive::new(&ctx)?));
    let object = Object::new(ctx.clone())?;
    object.set("release", Function::new(ctx, move || drop(alive.take()))?)?;
    Ok(object)
}

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("hold", Function::new(ctx.clone(), hold)?)?;
    Ok(exports)
}
