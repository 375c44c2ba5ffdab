//! The sandbox: model-written TypeScript runs in a process of its own, where nothing can be reached but the registered
//! functions.
//!
//! Owns: starting, feeding and killing worker processes ([`Sandbox`]), the frames between host and worker, what a run
//! comes to ([`RunOutcome`]), and the worker itself ([`worker::main`]). Must not know: prompts, tools, the step loop,
//! the prompt file's engine. Only data crosses the pipes. The `'js` lifetime stays in [`worker`].
//!
//! Two halves: the host half (`host`, `pool`, `spawn`) never parses or evaluates model-written code; the worker half
//! parses, checks, strips and runs it in a fresh restricted engine, after it gave up every right it could.

mod config;
mod functions;
mod host;
mod outcome;
mod pool;
mod protocol;
mod spawn;
pub mod worker;

pub use config::SandboxConfig;
pub use functions::{HostFunctions, NoFunctions};
pub use outcome::{LogLevel, LogLine, RunOutcome};
pub use pool::Sandbox;
pub use spawn::WORKER_SUBCOMMAND;
pub(crate) use spawn::own_program;
