//! Finding and loading modules (docs/reference.md, "Modules"): relative and absolute files, `file:` URLs, built-in and
//! native modules, packages in `node_modules`.
//!
//! A module's name inside QuickJS is its real path (plus `?query`, which makes a second instance as in Node), or the plain
//! name of a built-in or native module; so stack traces show paths. QuickJS gives no position for an import that fails:
//! `position` finds the specifier in the importer's text.

mod chain;
mod common_js;
mod json;
mod kind;
mod meta;
mod missing_export;
mod modules;
mod package;
mod position;
mod resolver;
mod source;
mod typescript;

use std::path::Path;
use std::rc::Rc;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{AsyncRuntime, Ctx, JsLifetime, Module, Object, Result, Value};

pub(super) use chain::{ImportSite, import_chain, is_package};
pub(super) use common_js::NATIVE;
pub(super) use missing_export::explain_missing_export;
pub(super) use modules::Modules;
pub(super) use typescript::with_source_positions;

use super::native_module::{self, NativeModule};
use super::{builtin, bytecode, user_data};
use kind::Kind;
use resolver::ModuleResolver;

/// The resolver and the loader of one engine; clones share the same state.
#[derive(Clone, JsLifetime)]
pub(super) struct ModuleLoader(Rc<ModuleResolver>);

/// Hooks a loader into the runtime that knows `native` modules besides the built-in ones; part of making an engine, before
/// the context is used.
pub(super) async fn attach(runtime: &AsyncRuntime, native: Vec<NativeModule>) -> ModuleLoader {
    let resolver = ModuleResolver { modules: Rc::default(), native, packages: package::Packages::default() };
    let loader = ModuleLoader(Rc::new(resolver));
    runtime.set_loader(loader.clone(), loader.clone()).await;
    loader
}

/// Part of making an engine.
pub(super) fn set_up(ctx: &Ctx<'_>, loader: ModuleLoader) -> Result<()> {
    let resolver = loader.0.clone();
    user_data::store(ctx, loader)?;
    common_js::set_up(ctx, resolver)
}

/// What the engine of `ctx` has loaded.
pub(super) fn modules(ctx: &Ctx<'_>) -> Result<Rc<Modules>> {
    Ok(user_data::read::<ModuleLoader>(ctx)?.0.modules.clone())
}

/// Whether a script of the engine of `ctx` could ask for the pieces of answers (`prompt.fullSteps`).
pub(crate) fn may_ask_for_pieces(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(modules(ctx)?.may_ask_for_pieces())
}

/// Loads and evaluates the prompt file at `path` and returns its module namespace.
///
/// # Errors
/// A pending exception: see [`diagnose_error`](crate::script::diagnose_error).
pub async fn import_file<'js>(ctx: &Ctx<'js>, path: &Path) -> Result<Object<'js>> {
    let loader = user_data::read::<ModuleLoader>(ctx)?.clone();
    let name = resolver::entry(&loader.0.modules, path).map_err(|failure| failure.throw(ctx))?;
    let module = loader.declare_file(ctx, &name, true)?;
    let (module, evaluated) = module.eval()?;
    evaluated.into_future::<Value>().await?;
    module.namespace()
}

impl ModuleLoader {
    fn declare_file<'js>(&self, ctx: &Ctx<'js>, name: &str, is_entry: bool) -> Result<Module<'js, Declared>> {
        let file = self.0.modules.path_of(name);
        let text = source::read(&file).map_err(|failure| failure.throw(ctx))?;
        self.0.modules.note_text(&text);
        match kind::of(&file) {
            Kind::Json => return json::declare(ctx, name, &file, &text),
            // The file that lmthing was started with is a module, whatever the package around it says.
            Kind::CommonJs if !is_entry => return common_js::declare(ctx, name, &file),
            _ => {}
        }
        let code = match source::is_typescript(name) {
            true => typescript::strip(&self.0.modules, name, &text).map_err(|failure| failure.throw(ctx))?,
            false => text,
        };
        typescript::show_source_positions(ctx, &self.0.modules)?;
        let module = Module::declare(ctx.clone(), name, code)?;
        meta::define(ctx, &module, name, &file, &self.0)?;
        Ok(module)
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
        let ModuleResolver { modules, .. } = &*self.0;
        let resolved = match attribute.as_deref() {
            Some("text") => self.0.resolve_text(base, name),
            attribute => self
                .0
                .resolve(base, name)
                .and_then(|resolved| resolver::check_attribute(&resolved, name, attribute).map(|()| resolved)),
        };
        let resolved =
            resolved.map_err(|failure| failure.or_at(position::of_specifier(modules, base, name)).throw(ctx))?;
        // Should a name be missing in it, QuickJS will not say who asked: see `missing_export`.
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
        if let Some(module) = self.0.native.iter().find(|module| module.name == name) {
            return native_module::declare(ctx, name, module.init);
        }
        if let Some(builtin) = builtin::find(name) {
            return bytecode::load(ctx, builtin);
        }
        if name.ends_with(source::TEXT) {
            let text = source::read(&self.0.modules.path_of(name)).map_err(|failure| failure.throw(ctx))?;
            return native_module::declare(ctx, name, |ctx| {
                let exports = Object::new(ctx.clone())?;
                exports.set("default", text.as_str())?;
                Ok(exports)
            });
        }
        self.declare_file(ctx, name, false)
    }
}
