//! Prompt files in folders, as the file system has them: which there are by their names, and what happens to them.
//!
//! Owns: the names of prompt files and of tests, looking through folders, and watching files with what they are made of. Must not
//! know: what is in a file, nor what is done with it.

mod names;
mod search;
mod watch;
mod words;

pub(crate) use names::{ENDINGS, absolute, is_prompt_file, is_test_file};
pub(crate) use search::{Found, FoundFile, find};
pub(crate) use watch::{FileWatcher, Report, Reported, Reporter, RunWatcher, What};
pub(crate) use words::words;
