//! The built-in modules that ship as bytecode: which there are, under which names, and how Rust imports one.
//!
//! The list lives in `runtime-js/builtins.json`; `build.rs` turns it into the table below.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;
use rquickjs::{Ctx, Error, Exception, JsLifetime, Module, Object, Result, Value};

use super::user_data;

/// Names below this prefix are for built-in modules only; a prompt file cannot import them.
pub(super) const INTERNAL_PREFIX: &str = "lmthing:internal/";

/// One entry of `runtime-js/builtins.json`, bundled and compiled.
pub(super) struct Builtin {
    pub(super) name: &'static str,
    /// Other names a prompt file may import it by: `fs` for `node:fs`.
    pub(super) aliases: &'static [&'static str],
    stored: &'static [u8],
    /// How long the bytecode is where it is stored packed.
    length: usize,
    unpacked: OnceLock<Vec<u8>>,
}

include!(concat!(env!("OUT_DIR"), "/builtins.rs"));

impl Builtin {
    const fn new(name: &'static str, aliases: &'static [&'static str], stored: &'static [u8], length: usize) -> Self {
        Builtin { name, aliases, stored, length, unpacked: OnceLock::new() }
    }

    /// The bytecode; unpacked once for all engines of the process.
    pub(super) fn bytecode(&'static self) -> &'static [u8] {
        if self.length == 0 {
            return self.stored;
        }
        self.unpacked.get_or_init(|| {
            let mut bytecode = Vec::with_capacity(self.length);
            DeflateDecoder::new(self.stored).read_to_end(&mut bytecode).expect("build.rs packed it");
            bytecode
        })
    }
}

/// The builtin that `name` (or one of its aliases) stands for.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name || builtin.aliases.contains(&name))
}

/// Every name that a prompt file can import a builtin by.
pub(super) fn public_names() -> impl Iterator<Item = &'static str> {
    BUILTINS
        .iter()
        .filter(|builtin| !builtin.name.starts_with(INTERNAL_PREFIX))
        .flat_map(|builtin| std::iter::once(builtin.name).chain(builtin.aliases.iter().copied()))
}

/// Imports a built-in or native module at once and returns its namespace; the module is evaluated on its first import
/// only, and prompt files that import it get the same instance.
///
/// The module must not use top-level await.
pub(crate) fn import_builtin<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
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

/// What became of the imports of built-in modules that did not go well, or are not over. The engine aborts the process when a module is
/// linked again that failed, and a script can make any of them fail, by what it does to the globals before.
#[derive(Default, JsLifetime)]
struct Imports<'js>(RefCell<HashMap<String, Import<'js>>>);

#[derive(JsLifetime)]
enum Import<'js> {
    Running,
    Failed(Value<'js>),
}

/// Part of making an engine.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Imports::default())
}

/// Throws what the module threw when it was imported before.
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
    // A one-line module goes through the engine's own module map, which `Module::load` and `eval` would pass by.
    let importer = format!("{INTERNAL_PREFIX}import {name}");
    let source = format!("import * as namespace from {name:?}; export {{ namespace }};");
    let (module, evaluated) = Module::declare(ctx.clone(), importer, source)?.eval()?;
    match evaluated.result::<Value>() {
        Some(Ok(_)) => module.get("namespace"),
        Some(Err(error)) => Err(error),
        None => Err(Exception::throw_internal(ctx, &format!("the built-in module {name} awaits at its top level"))),
    }
}

/// Imports every builtin; the error names the one that failed.
#[cfg(test)]
pub(super) fn evaluate_all(ctx: &Ctx<'_>) -> std::result::Result<(), String> {
    use rquickjs::CatchResultExt;
    BUILTINS.iter().try_for_each(|builtin| {
        import_builtin(ctx, builtin.name).catch(ctx).map(drop).map_err(|error| format!("{}: {error}", builtin.name))
    })
}
