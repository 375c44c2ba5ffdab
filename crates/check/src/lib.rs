//! Checks a prompt file before any model request: types, imports, exports, mocks and the first render.
//!
//! The rules are in docs/reference/check.md.

pub mod declarations;
mod faults;
mod finding;
mod has_export;
mod inspection;
mod locate;
mod lost_variables;
mod merge;
mod module;
mod offer;
mod options;
mod types;

use std::path::{Path, PathBuf};

pub use declarations::set_declarations;
pub use finding::{Finding, Position, Related, Severity, Span};
pub use has_export::has_export;
pub use lost_variables::{LostVariable, lost_variables};
pub use offer::{OfferOptions, offer};
pub use options::CheckOptions;

use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::bindings::inspect::Rendered;
use lmthing_system::files::is_test_file;

/// Returns the problem if the common input of all files cannot be read.
pub fn check_input(options: &CheckOptions) -> Result<(), Box<Diagnostic>> {
    inspection::check_input(options)
}

/// Checks files one after the other and keeps parsed libraries between them. One for each thread.
#[derive(Default)]
pub struct Checker {
    types: types::TypeChecker,
}

#[derive(Debug, Default)]
pub struct Report {
    /// In the order of the source, the file's own first.
    pub findings: Vec<Finding>,
    /// The first render, when there was one (`--print`).
    pub rendered: Option<Rendered>,
    /// What the script printed to either stream. Shown on standard error.
    pub printed: String,
    pub files: Vec<PathBuf>,
}

impl Checker {
    /// Checks one prompt file and what it imports. Of a test file only the types are checked: it runs under `lmthing
    /// test` alone.
    pub fn check(&mut self, file: &Path, options: &CheckOptions) -> Report {
        let types = self.types.check(file);
        // The type check has already reported imports that cannot be loaded.
        let inspected = match types.cannot_run || is_test_file(file) {
            true => inspection::Inspected::default(),
            false => inspection::inspect(file, options, types.may_vary),
        };
        Report {
            findings: merge::merged(file, types.findings, inspected.findings),
            rendered: inspected.rendered,
            printed: inspected.printed,
            files: types.files,
        }
    }
}
