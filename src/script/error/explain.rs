//! Better words for errors whose QuickJS message helps nobody: a missing export, CommonJS in a module, a syntax error.

use rquickjs::Ctx;

use crate::diagnostic::Diagnostic;
use crate::script::loader::{self, Modules};

/// Rewrites the message and adds a place or a hint where something better is known.
pub(super) fn explain(ctx: &Ctx<'_>, modules: &Modules, diagnostic: &mut Diagnostic) {
    if diagnostic.name == "SyntaxError"
        && diagnostic.location.is_none()
        && let Some(found) = loader::explain_missing_export(ctx, modules, &diagnostic.message)
    {
        diagnostic.message = found.message;
        diagnostic.hint = found.hint;
        diagnostic.source_line =
            found.location.as_ref().and_then(|location| super::stack::source_line(modules, location));
        diagnostic.location = found.location;
    }
    if diagnostic.hint.is_none() {
        diagnostic.hint = hint(&diagnostic.name, &diagnostic.message).map(str::to_owned);
    }
}

fn hint(name: &str, message: &str) -> Option<&'static str> {
    match (name, message) {
        ("ReferenceError", "require is not defined") => {
            Some("prompt files are ES modules: use import instead of require")
        }
        ("ReferenceError", "module is not defined" | "exports is not defined") => {
            Some("prompt files are ES modules: use export instead of module.exports")
        }
        ("ReferenceError", "__dirname is not defined") => Some("use import.meta.dirname"),
        ("ReferenceError", "__filename is not defined") => Some("use import.meta.filename"),
        ("RangeError", "Maximum call stack size exceeded") => Some("a function calls itself without end"),
        _ => None,
    }
}
