//! JSON modules: `import data from './data.json'`, with or without `with { type: 'json' }`
//! (docs/reference/modules.md).

use std::path::Path;

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Object, Result};

use super::position;
use crate::error::ScriptError;
use crate::native_module;
use lmthing_base::diagnostic::InvalidJson;

/// Declares the module with the parsed text as its default export.
pub(super) fn declare<'js>(ctx: &Ctx<'js>, name: &str, path: &Path, text: &str) -> Result<Module<'js, Declared>> {
    // Checked before the engine parses it, because these errors have line and column.
    if let Some(InvalidJson { what, offset, .. }) = InvalidJson::of(text) {
        let message = format!("'{}' is not valid JSON: {what}", path.display());
        return Err(ScriptError::syntax(message, position::locate(name, text, offset)).throw(ctx));
    }
    native_module::declare(ctx, name, |ctx| {
        let exports = Object::new(ctx.clone())?;
        exports.set("default", ctx.json_parse(text)?)?;
        Ok(exports)
    })
}
