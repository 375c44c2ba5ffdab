//! The prompt file's QuickJS: engine, module loader, globals, and the way errors leave it.
//!
//! Owns everything that carries the `'js` lifetime (with the worker half of the sandbox). Knows nothing of models, of the
//! step loop or of the command line: what a script prints goes out through [`ScriptHost`], what goes wrong as a
//! [`Diagnostic`](crate::diagnostic::Diagnostic).

mod builtin;
mod bytecode;
mod engine;
mod error;
mod event_loop;
mod globals;
mod host;
mod lazy;
mod loader;
mod native_module;
mod warn;

pub mod bindings;

pub use builtin::import_builtin;
pub use engine::{Engine, EngineOptions, SCRIPT_STACK_SIZE, THREAD_STACK_SIZE, exit_code, import_file};
pub use error::{ScriptError, Thrown, diagnose, diagnose_error};
pub(crate) use event_loop::drain_jobs;
pub use event_loop::{Halt, Interrupt, KeepAlive, halted, idle, is_idle, settle, until_halted};
pub use globals::environment;
pub use host::ScriptHost;
pub use lazy::{LazyGlobal, lazy_global, lazy_globals};
pub use native_module::{NativeModule, NativeModuleInit};
