//! Resolves imports without an engine and without running code.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::data_url;
use super::kind::{self, Kind};
use super::modules::Modules;
use super::package::{NOT_FOUND, Packages};
use super::resolver::{ModuleResolver, check_attribute};
use super::source::{TEXT, is_typescript};
use crate::ScriptError;
use crate::native_module::NativeModule;
use lmthing_base::{parser::Parser, permission::Permissions};

/// What an import resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// A built-in module, by its canonical name.
    BuiltIn(String),
    /// An ES module file.
    Module {
        /// Its real path.
        path: PathBuf,
        /// Whether it was found through `paths` or `baseUrl` of a `tsconfig.json`.
        is_mapped: bool,
    },
    /// A CommonJS file.
    CommonJs(PathBuf),
    /// A JSON file.
    Json(PathBuf),
    /// The text of a file.
    Text(PathBuf),
    /// A module in its URL (`data:`).
    Address,
}

/// Why an import cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportProblem {
    /// The problem in one sentence.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// Whether the module does not exist, as opposed to other failures.
    pub is_missing: bool,
}

impl From<ScriptError> for ImportProblem {
    fn from(error: ScriptError) -> Self {
        let is_missing = error.code == Some(NOT_FOUND);
        Self { message: error.message, hint: error.hint, is_missing }
    }
}

/// Resolves imports and caches what it reads of packages.
pub struct ImportLookup(ModuleResolver);

impl ImportLookup {
    /// For a program with `native` modules besides the built-in ones.
    pub fn new(native: &[NativeModule], parser: Rc<dyn Parser>) -> Self {
        let modules = Rc::new(Modules::new(parser, &[]));
        ImportLookup(ModuleResolver {
            modules,
            native: native.to_vec(),
            packages: Packages::default(),
            permissions: Permissions::default(),
        })
    }

    /// Resolves `import … from 'specifier' with { type: 'attribute' }` in the file `importer`.
    ///
    /// # Errors
    /// The error with which the import fails at run time; also for files that are not regular, as reading them may
    /// never end.
    pub fn find(
        &self,
        importer: &Path,
        specifier: &str,
        attribute: Option<&str>,
    ) -> Result<ImportTarget, ImportProblem> {
        let resolver = &self.0;
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
        check_ordinary(&path)?;
        if name.ends_with(TEXT) {
            return Ok(ImportTarget::Text(path));
        }
        Ok(match kind::of(&path, &resolver.permissions, &**resolver.modules.parser())? {
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
}

/// The text of a module file without its byte order mark.
///
/// # Errors
/// If it cannot be read, is not text, or is not a regular file: reading a pipe may never end.
pub fn read_module(path: &Path) -> Result<String, ScriptError> {
    check_ordinary(path)?;
    super::source::read(path)
}

/// Refuses pipes, devices and the like.
pub(super) fn check_ordinary(path: &Path) -> Result<(), ScriptError> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let what = "it is a pipe or a device, and only ordinary files are read";
            Err(ScriptError::error(format!("Cannot read '{}': {what}", path.display())))
        }
        // Other problems are reported when the file is read.
        _ => Ok(()),
    }
}
