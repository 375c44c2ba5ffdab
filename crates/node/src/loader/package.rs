//! Packages in `node_modules`, by Node's rules: `exports` and `imports` maps with the conditions `node`, `import` or
//! `require`, `module-sync` and `default`, real paths of links.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use oxc_resolver::{Resolution, ResolveContext, ResolveError, ResolveOptions, ResolverGeneric};

use super::files::{GatedFiles, refused};
use crate::error::ScriptError;
use lmthing_base::permission::Permissions;

type Resolver = ResolverGeneric<GatedFiles>;

/// Node's error code for a missing module.
pub(super) const NOT_FOUND: &str = "ERR_MODULE_NOT_FOUND";

/// The same for `require`.
pub(super) const REQUIRE_NOT_FOUND: &str = "MODULE_NOT_FOUND";

/// What a bare specifier resolves to.
pub(super) enum Package {
    /// A file of a package.
    File(PathBuf),
    /// A built-in module of Node, through an `imports` map.
    Builtin(String),
}

/// The resolvers, each created by the first bare import or `require`.
#[derive(Default)]
pub(super) struct Packages {
    import: OnceCell<Resolver>,
    require: OnceCell<Resolver>,
    typescript: OnceCell<Resolver>,
    files: GatedFiles,
}

impl Packages {
    /// The resolvers for a script with these permissions.
    pub(super) fn new(permissions: Permissions) -> Self {
        Packages { files: GatedFiles::with(permissions), ..Packages::default() }
    }

    /// Runs a resolver.
    ///
    /// # Errors
    /// If it needed a file that the script may not read.
    fn allowed<T>(&self, resolver: &Resolver, answer: T) -> Result<T, ScriptError> {
        match self.files.take_refused() {
            None => Ok(answer),
            Some(refusal) => {
                // The resolver has cached the file as missing.
                resolver.clear_cache();
                Err(refused(refusal))
            }
        }
    }

    /// The file that `specifier` (bare, or `#name` of an `imports` map) resolves to from `directory`.
    pub(super) fn resolve(&self, directory: &Path, specifier: &str) -> Result<Package, ScriptError> {
        match self.allowed(self.import(), self.import().resolve(directory, specifier))? {
            Ok(resolution) => Ok(Package::File(resolution.into_path_buf())),
            Err(ResolveError::Builtin { resolved, .. }) => Ok(Package::Builtin(resolved)),
            Err(error) => Err(describe(error, specifier)),
        }
    }

    /// The files of which one would have to exist for `specifier` to resolve, in no order.
    pub(super) fn missing(&self, directory: &Path, specifier: &str) -> Vec<PathBuf> {
        let mut context = ResolveContext::default();
        // Called for imports that may fail.
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

    /// The file that a path in an import of a TypeScript file resolves to, by TypeScript's rules: `./lib` and
    /// `./lib.js` may be `lib.ts`, and a folder its `index`.
    ///
    /// # Errors
    /// If a file that decides it may not be read.
    pub(super) fn typescript_file(&self, path: &Path) -> Result<Option<PathBuf>, ScriptError> {
        let (Some(directory), Some(name)) = (path.parent(), path.to_str()) else { return Ok(None) };
        let found = self.allowed(self.typescript(), self.typescript().resolve(directory, name))?;
        Ok(found.ok().map(Resolution::into_path_buf))
    }

    /// The file that a bare specifier in the TypeScript file `importer` resolves to by `paths` and `baseUrl` of the
    /// nearest `tsconfig.json`; `None` if these do not match.
    ///
    /// # Errors
    /// If that file, or one that it extends, cannot or may not be read.
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

    /// The file that `id` resolves to in a `require` in `directory`: the extension may be missing, and a folder may be
    /// named.
    pub(super) fn required(&self, directory: &Path, id: &str) -> Result<PathBuf, ScriptError> {
        let resolver =
            self.require.get_or_init(|| self.resolver(options(&["node", "require", "module-sync", "default"])));
        self.allowed(resolver, resolver.resolve(directory, id))?.map(Resolution::into_path_buf).map_err(|error| {
            match error {
                ResolveError::PackagePathNotExported { .. } | ResolveError::PackageImportNotDefined(..) => {
                    describe(error, id)
                }
                _ => ScriptError::error(format!("Cannot find module '{id}'")).code(REQUIRE_NOT_FOUND),
            }
        })
    }
}

fn options(conditions: &[&str]) -> ResolveOptions {
    ResolveOptions {
        builtin_modules: true,
        condition_names: conditions.iter().map(|condition| (*condition).to_owned()).collect(),
        // Without `module`, a field for bundlers that Node ignores: such files often are not valid modules in Node.
        main_fields: vec!["main".to_owned()],
        extensions: [".js", ".json", ".node"].map(str::to_owned).to_vec(),
        ..ResolveOptions::default()
    }
}

fn undefined_import(specifier: &str) -> ScriptError {
    let message = format!("Package import specifier \"{specifier}\" is not defined");
    let hint = format!("define it in the package.json of the file: \"imports\": {{ \"{specifier}\": \"./file.js\" }}");
    ScriptError::type_error(message).code("ERR_PACKAGE_IMPORT_NOT_DEFINED").hint(hint)
}

fn describe(error: ResolveError, specifier: &str) -> ScriptError {
    match error {
        ResolveError::PackageImportNotDefined(..) => undefined_import(specifier),
        ResolveError::NotFound(_) if specifier.starts_with('#') => undefined_import(specifier),
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
