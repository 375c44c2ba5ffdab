//! TypeScript before it runs: declarations, syntax, type check, removal of types.
//!
//! Model-written code is the body of an async function; its positions count from 1 within that body. It is parsed and
//! checked only in the worker process of the sandbox, as parsers and checkers can be exhausted by their input. The
//! host uses [`Declarations`], and the parser for the user's own files.

mod body;
mod check;
mod declarations;
mod diagnostics;
pub mod library;
mod mode;
mod nesting;
mod outline;
mod prepare;
pub mod search;
mod strip;
mod syntax;
mod typescript;

pub use body::BODY_FILE;
pub use check::{Checker, CheckerError, spawn_checker_thread};
pub use declarations::is_usable_name;
pub use declarations::{Declaration, DeclarationError, Declarations, FunctionSignature};
pub use diagnostics::{CodeDiagnostic, without_advice};
pub use mode::CheckMode;
pub use nesting::check_nesting;
pub use outline::TypeScriptParser;
pub use prepare::{Prepared, Refused, prepare};
pub use strip::LineMap;
pub use typescript::{Tree, to_javascript};
