//! Bytecode: the only place with `unsafe` in the crate's sandbox.
//!
//! The engine that runs code has no compiler, so that no code can make code. Another engine of the same process compiles,
//! and the result is handed over as bytecode.

use rquickjs::{Ctx, Module, Result, WriteOptions, module::Declared};

use crate::code::BODY_FILE;

/// Bytecode that [`compile`] made in this process, which is what makes loading it sound.
pub(super) struct Bytecode(Vec<u8>);

/// Compiles a module. The context has the compiler; the code is not evaluated.
///
/// # Errors
/// `Error::Exception` with the syntax error pending in the context.
pub(super) fn compile(ctx: &Ctx<'_>, javascript: &str) -> Result<Bytecode> {
    let module = Module::declare(ctx.clone(), BODY_FILE, javascript)?;
    module.write(WriteOptions::default()).map(Bytecode)
}

/// Loads a compiled module into a context without compiler.
///
/// # Errors
/// `Error::Exception` when there is no memory for it.
#[allow(unsafe_code)]
pub(super) fn load<'js>(ctx: &Ctx<'js>, bytecode: &Bytecode) -> Result<Module<'js, Declared>> {
    // SAFETY: the bytes were written by `compile` above, by the same version of the engine in the same process, and the
    // private field keeps everybody else from making them.
    unsafe { Module::load(ctx.clone(), &bytecode.0) }
}
