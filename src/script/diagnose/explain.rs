//! Better words for errors whose QuickJS message helps nobody: a missing export, CommonJS in a module, a syntax error.
//! Only what is shown changes; a script that catches the error sees QuickJS's words.

use rquickjs::Ctx;

use super::culprit;
use super::source::Sources;
use crate::diagnostic::Diagnostic;
use crate::script::loader::{self, LoadFailure, Modules};

/// Rewrites the message and adds a place or a hint where something better is known. Gives the kind of failure, when loading a
/// module ended in it.
pub(super) fn explain(
    ctx: &Ctx<'_>,
    modules: &Modules,
    sources: &Sources<'_>,
    diagnostic: &mut Diagnostic,
) -> Option<LoadFailure> {
    let mut failure = None;
    if diagnostic.name == "SyntaxError"
        && diagnostic.location.is_none()
        && let Some(found) = loader::explain_missing_export(ctx, modules, &diagnostic.message)
    {
        failure = Some(LoadFailure::Import);
        diagnostic.message = found.message;
        diagnostic.hint = found.hint;
        diagnostic.location = found.location.map(|location| sources.in_characters(location));
        diagnostic.source_line = diagnostic
            .location
            .as_ref()
            .and_then(|location| sources.of(&location.path).line(location.line).map(str::to_owned));
    }
    if diagnostic.name == "SyntaxError" && diagnostic.source_line.as_deref().unwrap_or_default().trim().is_empty() {
        move_from_end(modules, diagnostic);
    }
    if diagnostic.hint.is_none() {
        let undefined =
            diagnostic.message.strip_suffix(" is not defined").filter(|_| diagnostic.name == "ReferenceError");
        diagnostic.hint = hint(&diagnostic.name, &diagnostic.message)
            .map(str::to_owned)
            .or_else(|| culprit::undefined_name(ctx, undefined?));
    }
    failure
}

/// A file that ends too early is shown by the end of its last line, not by the emptiness after it.
fn move_from_end(modules: &Modules, diagnostic: &mut Diagnostic) {
    // The empty token is the end of the file.
    if diagnostic.message == "unexpected token in expression: ''" {
        diagnostic.message = "Unexpected end of input".to_owned();
    }
    let Some(location) = &mut diagnostic.location else { return };
    let text = modules.text_of(&location.path).unwrap_or_default();
    let before = text.lines().take(location.line as usize).enumerate();
    if let Some((index, line)) = before.filter(|(_, line)| !line.trim().is_empty()).last() {
        location.line = u32::try_from(index + 1).unwrap_or(u32::MAX);
        location.column = u32::try_from(line.trim_end().chars().count() + 1).unwrap_or(u32::MAX);
        diagnostic.source_line = Some(line.to_owned());
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
