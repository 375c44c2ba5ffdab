//! Finds the import behind QuickJS's error `Could not find export 'x' in module 'y'`, which has no position and
//! truncates long names.

use rquickjs::{CatchResultExt, Ctx};

use super::modules::{Import, Modules};
use super::position;
use crate::builtin::import_builtin;
use crate::error::ScriptError;
use lmthing_base::diagnostic::closest;
use lmthing_base::parser::Language;

/// QuickJS truncates names in link errors to this many bytes.
const QUICKJS_NAME_LIMIT: usize = 63;

/// Node's message, the position of the import and a suggestion, if `message` is a link error.
pub(crate) fn explain_missing_export(ctx: &Ctx<'_>, modules: &Modules, message: &str) -> Option<ScriptError> {
    let (kind, name, module) = parse(message)?;
    let (import, location) =
        modules.imports_where(|resolved| names(module, resolved)).into_iter().find_map(|import| {
            let location = position::of_name(modules, &import.importer, &import.specifier, name)?;
            Some((import, location))
        })?;
    let specifier = &import.specifier;
    let words = match kind {
        Kind::Missing => format!("The requested module '{specifier}' does not provide an export named '{name}'"),
        Kind::Circular => format!("The export '{name}' of '{specifier}' is defined by a circle of re-exports"),
        Kind::Ambiguous => format!("The requested module '{specifier}' exports '{name}' from more than one place"),
    };
    let hint = matches!(kind, Kind::Missing).then(|| suggest(ctx, modules, &import, name)).flatten();
    Some(ScriptError::syntax(words, location).hint_if_some(hint))
}

enum Kind {
    Missing,
    Circular,
    Ambiguous,
}

fn parse(message: &str) -> Option<(Kind, &str, &str)> {
    let (kind, rest) = if let Some(rest) = message.strip_prefix("Could not find export '") {
        (Kind::Missing, rest)
    } else if let Some(rest) = message.strip_prefix("circular reference when looking for export '") {
        (Kind::Circular, rest)
    } else {
        (Kind::Ambiguous, message.strip_prefix("export '")?.strip_suffix(" is ambiguous")?)
    };
    let (name, module) = rest.split_once("' in module '")?;
    Some((kind, name, module.strip_suffix('\'')?))
}

/// Whether the possibly truncated name `shown` is that of the module `resolved`.
fn names(shown: &str, resolved: &str) -> bool {
    // Truncation keeps characters whole, so a truncated name may be up to three bytes shorter than the limit.
    shown == resolved || (shown.len() + 4 > QUICKJS_NAME_LIMIT && resolved.starts_with(shown))
}

/// A similar name among the exports, or a hint for a common mistake.
fn suggest(ctx: &Ctx<'_>, modules: &Modules, import: &Import, name: &str) -> Option<String> {
    if modules.is_common_js(&import.resolved) {
        return Some(format!(
            "'{0}' is CommonJS, whose names cannot all be known beforehand; import the whole: import whole from '{0}'",
            import.specifier
        ));
    }
    let is_type = modules.text_of(&import.resolved).is_some_and(|text| {
        super::source::is_typescript(&import.resolved)
            && modules.parser().exports_type(&text, Language::TypeScript, name)
    });
    if is_type {
        return Some(format!("this is a type: use `import type {{ {name} }} from '{}'`", import.specifier));
    }
    let exports = exports_of(ctx, modules, &import.resolved);
    if let Some(close) = closest(name, exports.iter().map(String::as_str)) {
        return Some(format!("did you mean '{close}'?"));
    }
    if name == "default" {
        return Some(format!("it has no default export; import by name: import {{ … }} from '{}'", import.specifier));
    }
    // Declarations beside a package's JavaScript are not read.
    super::source::is_typescript(&import.importer)
        .then(|| format!("if '{name}' is a type, import it with: import type {{ {name} }} from '{}'", import.specifier))
}

fn exports_of(ctx: &Ctx<'_>, modules: &Modules, module: &str) -> Vec<String> {
    if let Some(text) = modules.text_of(module) {
        return modules.parser().exported_names(&text, super::source::language(module)).unwrap_or_default();
    }
    let namespace = import_builtin(ctx, module).catch(ctx).ok();
    namespace.map(|namespace| namespace.keys::<String>().flatten().collect()).unwrap_or_default()
}
