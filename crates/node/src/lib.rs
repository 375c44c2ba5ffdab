//! Node for QuickJS: an engine with module loader, event loop, globals and modules of Node, permissions, and readable errors.

mod async_values;
mod builtin;
mod call_site;
mod diagnose;
mod engine;
mod error;
pub mod event_loop;
pub mod gate;
mod globals;
pub mod host;
mod line_buffer;
mod loader;
mod native_module;
mod node;
mod run;
mod string_text;
mod system_error;
pub mod user_data;
pub mod warn;

pub use async_values::{async_value, enable_async_values, with_async_values};
pub use builtin::{Builtins, import_builtin, set_builtins};
pub use call_site::CallSite;
pub use diagnose::{Explain, set_explain};
pub use diagnose::{Thrown, diagnose_error};
pub use diagnose::{diagnose, location_of_function, locations_of_stacks, only_await, place_of_function};
pub use engine::{Engine, EngineOptions, MAX_SCRIPT_MEMORY, SCRIPT_STACK_SIZE, THREAD_STACK_SIZE};
pub use error::{AboutValue, ScriptError};
pub use event_loop::{Halt, idle, until_halted};
pub use event_loop::{
    HaltHandler, KeepAlive, PendingAnswer, PendingAnswerGuard, TurnLimit, WaitingForScript, WorkLimit, activity,
    drain_jobs, has_open_work, is_late, is_stalled, last_pending_answer, process_rejections, set_deadline,
    set_halt_handler, set_hard_deadline, set_longest_turn, set_work_limit, settle, take_interrupted, until_stalled,
};
pub use event_loop::{Origin, emit_before_exit, emit_exit, emit_uncaught, is_exception_unhandled, is_halted, is_idle};
pub use gate::{DeniedAccess, denied_accesses, exit_location};
pub use globals::Bytes;
pub use globals::ExitCalled;
pub use globals::environment;
pub use globals::exit_code;
pub use host::{ScriptHost, SilentHost};
pub use line_buffer::LineBuffer;
pub use loader::import_file;
pub use loader::{ImportLookup, ImportProblem, ImportTarget, LoadFailure, read_module};
pub use loader::{calling_file, import_file_once, is_name_mentioned, set_name_mentioned};
pub use native_module::NativeModule;
pub use node::{end_children, keep_typed_keys, receive_signals, restore_terminal, take_signal};
pub use run::{ScriptEnd, run_script};
pub use string_text::{WellFormed, string_text};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
