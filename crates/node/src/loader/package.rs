//! Packages in `node_modules`, by Node's rules: `exports` and `imports` maps with the conditions `node`, `import` or
//! `require`, `module-sync` and `default`, real paths of links. Must not know what is in a file.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use oxc_resolver::{Resolution, ResolveContext, ResolveError, ResolveOptions, ResolverGeneric};

use super::files::{GatedFiles, refused};
use crate::error::ScriptError;
use lmthing_base::permission::Permissions;

type Resolver = ResolverGeneric<GatedFiles>;

/// Node's code for a module that does not exist.
pub(super) const NOT_FOUND: &str = "ERR_MODULE_NOT_FOUND";

/// The same for `require`.
pub(super) const REQUIRE_NOT_FOUND: &str = "MODULE_NOT_FOUND";

/// What a bare specifier stands for.
pub(super) enum Package {
    /// A file of a package.
    File(PathBuf),
    /// An `imports` map points at a Node module.
    Builtin(String),
}

/// The package resolvers, each made when the first bare import or `require` needs it.
#[derive(Default)]
pub(super) struct Packages {
    import: OnceCell<Resolver>,
    require: OnceCell<Resolver>,
    typescript: OnceCell<Resolver>,
    files: GatedFiles,
}

impl Packages {
    /// Those of a script with these rights.
    pub(super) fn new(permissions: Permissions) -> Self {
        Packages { files: GatedFiles::with(permissions), ..Packages::default() }
    }

    /// A resolver's answer.
    ///
    /// # Errors
    /// It had to read what the script may not.
    fn allowed<T>(&self, resolver: &Resolver, answer: T) -> Result<T, ScriptError> {
        match self.files.take_refused() {
            None => Ok(answer),
            Some(refusal) => {
                // It has noted the file as missing.
                resolver.clear_cache();
                Err(refused(refusal))
            }
        }
    }

    /// The file that `specifier` (bare, or `#name` of an `imports` map) stands for when imported from `directory`.
    pub(super) fn resolve(&self, directory: &Path, specifier: &str) -> Result<Package, ScriptError> {
        match self.allowed(self.import(), self.import().resolve(directory, specifier))? {
            Ok(resolution) => Ok(Package::File(resolution.into_path_buf())),
            Err(ResolveError::Builtin { resolved, .. }) => Ok(Package::Builtin(resolved)),
            Err(error) => Err(describe(error, specifier)),
        }
    }

    /// The files that would have to be there for `specifier` to stand for one, in no order.
    pub(super) fn missing(&self, directory: &Path, specifier: &str) -> Vec<PathBuf> {
        let mut context = ResolveContext::default();
        // That it fails is why anybody asks.
        let _ = self.import().resolve_with_context(directory, specifier, None, &mut context);
        let _ = self.allowed(self.import(), ());
        context.missing_dependencies.into_iter().collect()
    }

    fn import(&self) -> &Resolver {
        self.import.get_or_init(|| self.resolver(options(&["node", "import", "module-sync", "default"])))
    }

    fn resolver(&self, options: ResolveOptions) -> Resolver {
        Resolver::new_with_file_system(self.files.clone(), options)
    }

    /// The file that a path in an import of a TypeScript file stands for, by TypeScript's rules: `./lib` and `./lib.js` may
    /// be `lib.ts`, and a folder stands for the `index` in it.
    ///
    /// # Errors
    /// When a file that decides it may not be read.
    pub(super) fn typescript_file(&self, path: &Path) -> Result<Option<PathBuf>, ScriptError> {
        let (Some(directory), Some(name)) = (path.parent(), path.to_str()) else { return Ok(None) };
        let found = self.allowed(self.typescript(), self.typescript().resolve(directory, name))?;
        Ok(found.ok().map(Resolution::into_path_buf))
    }

    /// The file that a bare specifier in the TypeScript file `importer` stands for by the `paths` and the `baseUrl` of the
    /// nearest `tsconfig.json`; `None` when these say nothing of it.
    ///
    /// # Errors
    /// When that file, or one that it extends, cannot or may not be read.
    pub(super) fn mapped(&self, importer: &Path, specifier: &str) -> Result<Option<PathBuf>, ScriptError> {
        let Some(config) = Self::typescript_config(importer) else { return Ok(None) };
        let unreadable = |error: ResolveError| {
            ScriptError::error(format!("Cannot use the paths of '{}': {error}", config.display()))
        };
        let tsconfig = self.allowed(self.typescript(), self.typescript().resolve_tsconfig(&config))?;
        let candidates = tsconfig.map_err(unreadable)?.resolve_path_alias_or_base_url(specifier);
        let found = candidates.into_iter().map(|candidate| self.typescript_file(&candidate));
        found.filter_map(Result::transpose).next().transpose()
    }

    /// The nearest `tsconfig.json` of a file.
    pub(super) fn typescript_config(importer: &Path) -> Option<PathBuf> {
        importer.ancestors().skip(1).map(|folder| folder.join("tsconfig.json")).find(|file| file.is_file())
    }

    fn typescript(&self) -> &Resolver {
        let endings = |endings: &[&str]| endings.iter().map(|ending| (*ending).to_owned()).collect();
        self.typescript.get_or_init(|| {
            self.resolver(ResolveOptions {
                extensions: endings(&[".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"]),
                extension_alias: vec![
                    (".js".to_owned(), endings(&[".js", ".ts"])),
                    (".mjs".to_owned(), endings(&[".mjs", ".mts"])),
                    (".cjs".to_owned(), endings(&[".cjs", ".cts"])),
                ],
                ..options(&["node", "import", "module-sync", "default"])
            })
        })
    }

    /// The file that `id` stands for in a `require` of a file in `directory`: paths may lack their ending or name a folder.
    pub(super) fn required(&self, directory: &Path, id: &str) -> Result<PathBuf, ScriptError> {
        let resolver =
            self.require.get_or_init(|| self.resolver(options(&["node", "require", "module-sync", "default"])));
        self.allowed(resolver, resolver.resolve(directory, id))?.map(Resolution::into_path_buf).map_err(|error| {
            match error {
                ResolveError::PackagePathNotExported { .. } => describe(error, id),
                _ => ScriptError::error(format!("Cannot find module '{id}'")).code(REQUIRE_NOT_FOUND),
            }
        })
    }
}

fn options(conditions: &[&str]) -> ResolveOptions {
    ResolveOptions {
        builtin_modules: true,
        condition_names: conditions.iter().map(|condition| (*condition).to_owned()).collect(),
        // Without `module`, which is a field of bundlers: Node does not read it, and its files often are no modules to
        // Node.
        main_fields: vec!["main".to_owned()],
        extensions: [".js", ".json", ".node"].map(str::to_owned).to_vec(),
        ..ResolveOptions::default()
    }
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
