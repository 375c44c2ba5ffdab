//! Reports of tests as text: for people, as TAP, JSON and JUnit XML, as annotations of GitHub.
//!
//! Owns: what a report looks like. Must not know: how tests are run, where the text goes, what time it is. It reads the lines
//! of source that failures point to, nothing else.

mod annotations;
mod json;
mod junit;
mod live;
mod pretty;
#[cfg(test)]
mod samples;
mod shown;
mod style;
mod tap;
mod tree;

use std::{path::PathBuf, time::SystemTime};

pub(crate) use annotations::Annotations;
pub(crate) use json::Json;
pub(crate) use junit::JUnit;
pub(crate) use live::Live;
pub(crate) use pretty::Pretty;
pub(crate) use shown::one_line;
pub(crate) use tap::Tap;

use super::outcome::{FileOutcome, Totals};

/// Makes text of what comes of tests.
pub(crate) trait Reporter {
    /// Before the first file. `files` is how many there are.
    fn begin(&mut self, files: usize, at: SystemTime) -> Output {
        let _ = (files, at);
        Output::default()
    }

    /// A file is done; called in the order in which files are reported.
    fn file(&mut self, file: &FileOutcome) -> Output;

    /// All files are done.
    fn end(&mut self, end: &End<'_>) -> Output;
}

/// Text to be written, each with the ends of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// For standard output: the report.
    pub(crate) stdout: String,
    /// For standard error: what the report has no place for.
    pub(crate) stderr: String,
}

/// How it all ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End<'a> {
    /// What was run.
    pub(crate) totals: &'a Totals,
    /// Whether the process will say so: no failure, and something was run.
    pub(crate) is_ok: bool,
    /// What a person should know of the whole run, one sentence each: recordings written, a filter without a match.
    pub(crate) notes: &'a [String],
}

/// How reports are to look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// Whether colours can be seen.
    pub(crate) has_colours: bool,
    /// How wide the terminal is, in characters, if it is one.
    pub(crate) columns: Option<u16>,
    /// The real path of the working directory, from which files are named.
    pub(crate) folder: PathBuf,
}

impl Output {
    /// Only for standard output.
    pub(crate) fn stdout(text: impl Into<String>) -> Self {
        Output { stdout: text.into(), stderr: String::new() }
    }

    /// Only for standard error.
    pub(crate) fn stderr(text: impl Into<String>) -> Self {
        Output { stdout: String::new(), stderr: text.into() }
    }
}
