//! Modules whose exports are made in Rust.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::module::{Declarations, Declared, Exports, ModuleDef};
use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, JsLifetime, Module, Object, Result, Value};

use super::user_data;

/// Makes the exports of a native module: every own enumerable property of the object becomes an export of that name
/// (`default` too). Called once, when the module is first imported.
pub(crate) type NativeModuleInit = for<'js> fn(&Ctx<'js>) -> Result<Object<'js>>;

/// A module that scripts (or, when the name starts with `lmthing:internal/`, only built-in modules) import by name.
#[derive(Clone, Copy)]
pub struct NativeModule {
    pub name: &'static str,
    pub init: NativeModuleInit,
}

/// The exports of native modules by module name, kept for the life of the engine: QuickJS loads a module again when it
/// is imported with an attribute, and both instances must export the same values.
#[derive(Default, JsLifetime)]
struct ExportStore<'js>(RefCell<HashMap<String, Object<'js>>>);

pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, ExportStore::default())
}

/// Declares a module that exports the own enumerable properties of the object `init` returns; `init` runs once.
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
