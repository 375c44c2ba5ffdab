//! What an import leads to, asked without an engine and without running anything. Must not know who asks.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::data_url;
use super::kind::{self, Kind};
use super::modules::Modules;
use super::package::{NOT_FOUND, Packages};
use super::resolver::{ModuleResolver, check_attribute};
use super::source::{TEXT, is_typescript};
use crate::script::ScriptError;
use crate::script::bindings::NATIVE_MODULES;

/// What an import leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImportTarget {
    /// A module that lmthing brings, by its own name.
    BuiltIn(String),
    /// A file that is an ES module.
    Module {
        /// Its real path.
        path: PathBuf,
        /// Whether the `paths` or the `baseUrl` of a `tsconfig.json` led to it.
        is_mapped: bool,
    },
    /// A file with `require` and `module.exports`.
    CommonJs(PathBuf),
    /// A JSON file.
    Json(PathBuf),
    /// The text of a file.
    Text(PathBuf),
    /// A module that is its own address (`data:`).
    Address,
}

/// Why an import leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportProblem {
    /// What is wrong, in one sentence.
    pub(crate) message: String,
    /// How to mend it.
    pub(crate) hint: Option<String>,
    /// Whether there is simply no such module.
    pub(crate) is_missing: bool,
}

impl From<ScriptError> for ImportProblem {
    fn from(error: ScriptError) -> Self {
        let is_missing = error.code == Some(NOT_FOUND);
        Self { message: error.message, hint: error.hint, is_missing }
    }
}

/// What `import … from 'specifier' with { type: 'attribute' }` in the file `importer` leads to.
///
/// # Errors
/// What the import fails with when the file runs.
pub(crate) fn look_up_import(
    importer: &Path,
    specifier: &str,
    attribute: Option<&str>,
) -> Result<ImportTarget, ImportProblem> {
    let native = NATIVE_MODULES.to_vec();
    let resolver = ModuleResolver { modules: Rc::new(Modules::default()), native, packages: Packages::default() };
    let base = resolver.modules.add(importer, "");
    let name = match attribute {
        Some("text") => resolver.resolve_text(&base, specifier)?,
        attribute => {
            let name = resolver.resolve(&base, specifier)?;
            check_attribute(&name, specifier, attribute)?;
            name
        }
    };
    if data_url::is(&name) {
        return Ok(ImportTarget::Address);
    }
    if !resolver.modules.is_file(&name) {
        return Ok(ImportTarget::BuiltIn(name));
    }
    let path = resolver.modules.path_of(&name);
    if name.ends_with(TEXT) {
        return Ok(ImportTarget::Text(path));
    }
    Ok(match kind::of(&path) {
        Kind::Json => ImportTarget::Json(path),
        Kind::CommonJs => ImportTarget::CommonJs(path),
        Kind::EsModule | Kind::Addon => {
            let is_path = specifier.starts_with(['.', '/']) || specifier.starts_with("file:");
            let is_mapped = !is_path
                && is_typescript(&base)
                && resolver.packages.mapped(importer, specifier).is_ok_and(|found| found.is_some());
            ImportTarget::Module { path, is_mapped }
        }
    })
}

/// The text of a module's file, without its byte order mark.
///
/// # Errors
/// When it cannot be read, or is no text.
pub(crate) fn read_module(path: &Path) -> Result<String, String> {
    super::source::read(path).map_err(|error| error.message)
}
