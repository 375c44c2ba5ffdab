//! Packages in `node_modules`, by Node's rules for `import`: `exports` and `imports` maps with the conditions `node`,
//! `import` and `default`, real paths of links.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::resolver::NOT_FOUND;
use crate::script::error::ScriptError;
use oxc_resolver::{ResolveError, ResolveOptions, Resolver};

/// The package resolver, made when the first bare import needs it.
#[derive(Default)]
pub(super) struct Packages(OnceCell<Resolver>);

impl Packages {
    /// The file that `specifier` (bare, or `#name` of an `imports` map) stands for when imported from `directory`.
    pub(super) fn resolve(&self, directory: &Path, specifier: &str) -> Result<PathBuf, ScriptError> {
        let resolver = self.0.get_or_init(|| Resolver::new(options()));
        let resolution = resolver.resolve(directory, specifier).map_err(|error| describe(error, specifier))?;
        Ok(resolution.into_path_buf())
    }
}

fn options() -> ResolveOptions {
    ResolveOptions {
        condition_names: ["node", "import", "default"].map(str::to_owned).to_vec(),
        main_fields: vec!["main".to_owned()],
        extensions: [".js", ".mjs", ".json"].map(str::to_owned).to_vec(),
        ..ResolveOptions::default()
    }
}

fn describe(error: ResolveError, specifier: &str) -> ScriptError {
    match error {
        ResolveError::NotFound(_) => ScriptError::error(format!("Cannot find package '{specifier}'")).code(NOT_FOUND),
        error => ScriptError::error(error.to_string()),
    }
}
