//! The event loop of one engine, in Node's order: after every callback first `process.nextTick`, then promise jobs, then
//! rejections nobody handled; timers by deadline, then immediates.
//!
//! A single spawned future drives it, so that two callbacks never run without the jobs between them. Callbacks live in
//! JavaScript (`lmthing:internal/timers`); here are only ids and deadlines. What ends the run early (`process.exit`, an
//! uncaught exception, an unhandled rejection) is kept as the one [`Halt`] for the host to await.

mod driver;
mod hooks;
mod limits;
mod promise;
mod promise_hooks;
mod rejections;
mod state;
mod timers;
mod wait;

pub use driver::drain_jobs;
pub use driver::{attach, report_uncaught, set_dispatcher, set_up};
pub use hooks::set_hooks;
pub use hooks::{Origin, catch_ends, is_unheeded, tell_before_exit, tell_exit, tell_uncaught};
pub use limits::{Turns, is_late, set_deadline, set_latest, set_leash, take_interrupted};
pub use promise::settle;
pub use promise_hooks::follow_promises;
pub use state::EventLoop;
pub use state::Halt;
pub use state::{Asked, Asking, Catcher, KeepAlive, WaitingForScript};
pub use wait::{breathe, is_halted, is_idle, is_still, last_asked, still};
pub use wait::{idle, until_halted};
