//! One run from first step to result: the step loop and what it does with a model's answer.
//!
//! Owns: the order of things in a step, collecting an answer from its stream, starting tool calls while the answer is
//! still arriving, limits and cancellation. Must not know: JavaScript (it drives a [`PromptHost`]), wire formats,
//! terminals.
//!
//! [`PromptHost`]: crate::prompt::PromptHost

mod admission;
mod answer;
mod clock;
mod doors;
mod endings;
mod failure;
mod file;
mod going_on;
mod kept;
mod meter;
mod overall;
mod permits;
mod price_book;
mod program;
mod receive;
mod request;
mod shared_model;
mod standstill;
mod step_loop;
mod tools;
mod used;
mod waiting;
mod warnings;

pub(crate) use clock::{LATENESS, LateRun, RunClock, WatchedRun};
pub(crate) use doors::{Outside, doors};
pub(crate) use failure::{AskedModel, RunFailure, failure, without_secrets};
pub(crate) use file::{FileRunOptions, Surroundings, read_input, run_file};
pub(crate) use meter::Meter;
pub(crate) use overall::Overall;
pub(crate) use program::{Program, ProgramOptions};
pub(crate) use shared_model::SharedModel;
pub(crate) use used::used_before;
pub(crate) use warnings::warnings;
