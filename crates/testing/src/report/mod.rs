//! Reports of tests as text: for people, as TAP, JSON and JUnit XML, and as GitHub annotations.
//!
//! Reports do no I/O, except to read the source lines of failures.

mod annotations;
mod json;
mod junit;
mod live;
mod paint;
mod pretty;
mod safe_text;
#[cfg(test)]
mod samples;
mod tap;
mod tree;

use std::{path::PathBuf, time::SystemTime};

pub use annotations::Annotations;
pub use json::Json;
pub use junit::JUnit;
pub use live::Live;
pub use pretty::Pretty;
pub use safe_text::one_line;
pub use tap::Tap;

use super::outcome::{FileOutcome, Totals};

pub trait Reporter {
    fn begin(&mut self, files: usize, at: SystemTime) -> Output {
        let _ = (files, at);
        Output::default()
    }

    /// Called for each file that has ended, in the order of the files.
    fn file(&mut self, file: &FileOutcome) -> Output;

    fn end(&mut self, end: &End<'_>) -> Output;
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    /// What the report format has no field for.
    pub stderr: String,
}

#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    pub totals: &'a Totals,
    /// Whether the process will exit with code 0: no failure, and at least one test ran.
    pub is_ok: bool,
    /// Notes for the user: recordings that were written, a filter without a match.
    pub notes: &'a [String],
}

#[derive(Clone, Debug, Default)]
pub struct ReportStyle {
    pub has_colours: bool,
    /// The width of the terminal in characters, if there is one.
    pub columns: Option<u16>,
    /// The real path of the working directory; file names are shown relative to it.
    pub folder: PathBuf,
}

impl Output {
    pub fn stdout(text: impl Into<String>) -> Self {
        Output { stdout: text.into(), stderr: String::new() }
    }

    pub fn stderr(text: impl Into<String>) -> Self {
        Output { stdout: String::new(), stderr: text.into() }
    }
}
