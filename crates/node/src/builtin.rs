//! Built-in modules: lookup by name, and import from Rust. The embedding program provides them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Exception, JsLifetime, Module, Object, Result, Value};

use super::user_data;

/// Names with this prefix are reserved for built-in modules; a script cannot import them.
pub(crate) const INTERNAL_PREFIX: &str = "lmthing:internal/";

#[derive(Clone, Copy)]
pub struct Builtins {
    /// The names, each with its aliases (`fs` for `node:fs`).
    pub names: &'static [(&'static str, &'static [&'static str])],
    /// Declares the module with this index in `names`.
    pub load: for<'js> fn(Ctx<'js>, usize) -> Result<Module<'js, Declared>>,
}

static BUILTINS: OnceLock<Builtins> = OnceLock::new();

/// Sets the built-in modules of all engines of the process. Must be called before an engine is created; later calls have no
/// effect.
pub fn set_builtins(builtins: Builtins) {
    let _ = BUILTINS.set(builtins);
}

#[cfg(not(test))]
fn builtins() -> &'static Builtins {
    BUILTINS.get_or_init(|| Builtins { names: &[], load: |_, _| Err(Error::Unknown) })
}

#[cfg(test)]
fn builtins() -> &'static Builtins {
    BUILTINS.get_or_init(|| Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load })
}

#[derive(Clone, Copy)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    index: usize,
}

impl Builtin {
    pub(super) fn load<'js>(self, ctx: &Ctx<'js>) -> Result<Module<'js, Declared>> {
        (builtins().load)(ctx.clone(), self.index)
    }
}

/// Finds a built-in module by name or alias.
pub(super) fn find(name: &str) -> Option<Builtin> {
    let is_named = |(own, aliases): &(&str, &[&str])| *own == name || aliases.contains(&name);
    let index = builtins().names.iter().position(is_named)?;
    Some(Builtin { name: builtins().names[index].0, index })
}

/// The names that scripts can import.
pub(crate) fn public_names() -> impl Iterator<Item = &'static str> {
    let is_public = |(name, _): &&(&str, &[&str])| !name.starts_with(INTERNAL_PREFIX);
    let names = builtins().names.iter().filter(is_public);
    names.flat_map(|(name, aliases)| std::iter::once(*name).chain(aliases.iter().copied()))
}

/// Imports a built-in or native module synchronously and returns its namespace. Scripts that import it get the same
/// instance. The module must not use top-level await.
pub fn import_builtin<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
    begin(ctx, name)?;
    let imported = import(ctx, name);
    let outcome = match &imported {
        Err(Error::Exception) => {
            let thrown = ctx.catch();
            ctx.throw(thrown.clone());
            Some(Import::Failed(thrown))
        }
        _ => None,
    };
    let imports = user_data::read::<Imports>(ctx)?;
    match outcome {
        Some(failed) => imports.0.borrow_mut().insert(name.to_owned(), failed),
        None => imports.0.borrow_mut().remove(name),
    };
    imported
}

/// Imports that have failed or are running. QuickJS aborts the process if a failed module is linked again, and a script
/// can cause a failure by changing globals.
#[derive(Default, JsLifetime)]
struct Imports<'js>(RefCell<HashMap<String, Import<'js>>>);

#[derive(JsLifetime)]
enum Import<'js> {
    Running,
    Failed(Value<'js>),
}

pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Imports::default())
}

/// Throws the error of an earlier import of the module, if that failed.
fn begin<'js>(ctx: &Ctx<'js>, name: &str) -> Result<()> {
    let imports = user_data::read::<Imports>(ctx)?;
    let before = imports.0.borrow_mut().insert(name.to_owned(), Import::Running);
    match before {
        None => Ok(()),
        Some(Import::Running) => {
            Err(Exception::throw_internal(ctx, &format!("the built-in module {name} is still being loaded")))
        }
        Some(Import::Failed(thrown)) => {
            imports.0.borrow_mut().insert(name.to_owned(), Import::Failed(thrown.clone()));
            Err(ctx.throw(thrown))
        }
    }
}

fn import<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
    // A module in source form uses the engine's module map, which `Module::load` and `eval` bypass.
    let importer = format!("{INTERNAL_PREFIX}import {name}");
    let source = format!("import * as namespace from {name:?}; export {{ namespace }};");
    let (module, evaluated) = Module::declare(ctx.clone(), importer, source)?.eval()?;
    match evaluated.result::<Value>() {
        Some(Ok(_)) => module.get("namespace"),
        Some(Err(error)) => Err(error),
        None => Err(Exception::throw_internal(ctx, &format!("the built-in module {name} awaits at its top level"))),
    }
}
