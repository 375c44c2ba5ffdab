//! The TypeScript that the model writes, before it runs: declarations, syntax, type check, types removed.
//!
//! Owns: what the registered functions look like in TypeScript, whether a piece of code is acceptable, and the plain
//! JavaScript it becomes. Must not know: how code is executed, prompts, JavaScript engines. Code is always the body of
//! an async function; every position that leaves this module counts from 1 within that body.
//!
//! Everything here except [`Declarations`] runs in the sandbox's worker process: parsers and checkers can be exhausted
//! by what they read, so the host never hands them model-written text.

mod body;
mod check;
mod declarations;
mod diagnostics;
mod mode;
mod prepare;
mod strip;
mod syntax;

pub use body::BODY_FILE;
pub use check::{Checker, spawn_checker_thread};
pub use declarations::{Declaration, DeclarationError, Declarations, FunctionSignature};
pub use diagnostics::CodeDiagnostic;
pub use mode::CheckMode;
pub use prepare::{Prepared, Refused, prepare};
pub use strip::LineMap;
