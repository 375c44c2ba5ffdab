//! The type check of a prompt file and what it imports, by tsr, against the declarations in the binary. Must not know what else
//! is checked.

use std::path::Path;

use super::Finding;

/// A type checker that keeps libraries between files.
#[derive(Default)]
pub(super) struct TypeChecker {}

/// What it found.
#[derive(Debug, Default)]
pub(super) struct TypeReport {
    pub(super) findings: Vec<Finding>,
}

impl TypeChecker {
    /// Checks a prompt file and its imports.
    pub(super) fn check(&mut self, _file: &Path) -> TypeReport {
        TypeReport::default()
    }
}
