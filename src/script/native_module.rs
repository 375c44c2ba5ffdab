//! Modules whose exports Rust makes: `lmthing`, `lmthing/plugins`, and the internal halves of the built-in modules.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::module::{Declarations, Declared, Exports, ModuleDef};
use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, Exception, JsLifetime, Module, Object, Result, Value};

/// Makes the exports of a native module: every own enumerable property of the object becomes an export of that name
/// (`default` too). Called once, when the module is first imported.
pub type NativeModuleInit = for<'js> fn(&Ctx<'js>) -> Result<Object<'js>>;

/// A module that prompt files (or, when the name starts with `lmthing:internal/`, only built-in modules) import by name.
#[derive(Clone, Copy)]
pub struct NativeModule {
    pub name: &'static str,
    pub init: NativeModuleInit,
}

/// The exports of modules that are declared but not evaluated yet, by module name.
#[derive(Default, JsLifetime)]
pub(super) struct PendingExports<'js>(RefCell<HashMap<String, Object<'js>>>);

/// Declares a module named `name` that exports the own enumerable properties of `exports`.
pub(super) fn declare<'js>(ctx: &Ctx<'js>, name: &str, exports: Object<'js>) -> Result<Module<'js, Declared>> {
    pending(ctx)?.0.borrow_mut().insert(name.to_owned(), exports);
    Module::declare_def::<ExportsOfObject, _>(ctx.clone(), name)
}

struct ExportsOfObject;

impl ModuleDef for ExportsOfObject {
    fn declare(declarations: &Declarations) -> Result<()> {
        let module = declarations.module();
        let exports = pending(module.ctx())?.0.borrow().get(&module.name::<String>()?).cloned();
        for key in exports.iter().flat_map(|exports| exports.keys::<String>()) {
            declarations.declare(key?)?;
        }
        Ok(())
    }

    fn evaluate<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
        let object = pending(ctx)?.0.borrow_mut().remove(&exports.module().name::<String>()?);
        for entry in object.iter().flat_map(|object| object.props::<String, Value>()) {
            let (key, value) = entry?;
            exports.export(key, value)?;
        }
        Ok(())
    }
}

fn pending<'a, 'js>(ctx: &'a Ctx<'js>) -> Result<UserDataGuard<'a, PendingExports<'js>>> {
    ctx.userdata().ok_or_else(|| Exception::throw_internal(ctx, "the engine has no native module store"))
}
