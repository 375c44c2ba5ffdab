//! Finding and loading modules (docs/reference/modules.md): relative and absolute files, `file:` and `data:` URLs,
//! built-in and native modules, packages in `node_modules`.
//!
//! A module's name inside QuickJS is its real path (plus `?query`, which creates a second instance as in Node), or the
//! name of a built-in or native module; so stack traces show paths. QuickJS gives no position for failed imports:
//! `position` finds the specifier in the importer's text.

mod chain;
mod common_js;
mod data_url;
mod failure;
mod files;
mod json;
mod kind;
mod look_up;
mod meta;
mod missing_export;
mod modules;
mod package;
mod position;
mod reading;
mod regexp_statics;
mod resolver;
mod source;
mod typescript;
mod watched_files;
mod zod;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::promise::Promised;
use rquickjs::{AsyncRuntime, Ctx, IntoJs, JsLifetime, Module, Object, Result, Value};
use url::Url;

pub(crate) use chain::{ImportSite, import_chain, import_circle, is_package};
pub(crate) use common_js::NATIVE;
pub use failure::LoadFailure;
pub use look_up::{ImportLookup, ImportProblem, ImportTarget, read_module};
pub(crate) use missing_export::explain_missing_export;
pub(crate) use modules::Modules;
pub(crate) use typescript::with_source_positions;

use super::event_loop::settle;
use super::host::host;
use super::native_module::{self, NativeModule};
use super::{builtin, gate, user_data};
use kind::Kind;
use lmthing_base::permission::Permissions;
use lmthing_system::files::real_path;
use resolver::ModuleResolver;

/// Deepest nesting of brackets in JavaScript: the engine takes minutes for deeper functions and overflows its stack on
/// anything else.
const MAX_NESTING: usize = 10_000;

/// The resolver and the loader of one engine; clones share the same state.
#[derive(Clone, JsLifetime)]
pub(crate) struct ModuleLoader(Rc<ModuleResolver>);

/// Attaches a loader to the runtime that knows `native` modules besides the built-in ones; called while an engine is
/// created, before the context is used. Files are loaded only if `permissions` allow reading them.
pub(crate) async fn attach(
    runtime: &AsyncRuntime,
    native: Vec<NativeModule>,
    permissions: Permissions,
    modules: Modules,
) -> ModuleLoader {
    let packages = package::Packages::new(permissions.clone());
    let resolver = ModuleResolver { modules: Rc::new(modules), native, packages, permissions };
    let loader = ModuleLoader(Rc::new(resolver));
    runtime.set_loader(loader.clone(), loader.clone()).await;
    loader
}

/// Called once while an engine is created.
pub(crate) fn set_up(ctx: &Ctx<'_>, loader: ModuleLoader) -> Result<()> {
    let resolver = loader.0.clone();
    user_data::store(ctx, loader)?;
    user_data::store(ctx, ImportedFiles::default())?;
    common_js::set_up(ctx, resolver)
}

/// The modules that the engine of `ctx` has loaded.
pub(crate) fn modules(ctx: &Ctx<'_>) -> Result<Rc<Modules>> {
    Ok(user_data::read::<ModuleLoader>(ctx)?.0.modules.clone())
}

/// Makes [`is_name_mentioned`] return true whatever modules are loaded.
pub fn set_name_mentioned(ctx: &Ctx<'_>) -> Result<()> {
    modules(ctx)?.set_name_mentioned();
    Ok(())
}

/// Whether the text of a loaded module contains one of [`EngineOptions::noted_names`](super::EngineOptions::noted_names).
pub fn is_name_mentioned(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(modules(ctx)?.is_name_mentioned())
}

/// Loads and evaluates the file at `path` and returns its module namespace.
///
/// # Errors
/// A pending exception: see [`diagnose_error`](crate::diagnose_error).
pub async fn import_file<'js>(ctx: &Ctx<'js>, path: &Path) -> Result<Object<'js>> {
    let loader = user_data::read::<ModuleLoader>(ctx)?.clone();
    let name = resolver::entry(&loader.0, path).map_err(|failure| failure.throw(ctx))?;
    let module = loader.declare_file(ctx, &name, true)?;
    let (module, evaluated) = module.eval()?;
    settle(ctx, evaluated.into_value()).await?;
    module.namespace()
}

/// The promises of files loaded with [`import_file_once`], by module name.
#[derive(Default, JsLifetime)]
struct ImportedFiles<'js>(RefCell<HashMap<String, Value<'js>>>);

/// [`import_file`], but a file that was loaded before is not loaded again.
///
/// # Errors
/// As [`import_file`].
pub async fn import_file_once<'js>(ctx: &Ctx<'js>, path: &Path) -> Result<Object<'js>> {
    let modules = modules(ctx)?;
    // A known module that is not in `ImportedFiles` was imported by a script.
    let is_imported = real_path(path).is_ok_and(|real| modules.is_file(&real.display().to_string()));
    let loader = user_data::read::<ModuleLoader>(ctx)?.clone();
    let name = resolver::entry(&loader.0, path).map_err(|failure| failure.throw(ctx))?;
    let known = user_data::read::<ImportedFiles>(ctx)?.0.borrow().get(&name).cloned();
    let loading = match known {
        Some(loading) => loading,
        None => {
            let (inner, path, module) = (ctx.clone(), path.to_owned(), name.clone());
            let loading = async move {
                if is_imported { import_again(&inner, &module).await } else { import_file(&inner, &path).await }
            };
            let loading = Promised(loading).into_js(ctx)?;
            user_data::read::<ImportedFiles>(ctx)?.0.borrow_mut().insert(name, loading.clone());
            loading
        }
    };
    Object::from_value(super::settle(ctx, loading).await?)
}

/// The module of this name, which a script has imported before.
async fn import_again<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
    // Through an import statement: declaring the module would bypass the engine's module map.
    let importer = format!("{}run {name}", builtin::INTERNAL_PREFIX);
    let path = modules(ctx)?.path_of(name);
    // A URL contains nothing that has to be escaped in a string literal.
    let address = Url::from_file_path(&path).map_or_else(|()| name.to_owned(), String::from);
    let source = format!("import * as namespace from {address:?}; export {{ namespace }};");
    let (module, evaluated) = Module::declare(ctx.clone(), importer, source)?.eval()?;
    evaluated.into_future::<Value>().await?;
    module.get("namespace")
}

/// The file whose code calls the native function that is running, if it is known.
pub fn calling_file(ctx: &Ctx<'_>) -> Option<PathBuf> {
    // There may be built-in functions in between, such as `map`.
    const FRAMES: isize = 8;
    let modules = modules(ctx).ok()?;
    let names = (0..FRAMES).filter_map(|level| ctx.script_or_module_name(level)?.to_string().ok());
    let caller = names.into_iter().find(|name| modules.is_file(name))?;
    Some(modules.path_of(&caller))
}

impl ModuleLoader {
    fn declare_file<'js>(&self, ctx: &Ctx<'js>, name: &str, is_entry: bool) -> Result<Module<'js, Declared>> {
        let file = self.0.modules.path_of(name);
        let text = read_text(ctx, &file)?;
        self.0.modules.note_text(&text);
        let kind =
            kind::of(&file, &self.0.permissions, &**self.0.modules.parser()).map_err(|failure| failure.throw(ctx))?;
        match kind {
            Kind::Json => return json::declare(ctx, name, &file, &text),
            // The entry file is a module, whatever its package says.
            Kind::CommonJs if !is_entry => {
                self.0.modules.note_common_js(name);
                return common_js::declare(ctx, name, &file);
            }
            _ => {}
        }
        let code = match source::is_typescript(name) {
            true => typescript::strip(&self.0.modules, name, &text)
                .map_err(|failure| LoadFailure::Syntax.mark(ctx, failure.throw(ctx)))?,
            false => {
                typescript::check_nesting(name, &text, MAX_NESTING)
                    .map_err(|failure| LoadFailure::Syntax.mark(ctx, failure.throw(ctx)))?;
                text
            }
        };
        let code = match zod::narrowed(&code) {
            Some(code) => {
                self.0.modules.note_narrow(name);
                code.into_owned()
            }
            None => code,
        };
        regexp_statics::load_if_read(ctx, &code)?;
        typescript::show_source_positions(ctx, &self.0.modules)?;
        // Evaluated by the caller.
        let module = Module::declare(ctx.clone(), name, code).map_err(|error| LoadFailure::Syntax.mark(ctx, error))?;
        meta::define(ctx, &module, name, &file, &self.0)?;
        Ok(module)
    }
}

/// The text of a module file.
fn read_text(ctx: &Ctx<'_>, file: &Path) -> Result<String> {
    host(ctx)?.note_read(file);
    // A run without side effects, as of `check`, must not wait for a pipe.
    if !gate::may_change_process(ctx) {
        look_up::check_ordinary(file).map_err(|error| error.throw(ctx))?;
    }
    reading::read(ctx, file).map_err(|failure| failure.throw(ctx))
}

impl Resolver for ModuleLoader {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        let attribute = attributes.map(|attributes| attributes.get_type()).transpose()?.flatten();
        let ModuleResolver { modules, .. } = &*self.0;
        let resolved = match attribute.as_deref() {
            Some("text") => self.0.resolve_text(base, name),
            attribute => self
                .0
                .resolve(base, name)
                .and_then(|resolved| resolver::check_attribute(&resolved, name, attribute).map(|()| resolved)),
        };
        if self.0.modules.is_file(base) {
            self.0.report_watched_files(&*host(ctx)?, base, name, resolved.is_ok());
        }
        let resolved = resolved.map_err(|failure| {
            let failure = failure.or_at(position::of_specifier(modules, base, name));
            LoadFailure::Import.mark(ctx, failure.throw(ctx))
        })?;
        let resolved = match resolved == zod::ALL && modules.is_narrow(base) {
            true => zod::NAMESPACE.to_owned(),
            false => resolved,
        };
        // If an export is missing, QuickJS does not report the importer: see `missing_export`.
        modules.record_import(base, name, &resolved);
        Ok(resolved)
    }
}

impl Loader for ModuleLoader {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        self.declare(ctx, name).map_err(|error| LoadFailure::Import.mark(ctx, error))
    }
}

impl ModuleLoader {
    /// The resolved name of an import.
    fn declare<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        if let Some(module) = self.0.native.iter().find(|module| module.name == name) {
            return native_module::declare(ctx, name, module.init);
        }
        if let Some(builtin) = builtin::find(name) {
            return builtin.load(ctx);
        }
        if data_url::is(name) {
            return data_url::declare(ctx, name);
        }
        if name.ends_with(source::TEXT) {
            let text = read_text(ctx, &self.0.modules.path_of(name))?;
            return native_module::declare(ctx, name, |ctx| {
                let exports = Object::new(ctx.clone())?;
                exports.set("default", text.as_str())?;
                Ok(exports)
            });
        }
        self.declare_file(ctx, name, false)
    }
}
