//! Loads the bytecode that the build script made: the only unsafe code of the main process.

use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Module, Result};

use super::BUILTINS;

/// Declares the built-in module whose name is `NAMES[index]`.
///
/// # Errors
/// There is no such module, or memory runs out.
#[expect(
    unsafe_code,
    reason = "QuickJS trusts bytecode; ours comes from the build script, compiled by the engine version that loads it"
)]
pub fn load<'js>(ctx: Ctx<'js>, index: usize) -> Result<Module<'js, Declared>> {
    let builtin = BUILTINS.get(index).ok_or(Error::Unknown)?;
    // SAFETY: the bytes were written by `Module::write` of the same rquickjs (one entry in Cargo.lock serves the build script and
    // the crate). They live as long as the program, compressed or not, which loading without a copy (`JS_READ_OBJ_ROM_DATA`) needs.
    unsafe { Module::load(ctx, builtin.bytecode()) }
}
