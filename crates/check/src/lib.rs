//! Checks a prompt file before any model request: types, imports, exports, mocks and the first render.
//!
//! The rules are in docs/reference/check.md.

pub mod declarations;
mod faults;
mod finding;
mod fix;
mod has_export;
mod inspection;
mod locate;
mod lost_variables;
mod merge;
mod module;
mod offer;
mod options;
mod parts;
mod tokens;
mod types;
mod unstable;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

pub use declarations::set_declarations;
pub use faults::diagnostic_of;
pub use finding::{Finding, Fix, Position, Related, Severity, Span};
pub use has_export::has_export;
pub use lost_variables::{LostVariable, lost_variables};
pub use offer::{OfferOptions, offer};
pub use options::{Cancellation, CheckOptions};
pub use parts::{RequestPart, request_parts, tool_part};
pub use tokens::estimate_tokens;

use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::bindings::inspect::Rendered;
use lmthing_system::files::{FileKind, read_source_text};

/// Returns the problem if the common input of all files cannot be read.
pub fn check_input(options: &CheckOptions) -> Result<(), Box<Diagnostic>> {
    inspection::check_input(options)
}

/// Loads a file and renders it once, without a check of its types.
///
/// # Errors
/// Why it cannot be rendered.
pub fn render(file: &Path, options: &CheckOptions) -> Result<Rendered, Option<Box<Finding>>> {
    let inspection::Inspected { findings, rendered, .. } = inspection::inspect(file, options, false);
    let prevents = |finding: &Finding| finding.severity == Severity::Error || finding.code == "input";
    rendered.ok_or_else(|| findings.into_iter().find(prevents).map(Box::new))
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
        self.check_types(file).inspect(options)
    }

    /// The first half of a check, which needs this checker.
    pub fn check_types(&mut self, file: &Path) -> TypesChecked {
        TypesChecked { file: file.to_owned(), types: self.types.check(file) }
    }
}

/// A file whose types are checked and which has not been loaded.
pub struct TypesChecked {
    file: PathBuf,
    types: types::TypeReport,
}

impl TypesChecked {
    /// The findings of the type check alone.
    pub fn report(&self) -> Report {
        self.report_with(inspection::Inspected::default())
    }

    /// The second half of a check: loads the file and renders it once, in an engine of its own.
    pub fn inspect(self, options: &CheckOptions) -> Report {
        // The type check has already reported imports that cannot be loaded.
        let inspected = match self.types.cannot_run || FileKind::of(&self.file) == FileKind::Tests {
            true => inspection::Inspected::default(),
            false => inspection::inspect(&self.file, options, self.types.may_vary),
        };
        self.report_with(inspected)
    }

    fn report_with(&self, inspected: inspection::Inspected) -> Report {
        let mut findings = merge::merged(&self.file, self.types.findings.clone(), inspected.findings);
        add_fixes(&mut findings);
        Report { findings, rendered: inspected.rendered, printed: inspected.printed, files: self.types.files.clone() }
    }
}

fn add_fixes(findings: &mut [Finding]) {
    let mut texts: HashMap<PathBuf, String> = HashMap::new();
    for finding in findings.iter_mut().filter(|finding| finding.span.is_some()) {
        let text =
            texts.entry(finding.file.clone()).or_insert_with(|| read_source_text(&finding.file).unwrap_or_default());
        finding.fix = fix::fix_of(finding, text);
    }
}
