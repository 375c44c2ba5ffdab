//! Compiles and loads bytecode: the only `unsafe` code of the sandbox.
//!
//! The engine that runs code has no compiler, so that code cannot generate code. Another engine in the same process
//! compiles it to bytecode.

use rquickjs::{Ctx, Module, Result, WriteOptions, module::Declared};

use crate::code::BODY_FILE;

/// Bytecode made by [`compile`] in this process, which makes loading it sound.
pub(super) struct Bytecode(Vec<u8>);

/// Compiles a module without evaluating it.
pub(super) fn compile(ctx: &Ctx<'_>, javascript: &str) -> Result<Bytecode> {
    let module = Module::declare(ctx.clone(), BODY_FILE, javascript)?;
    module.write(WriteOptions::default()).map(Bytecode)
}

#[allow(unsafe_code)]
pub(super) fn load<'js>(ctx: &Ctx<'js>, bytecode: &Bytecode) -> Result<Module<'js, Declared>> {
    // SAFETY: the bytes were written by `compile` above, by the same engine version in the same process, and no other
    // code can construct the private field.
    unsafe { Module::load(ctx.clone(), &bytecode.0) }
}
