//! Loads the bytecode made by the build script: the only `unsafe` code of the crate.

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Result};

use super::builtin::Builtin;

#[expect(
    unsafe_code,
    reason = "QuickJS trusts bytecode; ours comes from build.rs, compiled by the engine version that loads it"
)]
pub fn load<'js>(ctx: &Ctx<'js>, builtin: &'static Builtin) -> Result<Module<'js, Declared>> {
    // SAFETY: a `Builtin` is made only by the table that build.rs generates. Its bytes were written by `Module::write`
    // of the same rquickjs (one entry in Cargo.lock serves the build script and the crate), and they are `'static`,
    // packed or not, as loading without a copy (`JS_READ_OBJ_ROM_DATA`) requires.
    unsafe { Module::load(ctx.clone(), builtin.bytecode()) }
}
