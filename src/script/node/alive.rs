//! What keeps a program alive though no operation of its own is under way: a server that listens, a socket that is open, a
//! watcher. The rule of `ref()` and `unref()` is [`Keep`]'s.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result};

use super::keep::Keep;
use crate::script::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/alive", init: exports };

/// `{setActive(on), setReferenced(on), isKept()}`: the program stays alive while both are on. Nothing is active at first.
fn keeper<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let keep = Rc::new(Keep::new());
    let object = Object::new(ctx.clone())?;
    let own = keep.clone();
    let set_active = move |ctx: Ctx<'js>, active: bool| own.set_active(&ctx, active);
    object.set("setActive", Function::new(ctx.clone(), set_active)?)?;
    let own = keep.clone();
    let set_referenced = move |ctx: Ctx<'js>, referenced: bool| own.set_referenced(&ctx, referenced);
    object.set("setReferenced", Function::new(ctx.clone(), set_referenced)?)?;
    object.set("isKept", Function::new(ctx, move || keep.holds())?)?;
    Ok(object)
}

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("keeper", Function::new(ctx.clone(), keeper)?)?;
    Ok(exports)
}
