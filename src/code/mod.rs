//! TypeScript before it runs: declarations, syntax, type check, types removed.
//!
//! Owns: what the registered functions look like in TypeScript, whether a piece of model-written code is acceptable, and
//! the plain JavaScript that it, or a prompt file, becomes. Must not know: how code is executed, prompts, JavaScript
//! engines. Model-written code is always the body of an async function; its positions count from 1 within that body.
//!
//! Model-written code is parsed and checked in the sandbox's worker process alone: parsers and checkers can be exhausted
//! by what they read. The host uses [`Declarations`], and the parser for what the user wrote.

mod body;
mod check;
mod declarations;
mod diagnostics;
pub(crate) mod library;
mod mode;
mod nesting;
mod outline;
mod prepare;
pub(crate) mod search;
mod strip;
mod syntax;
mod typescript;

pub use body::BODY_FILE;
pub use check::{Checker, spawn_checker_thread};
pub(crate) use declarations::is_usable_name;
pub use declarations::{Declaration, DeclarationError, Declarations, FunctionSignature};
pub use diagnostics::CodeDiagnostic;
pub use mode::CheckMode;
pub(crate) use nesting::check_nesting;
pub use outline::TypeScriptParser;
pub use prepare::{Prepared, Refused, prepare};
pub use strip::LineMap;
pub(crate) use typescript::{Tree, to_javascript};
