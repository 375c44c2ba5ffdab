//! The event loop of one engine, in Node's order.
//!
//! After each callback: `process.nextTick`, promise jobs, unhandled rejections. In each turn: timers by deadline, then
//! immediates. A single spawned future drives the loop, so jobs always run between two callbacks. Callbacks are stored in
//! JavaScript (`lmthing:internal/timers`). `process.exit`, an uncaught exception or an unhandled rejection ends the run
//! with a [`Halt`].

mod driver;
mod guards;
mod hooks;
mod limits;
mod promise;
mod promise_hooks;
mod rejections;
mod state;
mod timers;
mod wait;
mod wasm_time;

pub use driver::drain_jobs;
pub use driver::{attach, report_uncaught, set_dispatcher, set_up};
pub use guards::{KeepAlive, PendingAnswerGuard, WaitingForScript};
pub use hooks::set_hooks;
pub use hooks::{Origin, emit_before_exit, emit_exit, emit_uncaught, is_exception_unhandled, set_halt_handler};
pub use limits::{
    TurnLimit, WorkLimit, is_late, set_deadline, set_hard_deadline, set_longest_turn, set_work_limit, take_interrupted,
};
pub use promise::settle;
pub use promise_hooks::follow_promises;
pub use state::EventLoop;
pub use state::Halt;
pub use state::{HaltHandler, PendingAnswer};
pub use wait::{
    activity, has_open_work, is_halted, is_idle, is_stalled, last_pending_answer, process_rejections, until_stalled,
};
pub use wait::{idle, until_halted};
