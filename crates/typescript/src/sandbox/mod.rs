//! Runs model-written TypeScript in a process of its own that can reach nothing but the registered functions.
//!
//! The host half (`host`, `pool`, `spawn`) never parses or evaluates model-written code. The worker half ([`worker`])
//! gives up its rights, then parses, checks, strips and runs the code in a fresh restricted engine. Only data crosses
//! the pipes between them.

mod config;
mod functions;
mod host;
mod outcome;
mod pool;
mod protocol;
mod spawn;
mod state;
pub mod worker;

pub use config::SandboxConfig;
pub use functions::{HostFunctions, NoFunctions};
pub use outcome::{LogLevel, LogLine, RunOutcome};
pub use pool::Sandbox;
pub use spawn::WORKER_SUBCOMMAND;
pub use spawn::own_program;
