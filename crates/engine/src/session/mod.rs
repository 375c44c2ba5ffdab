//! One run from its first step to its result: the step loop, reading answers, running tool calls, limits and
//! cancellation.

mod admission;
mod answer;
mod approval_stop;
mod arguments;
mod batches;
mod clock;
mod combined_limits;
mod failure;
mod file;
mod host_services;
mod meter;
mod permits;
mod price_book;
mod program;
mod receive;
mod receiver;
mod request;
mod resumed_step;
mod run_log;
mod shared_model;
mod sources;
mod step;
mod step_collector;
mod step_loop;
mod step_request;
mod tools;
mod turn_loop;
mod warnings;

pub use batches::BatchAnswers;
pub use clock::{LATENESS, LateRun, RunClock, WatchedRun};
pub use combined_limits::CombinedLimits;
pub use failure::{ModelOption, RunFailure, failure, without_secrets};
pub use file::{FileRunOptions, RunContext, read_input, run_file};
pub use host_services::{HostServiceOptions, host_services};
pub use meter::{Meter, used_before};
pub use program::{LoadError, Program, ProgramOptions};
pub use shared_model::SharedModel;
pub use step_collector::{CollectedSteps, StepCollector};
pub use warnings::warnings;
