//! JSON modules: `import data from './data.json'`, with or without `with { type: 'json' }`
//! (docs/reference/modules.md).

use std::path::Path;

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Object, Result};
use serde::de::IgnoredAny;

use crate::error::ScriptError;
use crate::native_module;
use lmthing_base::diagnostic::Location;

/// Declares the module with the parsed text as its default export.
pub(super) fn declare<'js>(ctx: &Ctx<'js>, name: &str, path: &Path, text: &str) -> Result<Module<'js, Declared>> {
    // Checked before the engine parses it, because these errors have line and column.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return Err(failure(name, path, &error).throw(ctx));
    }
    native_module::declare(ctx, name, |ctx| {
        let exports = Object::new(ctx.clone())?;
        exports.set("default", ctx.json_parse(text)?)?;
        Ok(exports)
    })
}

fn failure(name: &str, path: &Path, error: &serde_json::Error) -> ScriptError {
    let full = error.to_string();
    let what = full.split(" at line ").next().unwrap_or(&full);
    let message = format!("'{}' is not valid JSON: {what}", path.display());
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    let column = u32::try_from(error.column().max(1)).unwrap_or(u32::MAX);
    ScriptError::syntax(message, Location { path: name.to_owned(), line, column })
}
