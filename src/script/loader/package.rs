//! Packages in `node_modules`, by Node's rules for `import`: `exports` and `imports` maps with the conditions `node`,
//! `import` and `default`, real paths of links. CommonJS is found out here, so that the error can say so.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use oxc_resolver::{Resolution, ResolveError, ResolveOptions, Resolver};

use super::{position, source};
use crate::script::error::ScriptError;

/// Node's code for a module that does not exist.
pub(super) const NOT_FOUND: &str = "ERR_MODULE_NOT_FOUND";

/// What a bare specifier stands for.
pub(super) enum Package {
    /// A file of a package.
    File(PathBuf),
    /// An `imports` map points at a Node module.
    Builtin(String),
}

/// The package resolver, made when the first bare import needs it.
#[derive(Default)]
pub(super) struct Packages(OnceCell<Resolver>);

impl Packages {
    /// The file that `specifier` (bare, or `#name` of an `imports` map) stands for when imported from `directory`.
    pub(super) fn resolve(&self, directory: &Path, specifier: &str) -> Result<Package, ScriptError> {
        let resolver = self.0.get_or_init(|| Resolver::new(options(&["node", "import", "default"])));
        match resolver.resolve(directory, specifier) {
            Ok(resolution) if is_common_js(&resolution) => {
                // Some packages have CommonJS for Node and ES modules for everybody else.
                let other = Resolver::new(options(&["import", "default"])).resolve(directory, specifier);
                let other = other.ok().filter(|resolution| !is_common_js(resolution));
                other.map(|resolution| Package::File(resolution.into_path_buf())).ok_or_else(|| common_js(specifier))
            }
            Ok(resolution) => Ok(Package::File(resolution.into_path_buf())),
            Err(ResolveError::Builtin { resolved, .. }) => Ok(Package::Builtin(resolved)),
            // Exported all the same, but for `require` only.
            Err(ResolveError::PackagePathNotExported { .. }) if resolves_for_require(directory, specifier) => {
                Err(common_js(specifier))
            }
            Err(error) => Err(describe(error, specifier)),
        }
    }
}

fn options(conditions: &[&str]) -> ResolveOptions {
    ResolveOptions {
        builtin_modules: true,
        condition_names: conditions.iter().map(|condition| (*condition).to_owned()).collect(),
        // Without `module`, which is a field of bundlers: Node does not read it, and its files often are no modules to
        // Node.
        main_fields: vec!["main".to_owned()],
        extensions: [".js", ".mjs", ".json"].map(str::to_owned).to_vec(),
        ..ResolveOptions::default()
    }
}

fn resolves_for_require(directory: &Path, specifier: &str) -> bool {
    Resolver::new(options(&["node", "require", "default"])).resolve(directory, specifier).is_ok()
}

/// Whether the file is CommonJS: by its ending, by the `type` its package gives, or, when that says nothing, by its
/// text.
fn is_common_js(resolution: &Resolution) -> bool {
    let path = resolution.path();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("cjs" | "cts") => true,
        Some("js") => match package_type(path).as_deref() {
            Some("module") => false,
            Some("commonjs") => true,
            _ => source::read(path).is_ok_and(|text| is_common_js_text(&text)),
        },
        _ => false,
    }
}

/// The `type` of the package.json nearest to the file, which may lie inside the package (`browser/package.json`).
fn package_type(path: &Path) -> Option<String> {
    let nearest =
        path.ancestors().skip(1).map(|directory| directory.join("package.json")).find(|file| file.is_file())?;
    let package: serde_json::Value = serde_json::from_str(&source::read(&nearest).ok()?).ok()?;
    Some(package.get("type")?.as_str()?.to_owned())
}

/// Whether a text without `import` and `export` does what CommonJS does.
pub(super) fn is_common_js_text(text: &str) -> bool {
    // The words first: parsing every package's file would be dear.
    ["module.exports", "exports.", "require("].iter().any(|word| text.contains(word)) && !position::is_module(text)
}

fn common_js(specifier: &str) -> ScriptError {
    ScriptError::error(format!("Cannot import '{specifier}': it is a CommonJS package, only ES modules are supported"))
        .hint("use a version or a package that ships ES modules (\"type\": \"module\", or \"import\" in its exports)")
}

fn describe(error: ResolveError, specifier: &str) -> ScriptError {
    match error {
        ResolveError::NotFound(_) => ScriptError::error(format!("Cannot find package '{specifier}'")).code(NOT_FOUND),
        ResolveError::PackagePathNotExported { subpath, package_path, .. } => {
            let package = package_path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            ScriptError::error(format!(
                "Cannot import '{specifier}': the package '{package}' does not export '{subpath}'"
            ))
            .code("ERR_PACKAGE_PATH_NOT_EXPORTED")
        }
        error => ScriptError::error(format!("Cannot import '{specifier}': {error}")),
    }
}
