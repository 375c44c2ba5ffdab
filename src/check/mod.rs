//! Finding what is wrong with a prompt file before a token is spent (docs/reference.md, "Checking"): its types, its imports,
//! its exports, its mock against its tools, and its first render; and what it offers to whoever calls it.
//!
//! Owns: what is a finding, how bad it is, where it stands, and that one mistake gives one finding. Must not know: how findings
//! are shown, the step loop, JavaScript values (`script::bindings::inspect` hands over plain data).

pub(crate) mod declarations;
mod exported;
mod faults;
mod finding;
mod inspection;
mod locate;
mod lost_variables;
mod merge;
mod module;
mod offer;
mod options;
mod types;

use std::path::{Path, PathBuf};

pub(crate) use exported::exports;
pub(crate) use finding::{Finding, Position, Related, Severity, Span};
pub(crate) use lost_variables::{LostVariable, lost_variables};
pub(crate) use offer::{OfferOptions, offer};
pub(crate) use options::CheckOptions;

use crate::{diagnostic::Diagnostic, files::is_test_file, script::bindings::inspect::Rendered};

/// Whether the input that all files are given can be read: no file is to blame where it cannot.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_input(options: &CheckOptions) -> Result<(), Box<Diagnostic>> {
    inspection::check_input(options)
}

/// Checks files, one after the other; what is known of libraries is kept between them. One for each thread.
#[derive(Default)]
pub(crate) struct Checker {
    types: types::TypeChecker,
}

/// What was found out about a file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// In the order of the source, the file's own first.
    pub(crate) findings: Vec<Finding>,
    /// The first render, when there was one (`--print`).
    pub(crate) rendered: Option<Rendered>,
    /// What the script printed meanwhile, on either stream. Belongs to standard error.
    pub(crate) printed: String,
    /// The author's files that it is made of: the file, and what it imports.
    pub(crate) files: Vec<PathBuf>,
}

impl Checker {
    /// Checks one prompt file and what it imports; of a file of tests only the types, as it runs nowhere but under `lmthing test`.
    pub(crate) fn check(&mut self, file: &Path, options: &CheckOptions) -> Report {
        let types = self.types.check(file);
        // What cannot be loaded is told already, at its place.
        let inspected = match types.cannot_run || is_test_file(file) {
            true => inspection::Inspected::default(),
            false => inspection::inspect(file, options),
        };
        Report {
            findings: merge::merged(file, types.findings, inspected.findings),
            rendered: inspected.rendered,
            printed: inspected.printed,
            files: types.files,
        }
    }
}
