//! Prompt files run by tests: `run(file, options)` of `lmthing/test`, and smoke tests.
//!
//! Owns: an engine of its own for each run, on the thread of the test, with what `lmthing run` gives it; what the run reports;
//! and its end with the test. Must not know: JavaScript, which test it is, what becomes of the report.

mod collector;
mod runner;

pub(crate) use runner::{PromptRunner, PromptRunnerOptions};
