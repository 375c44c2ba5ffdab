//! Modules whose exports are created in Rust.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::module::{Declarations, Declared, Exports, ModuleDef};
use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, JsLifetime, Module, Object, Result, Value};

use super::user_data;

/// Creates the exports of a native module: the own enumerable properties of the object. Called once, at the first import.
pub(crate) type NativeModuleInit = for<'js> fn(&Ctx<'js>) -> Result<Object<'js>>;

/// If the name starts with `lmthing:internal/`, only built-in modules can import it.
#[derive(Clone, Copy)]
pub struct NativeModule {
    pub name: &'static str,
    pub init: NativeModuleInit,
}

/// The exports of native modules by module name. QuickJS loads a module again if it is imported with an attribute, and
/// both instances must export the same values.
#[derive(Default, JsLifetime)]
struct ExportStore<'js>(RefCell<HashMap<String, Object<'js>>>);

pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, ExportStore::default())
}

/// Declares a module with the exports that `init` creates at the first import.
pub(crate) fn declare<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    init: impl FnOnce(&Ctx<'js>) -> Result<Object<'js>>,
) -> Result<Module<'js, Declared>> {
    if exports_of(ctx, name)?.is_none() {
        let exports = init(ctx)?;
        store(ctx)?.0.borrow_mut().insert(name.to_owned(), exports);
    }
    Module::declare_def::<ExportsOfObject, _>(ctx.clone(), name)
}

struct ExportsOfObject;

impl ModuleDef for ExportsOfObject {
    fn declare(declarations: &Declarations) -> Result<()> {
        let module = declarations.module();
        let exports = exports_of(module.ctx(), &module.name::<String>()?)?;
        for key in exports.iter().flat_map(|exports| exports.keys::<String>()) {
            declarations.declare(key?)?;
        }
        Ok(())
    }

    fn evaluate<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
        let object = exports_of(ctx, &exports.module().name::<String>()?)?;
        for entry in object.iter().flat_map(|object| object.props::<String, Value>()) {
            let (key, value) = entry?;
            exports.export(key, value)?;
        }
        Ok(())
    }
}

fn exports_of<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Option<Object<'js>>> {
    Ok(store(ctx)?.0.borrow().get(name).cloned())
}

fn store<'a, 'js>(ctx: &'a Ctx<'js>) -> Result<UserDataGuard<'a, ExportStore<'js>>> {
    user_data::read(ctx)
}
