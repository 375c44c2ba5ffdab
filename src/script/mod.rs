//! The prompt file's QuickJS: engine, module loader, globals, and the way errors leave it.
//!
//! Owns everything that carries the `'js` lifetime (with the worker half of the sandbox). Knows nothing of models, of the
//! step loop or of the command line: what a script prints goes out through [`ScriptHost`], what goes wrong as a
//! [`Diagnostic`](crate::diagnostic::Diagnostic).

mod builtin;
mod bytecode;
mod diagnose;
mod engine;
mod error;
mod event_loop;
mod globals;
mod host;
mod lazy;
mod loader;
mod native_module;
mod node;
mod user_data;
mod warn;

pub(crate) mod bindings;

pub(crate) use builtin::import_builtin;
pub(crate) use diagnose::diagnose;
pub use diagnose::{Thrown, diagnose_error};
pub use engine::{Engine, EngineOptions, SCRIPT_STACK_SIZE, THREAD_STACK_SIZE};
pub(crate) use error::ScriptError;
pub use event_loop::{Halt, idle, until_halted};
pub(crate) use event_loop::{KeepAlive, drain_jobs, is_idle, settle};
pub(crate) use globals::environment;
pub use globals::exit_code;
pub use host::ScriptHost;
pub use loader::import_file;
pub use native_module::NativeModule;
