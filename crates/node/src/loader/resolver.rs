//! Resolves the specifier of an import statement to a module name (docs/reference/modules.md). Errors have no position;
//! callers add it.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use url::Url;

use super::data_url;
use super::files::refused;
use super::modules::Modules;
use super::package::{NOT_FOUND, Package, Packages};
use super::source::{EXTENSIONS, TEXT, addon_message, is_json, is_typescript, plain};
use crate::builtin::{self, INTERNAL_PREFIX};
use crate::error::ScriptError;
use crate::native_module::NativeModule;
use lmthing_base::diagnostic::closest;
use lmthing_base::permission::{Access, Permissions};
use lmthing_system::files::{is_source_file, real_path};

const TEST_RUNNERS: [&str; 5] = ["vitest", "jest", "@jest/globals", "mocha", "chai"];
const TEST_HINT: &str = "tests use lmthing's own module: import { expect, test } from 'lmthing/test'";

/// Everything that resolution depends on.
pub(super) struct ModuleResolver {
    /// The modules loaded so far.
    pub(super) modules: Rc<Modules>,
    /// Built-in and native modules.
    pub(super) native: Vec<NativeModule>,
    /// Resolves packages.
    pub(super) packages: Packages,
    /// Read permissions.
    pub(super) permissions: Permissions,
}

/// What an import attribute selects of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Module,
    Text,
}

impl Wanted {
    /// The suffix of the module name: the text of a file is another module than the file.
    fn mark(self) -> &'static str {
        match self {
            Wanted::Module => "",
            Wanted::Text => TEXT,
        }
    }

    fn check_extension(self, path: &Path, specifier: &str) -> Result<(), ScriptError> {
        match self {
            Wanted::Module => check_extension(path, specifier),
            Wanted::Text => Ok(()),
        }
    }
}

fn not_found(message: impl Into<String>) -> ScriptError {
    ScriptError::error(message).code(NOT_FOUND)
}

/// The module name of the entry file `path`.
pub(super) fn entry(resolver: &ModuleResolver, path: &Path) -> Result<String, ScriptError> {
    resolver.may_read(path)?;
    // As in Node, the entry file is its real path, also for its imports.
    let real =
        real_path(path).map_err(|error| not_found(format!("Cannot open '{}': {}", path.display(), plain(&error))))?;
    check_extension(&real, &path.display().to_string())?;
    Ok(resolver.modules.add(&real, ""))
}

/// Checks `with { type: … }` against the found file by Node's rules, except that JSON needs no attribute.
pub(super) fn check_attribute(resolved: &str, specifier: &str, attribute: Option<&str>) -> Result<(), ScriptError> {
    let path = Path::new(resolved.split('?').next().unwrap_or(resolved));
    match attribute {
        None => Ok(()),
        Some("json") if is_json(path) || data_url::is_json(resolved) => Ok(()),
        Some("json") => {
            Err(ScriptError::type_error(format!("Module '{specifier}' is not JSON, but is imported with type 'json'")))
        }
        Some(other) => Err(ScriptError::type_error(format!(
            "Import attribute type '{other}' is not supported; 'json' and 'text' are"
        ))),
    }
}

impl ModuleResolver {
    /// Resolves `specifier` in the module `base`.
    pub(super) fn resolve(&self, base: &str, specifier: &str) -> Result<String, ScriptError> {
        self.find(base, specifier, Wanted::Module)
    }

    /// The module that exports the text of a file, for `with { type: 'text' }`.
    pub(super) fn resolve_text(&self, base: &str, specifier: &str) -> Result<String, ScriptError> {
        self.find(base, specifier, Wanted::Text)
    }

    fn find(&self, base: &str, specifier: &str, wanted: Wanted) -> Result<String, ScriptError> {
        if specifier.is_empty() {
            return Err(ScriptError::type_error("An import needs the name of a module, not an empty string"));
        }
        if let Some(name) = self.known(base, specifier) {
            return Ok(name);
        }
        if specifier.starts_with("file:") {
            return self.file_url(base, specifier, specifier, wanted);
        }
        if ["./", "../", "/"].iter().any(|prefix| specifier.starts_with(prefix))
            || specifier == "."
            || specifier == ".."
        {
            return self.relative(base, specifier, wanted);
        }
        if let Some(name) = specifier.strip_prefix("node:") {
            return Err(self.not_offered(name, specifier));
        }
        if data_url::is(specifier) {
            return Ok(specifier.to_owned());
        }
        // `https:` and the like: neither a file nor a package.
        if let Some((scheme, _)) = specifier.split_once(':')
            && scheme.chars().all(|c| c.is_ascii_alphanumeric())
        {
            return Err(ScriptError::error(format!(
                "Cannot import '{specifier}': modules come from files, not from '{scheme}:'"
            )));
        }
        self.package(base, specifier, wanted)
    }

    /// A built-in or native module by its name or alias.
    pub(super) fn known(&self, base: &str, specifier: &str) -> Option<String> {
        // Internal modules can only be imported by other built-in modules.
        let is_own = || base.starts_with("lmthing:") || builtin::find(base).is_some();
        if specifier.starts_with(INTERNAL_PREFIX) && !is_own() {
            return None;
        }
        if self.native.iter().any(|module| module.name == specifier) {
            return Some(specifier.to_owned());
        }
        builtin::find(specifier).map(|builtin| builtin.name.to_owned())
    }

    /// Resolves a path relative to the importing file as a URL, as Node does: `%20` and `?query` have their meaning.
    fn relative(&self, base: &str, specifier: &str, wanted: Wanted) -> Result<String, ScriptError> {
        let base_path = self.modules.path_of(base);
        let joined = Url::from_file_path(&base_path).ok().and_then(|url| url.join(specifier).ok());
        match joined {
            Some(url) => self.file_url(base, url.as_str(), specifier, wanted),
            None => Err(ScriptError::error(format!("Cannot import '{specifier}' from '{base}'"))),
        }
    }

    /// The URL of a path or a `file:` URL, whether the file exists or not.
    pub(super) fn address(&self, base: &str, specifier: &str) -> Option<String> {
        let is_path = ["./", "../", "/", "file:"].iter().any(|prefix| specifier.starts_with(prefix));
        let base = Url::from_file_path(self.modules.path_of(base)).ok()?;
        is_path.then(|| base.join(specifier).ok()).flatten().map(String::from)
    }

    fn file_url(&self, base: &str, url: &str, specifier: &str, wanted: Wanted) -> Result<String, ScriptError> {
        let invalid = || ScriptError::type_error(format!("'{specifier}' is not a valid file URL"));
        let mut url = Url::parse(url).map_err(|_| invalid())?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let fragment = url.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
        url.set_query(None);
        url.set_fragment(None);
        let path = url.to_file_path().map_err(|()| invalid())?;
        let path = match wanted {
            Wanted::Module if is_typescript(base) && !is_source_file(&path) => {
                self.packages.typescript_file(&path)?.unwrap_or(path)
            }
            _ => path,
        };
        let real = self.file(&path, specifier, wanted)?;
        Ok(self.modules.add(&real, &format!("{query}{fragment}{}", wanted.mark())))
    }

    /// Whether a file may be read.
    pub(super) fn may_read(&self, path: &Path) -> Result<(), ScriptError> {
        self.permissions.check(Access::Read(&path.to_string_lossy())).map_err(refused)
    }

    /// The file that was probably meant, among those that may be read.
    fn alternative(&self, path: &Path, specifier: &str) -> Option<String> {
        self.may_read(path.parent()?).ok()?;
        alternative(path, specifier)
    }

    /// The real path of an importable file.
    fn file(&self, path: &Path, specifier: &str, wanted: Wanted) -> Result<PathBuf, ScriptError> {
        self.may_read(path)?;
        // Modules are identified by real path, so that a file is one module however it is linked.
        let real = real_path(path).map_err(|_| {
            not_found(format!("Cannot find module '{}'", path.display()))
                .hint_if_some(self.alternative(path, specifier))
        })?;
        if real.is_dir() {
            let message = format!("Cannot import '{specifier}': '{}' is a directory", real.display());
            let failure = ScriptError::error(message).code("ERR_UNSUPPORTED_DIR_IMPORT");
            return Err(failure.hint_if_some(self.alternative(path, specifier)));
        }
        wanted.check_extension(&real, specifier)?;
        Ok(real)
    }

    fn package(&self, base: &str, specifier: &str, wanted: Wanted) -> Result<String, ScriptError> {
        let base_path = self.modules.path_of(base);
        if is_typescript(base)
            && let Some(path) = self.packages.mapped(&base_path, specifier)?
        {
            let real = self.file(&path, specifier, wanted)?;
            return Ok(self.modules.add(&real, wanted.mark()));
        }
        let directory = base_path.parent().unwrap_or(Path::new("/"));
        match self.packages.resolve(directory, specifier).map_err(|failure| self.explain(failure, base, specifier))? {
            Package::File(path) => {
                self.may_read(&path)?;
                wanted.check_extension(&path, specifier)?;
                Ok(self.modules.add(&path, wanted.mark()))
            }
            Package::Builtin(name) => match builtin::find(&name) {
                Some(builtin) => Ok(builtin.name.to_owned()),
                None => Err(self.not_offered(name.trim_start_matches("node:"), specifier)),
            },
        }
    }

    fn explain(&self, failure: ScriptError, base: &str, specifier: &str) -> ScriptError {
        if failure.code != Some(NOT_FOUND) {
            return failure;
        }
        let message = format!("Cannot find package '{specifier}' imported from {base}");
        let of_lmthing = || self.offered().filter(|name| name.starts_with("lmthing/")).collect::<Vec<_>>();
        let hint = match closest(specifier, self.offered()) {
            Some(name) => format!("did you mean '{name}'?"),
            None if package_name(specifier) == "lmthing" => {
                format!("lmthing's modules are 'lmthing', '{}'", of_lmthing().join("', '"))
            }
            None if TEST_RUNNERS.contains(&package_name(specifier).as_str()) => TEST_HINT.to_owned(),
            None => format!("install it next to the file: npm install {}", package_name(specifier)),
        };
        not_found(message).hint(hint)
    }

    pub(super) fn not_offered(&self, name: &str, specifier: &str) -> ScriptError {
        let offered: Vec<&str> = builtin::public_names().filter(|name| name.starts_with("node:")).collect();
        let failure = ScriptError::error(format!("lmthing does not offer the module '{specifier}'"))
            .code("ERR_UNKNOWN_BUILTIN_MODULE");
        match closest(name, self.offered()) {
            _ if name == "test" => failure.hint(TEST_HINT),
            Some(close) => failure.hint(format!("did you mean '{close}'?")),
            None => failure.hint(format!("offered, with or without 'node:': {}", offered.join(", "))),
        }
    }

    /// All names that can be imported without a file.
    fn offered(&self) -> impl Iterator<Item = &'static str> {
        let native: Vec<&'static str> = self.native.iter().map(|module| module.name).collect();
        builtin::public_names().chain(native.into_iter().filter(|name| !name.starts_with(INTERNAL_PREFIX)))
    }
}

/// The package part of `name/path` or `@scope/name/path`.
pub(super) fn package_name(specifier: &str) -> String {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    specifier.split('/').take(parts).collect::<Vec<_>>().join("/")
}

fn check_extension(path: &Path, specifier: &str) -> Result<(), ScriptError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if EXTENSIONS.contains(&extension) => Ok(()),
        Some("node") => Err(ScriptError::error(addon_message(&path.display().to_string()))
            .code("ERR_DLOPEN_FAILED")
            .hint("look for a package that does the same in JavaScript")),
        _ => Err(ScriptError::error(format!("Cannot import '{specifier}': unknown file type")).hint(format!(
            "modules end in .mjs, .js, .cjs, .ts, .mts, .cts or .json; for the text of the file: \
             import text from '{specifier}' with {{ type: 'text' }}"
        ))),
    }
}

/// The file that was probably meant by a path that does not exist.
fn alternative(path: &Path, specifier: &str) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    let stem = path.file_stem()?.to_str()?;
    let siblings: Vec<String> = std::fs::read_dir(path.parent()?)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let with_extension =
        |base: &str| EXTENSIONS.iter().map(|e| format!("{base}.{e}")).find(|name| siblings.contains(name));
    let other_case =
        || siblings.iter().find(|name| *name != file && name.to_lowercase() == file.to_lowercase()).cloned();
    let close = || closest(file, siblings.iter().map(String::as_str)).map(str::to_owned);
    let stem_of = |name: &str| Path::new(name).file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    // TypeScript allows imports without extension.
    let close_stem = || {
        let stems: Vec<String> = siblings.iter().filter_map(|name| stem_of(name)).collect();
        let meant = closest(file, stems.iter().map(String::as_str))?;
        siblings.iter().find(|name| stem_of(name).as_deref() == Some(meant)).cloned()
    };
    // A missing extension, another case, another extension, a typo.
    let name =
        with_extension(file).or_else(other_case).or_else(|| with_extension(stem)).or_else(close).or_else(close_stem)?;
    if name == file {
        return None;
    }
    let directory = specifier.rfind('/').map_or("", |slash| &specifier[..=slash]);
    Some(format!("did you mean '{directory}{name}'?"))
}
