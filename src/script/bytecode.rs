//! The one unsafe door of the crate: loading the bytecode that our own build script made.

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Result};

use super::builtin::Builtin;

/// Declares the module a builtin was compiled from.
#[expect(
    unsafe_code,
    reason = "QuickJS trusts bytecode; ours comes from build.rs, compiled by the engine version that loads it"
)]
pub(super) fn load<'js>(ctx: &Ctx<'js>, builtin: &'static Builtin) -> Result<Module<'js, Declared>> {
    // SAFETY: a `Builtin` is made only by the table that build.rs generates. Its bytes were written by `Module::write` of
    // the same rquickjs (one entry in Cargo.lock serves the build script and the crate), and they live as long as the
    // program, unpacked or not, which loading without a copy (`JS_READ_OBJ_ROM_DATA`) asks for.
    unsafe { Module::load(ctx.clone(), builtin.bytecode()) }
}
