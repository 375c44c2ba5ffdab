//! Built-in modules stored as bytecode: lookup by name, and import from Rust.
//!
//! `build.rs` generates the table from `runtime-js/builtins.json`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;
use rquickjs::{Ctx, Error, Exception, JsLifetime, Module, Object, Result, Value};

use super::user_data;

/// Names with this prefix are reserved for built-in modules; a prompt file cannot import them.
pub const INTERNAL_PREFIX: &str = "lmthing:internal/";

pub struct Builtin {
    pub name: &'static str,
    /// Other names a prompt file may import it by: `fs` for `node:fs`.
    pub aliases: &'static [&'static str],
    stored: &'static [u8],
    /// Length of the unpacked bytecode; 0 when it is not packed.
    length: usize,
    unpacked: OnceLock<Vec<u8>>,
}

include!(concat!(env!("OUT_DIR"), "/builtins.rs"));

impl Builtin {
    const fn new(name: &'static str, aliases: &'static [&'static str], stored: &'static [u8], length: usize) -> Self {
        Builtin { name, aliases, stored, length, unpacked: OnceLock::new() }
    }

    /// The bytecode, unpacked once for the process.
    pub fn bytecode(&'static self) -> &'static [u8] {
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

/// Finds a builtin by its name or an alias.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name || builtin.aliases.contains(&name))
}

/// The names that a prompt file can import.
pub fn public_names() -> impl Iterator<Item = &'static str> {
    BUILTINS
        .iter()
        .filter(|builtin| !builtin.name.starts_with(INTERNAL_PREFIX))
        .flat_map(|builtin| std::iter::once(builtin.name).chain(builtin.aliases.iter().copied()))
}

/// Imports a built-in or native module synchronously and returns its namespace. The module is evaluated once; prompt
/// files that import it get the same instance.
///
/// The module must not use top-level await.
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

/// Imports that have failed or are running. QuickJS aborts the process when a failed module is linked again, and a
/// script can make any of them fail by changing the globals.
#[derive(Default, JsLifetime)]
struct Imports<'js>(RefCell<HashMap<String, Import<'js>>>);

#[derive(JsLifetime)]
enum Import<'js> {
    Running,
    Failed(Value<'js>),
}

pub fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Imports::default())
}

/// Throws again what an earlier import of the module threw.
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

/// Imports every builtin; the error names the one that failed.
#[cfg(test)]
pub fn evaluate_all(ctx: &Ctx<'_>) -> std::result::Result<(), String> {
    use rquickjs::CatchResultExt;
    BUILTINS.iter().try_for_each(|builtin| {
        import_builtin(ctx, builtin.name).catch(ctx).map(drop).map_err(|error| format!("{}: {error}", builtin.name))
    })
}
