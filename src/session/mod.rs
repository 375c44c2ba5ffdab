//! One run from its first step to its result: the step loop, reading answers, running tool calls, limits and
//! cancellation.

mod admission;
mod answer;
mod clock;
mod combined_limits;
mod doors;
mod failure;
mod file;
mod meter;
mod permits;
mod price_book;
mod program;
mod receive;
mod request;
mod resumed_step;
mod run_log;
mod shared_model;
mod step_loop;
mod tools;
mod waiting;
mod warnings;

pub(crate) use clock::{LATENESS, LateRun, RunClock, WatchedRun};
pub(crate) use combined_limits::CombinedLimits;
pub(crate) use doors::{Outside, doors};
pub(crate) use failure::{ModelOption, RunFailure, failure, without_secrets};
pub(crate) use file::{FileRunOptions, Surroundings, read_input, run_file};
pub(crate) use meter::{Meter, used_before};
pub(crate) use program::{Program, ProgramOptions};
pub(crate) use shared_model::SharedModel;
pub(crate) use warnings::warnings;
