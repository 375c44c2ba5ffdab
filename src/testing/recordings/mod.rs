//! Recordings of tests (docs/reference.md, "Recordings of tests"): who answers what a test asks of models, and which
//! exchanges a file keeps.
//!
//! One [`Shelf`] serves a whole `lmthing test`, all of its threads. Each file that is run gets a [`FileRecordings`] from it, on
//! its own thread, and each of its tests a [`TestRecordings`]. What goes into an engine are [`Exchanges`]:
//!
//! ```text
//! let shelf = Shelf::new(mode);                          // once
//! let file = shelf.for_file(&path, &shown);              // each file, on its thread
//! let exchanges = file.own(&redactor);                   //   for the engine of the test file
//! let test = file.begin_test(index);                     //   each test
//! test.begin_attempt();                                  //     each repetition
//! let run = test.recorded(&recording, &redactor)?;       //     each run() with a recording, which has run.exchanges
//! let run = test.unrecorded();                           //     each other run(), with or without a mock
//! run.run_ended();                                       //     after it, unless it was given up
//! test.take_fault();                                     //     after each run, and at the end of a test that has passed
//! file.end_test(passed);
//! file.end(whole);
//! let finished = shelf.finish();                         // once
//! ```
//!
//! `book` is a recording in memory, `run` says who answers a request, `door` stands between a run and models, `changes` says what
//! is written.
//! Must not know: how a test is run, what a recording looks like inside (`provider::record`).
//!
//! [`Exchanges`]: crate::script::bindings::Exchanges

mod book;
mod changes;
mod door;
mod for_file;
mod for_test;
mod mode;
mod run;
mod shelf;
mod tested_file;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use for_file::FileRecordings;
pub(crate) use mode::Mode;
pub(crate) use shelf::Shelf;
pub(crate) use tested_file::recording_of;
