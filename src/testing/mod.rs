//! Tests of prompt files: which files hold some, running each in an engine of its own, and reports of what came of it
//! (docs/testing.md).
//!
//! Owns: discovery, isolation, limits, recordings of tests, results, reports as text. Must not know: how a model is reached,
//! what a terminal is.

// The rooms around it are being built.
#![allow(dead_code, unused_imports)]

mod outcome;
mod report;

pub(crate) use outcome::{Failure, FileOutcome, Snapshots, State, TestOutcome, Totals};
