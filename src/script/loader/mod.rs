//! Finding and loading modules: relative and absolute files, `file:` URLs, built-in and native modules, packages in
//! `node_modules`.
//!
//! A module's name inside QuickJS is its real path (plus `?query`, which makes a second instance as in Node), or the plain
//! name of a built-in or native module; so stack traces show paths. QuickJS gives no position for an import that fails:
//! `position` finds the specifier in the importer's text.

mod json;
mod meta;
mod missing_export;
mod modules;
mod package;
mod position;
mod resolver;
mod source;
mod suggestion;
mod typescript;

pub(super) use suggestion::closest;

use std::path::Path;
use std::rc::Rc;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Object, Result, Value};

pub(super) use missing_export::explain_missing_export;
pub(super) use modules::Modules;
pub(super) use typescript::with_source_positions;

use super::error::ScriptError;
use super::native_module::{self, NativeModule};
use super::{builtin, bytecode};

/// The resolver and the loader of one engine; clones share the same state.
#[derive(Clone)]
pub(super) struct ModuleLoader {
    modules: Rc<Modules>,
    native: Rc<[NativeModule]>,
    packages: Rc<package::Packages>,
}

impl ModuleLoader {
    pub(super) fn new(modules: Rc<Modules>, native: Rc<[NativeModule]>) -> Self {
        Self { modules, native, packages: Rc::default() }
    }

    /// Loads and evaluates the file at `path` as the entry of a program and returns its namespace.
    pub(super) async fn import_entry<'js>(&self, ctx: &Ctx<'js>, path: &Path) -> Result<Object<'js>> {
        let name = resolver::entry(&self.modules, path).map_err(|failure| failure.throw(ctx))?;
        let module = self.declare_file(ctx, &name)?;
        let (module, evaluated) = module.eval()?;
        evaluated.into_future::<Value>().await?;
        module.namespace()
    }

    fn declare_file<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        let file = self.modules.path_of(name);
        let text = source::read(&file).map_err(|failure| failure.throw(ctx))?;
        if source::is_json(&file) {
            return json::declare(ctx, name, &file, &text);
        }
        let code = source::prepare(&self.modules, name, &file, text).map_err(|failure| failure.throw(ctx))?;
        typescript::show_source_positions(ctx, &self.modules)?;
        let module = Module::declare(ctx.clone(), name, code)?;
        meta::define(ctx, &module, name, &file, self)?;
        Ok(module)
    }

    /// What `specifier`, written in the module `base`, stands for.
    fn resolve_specifier(&self, base: &str, specifier: &str) -> std::result::Result<String, ScriptError> {
        resolver::Resolution { modules: &self.modules, native: &self.native, packages: &self.packages }
            .resolve(base, specifier)
    }
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
        let resolved = self
            .resolve_specifier(base, name)
            .and_then(|resolved| resolver::check_attribute(&resolved, name, attribute.as_deref()).map(|()| resolved))
            .map_err(|failure| failure.or_at(position::of_specifier(&self.modules, base, name)).throw(ctx))?;
        self.modules.record_import(base, name, &resolved);
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
        if let Some(module) = self.native.iter().find(|module| module.name == name) {
            return native_module::declare(ctx, name, module.init);
        }
        if let Some(builtin) = builtin::find(name) {
            return bytecode::load(ctx, builtin);
        }
        self.declare_file(ctx, name)
    }
}
