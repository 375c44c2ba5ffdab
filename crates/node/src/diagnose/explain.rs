//! Rewrites unhelpful QuickJS messages: missing exports, CommonJS in modules, syntax errors. Only the diagnostic
//! changes; scripts that catch the error see QuickJS's message.

use std::path::Path;
use std::rc::Rc;

use rquickjs::{Ctx, JsLifetime, Result};

use super::source::Sources;
use crate::loader::{self, LoadFailure, Modules};
use crate::user_data;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_base::parser::Binding;

/// Hints of the program around the engine.
pub trait Explain {
    /// Names of the methods that scripts get as properties of a parameter.
    fn methods(&self) -> &[&'static str];

    /// The hint for a property that is none of the [`methods`](Self::methods), but similar to `meant`.
    fn misspelled_method(&self, name: &str, meant: &str) -> String;

    /// The hint for a variable that is not defined.
    fn undefined_variable(&self, name: &str) -> Option<String>;
}

#[derive(JsLifetime)]
struct Explainer(Rc<dyn Explain>);

/// Sets these hints; once for each engine.
pub fn set_explain(ctx: &Ctx<'_>, explain: Rc<dyn Explain>) -> Result<()> {
    user_data::store(ctx, Explainer(explain))
}

pub(super) fn explain_of(ctx: &Ctx<'_>) -> Rc<dyn Explain> {
    ctx.userdata::<Explainer>().map_or_else(|| Rc::new(NothingToAdd) as Rc<dyn Explain>, |explain| explain.0.clone())
}

pub(super) fn is_known_method(ctx: &Ctx<'_>, name: &str) -> bool {
    explain_of(ctx).methods().contains(&name)
}

struct NothingToAdd;

impl Explain for NothingToAdd {
    fn methods(&self) -> &[&'static str] {
        &[]
    }

    fn misspelled_method(&self, _: &str, meant: &str) -> String {
        format!("did you mean '{meant}'?")
    }

    fn undefined_variable(&self, _: &str) -> Option<String> {
        None
    }
}

/// Rewrites the message and adds a position or hint if a better one is known. Returns the kind of failure if loading a
/// module failed.
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
    explain_uninitialized(modules, sources, diagnostic);
    if diagnostic.hint.is_none() {
        diagnostic.hint = hint(ctx, diagnostic);
    }
    failure
}

/// A variable that is read before its declaration has run: an import, if files import each other.
fn explain_uninitialized(modules: &Modules, sources: &Sources<'_>, diagnostic: &mut Diagnostic) {
    let name = diagnostic.message.strip_suffix(" is not initialized").filter(|_| diagnostic.name == "ReferenceError");
    let (Some(name), Some(location)) = (name.map(str::to_owned), &diagnostic.location) else { return };
    let specifier = match sources.of(&location.path).binding(&name) {
        Some(Binding::Import { specifier, .. }) => Some(specifier.clone()),
        // Of a namespace, the name is the export's.
        None => None,
        Some(_) => return,
    };
    let Some(circle) = loader::import_circle(modules, &location.path, specifier.as_deref()) else { return };
    let file = |path: &String| Path::new(path).file_name().unwrap_or_default().display().to_string();
    let imports: Vec<String> =
        circle.windows(2).map(|pair| format!("{} imports {}", file(&pair[0]), file(&pair[1]))).collect();
    diagnostic.message = format!("'{name}' has no value yet, as files import each other: {}", imports.join(", and "));
    diagnostic.hint = Some(format!("move '{name}' into a file that both import, or read it later, in a function"));
}

/// A file that ends too early is shown at the end of its last line.
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

fn hint(ctx: &Ctx<'_>, diagnostic: &Diagnostic) -> Option<String> {
    let hint = match (diagnostic.name.as_str(), diagnostic.message.as_str()) {
        ("RangeError", "Maximum call stack size exceeded") => "a function calls itself without end",
        ("ReferenceError", message) if message.ends_with(" is not initialized") => {
            "it is read before the line that declares it has run"
        }
        ("ReferenceError", message) => match message.strip_suffix(" is not defined")? {
            "__dirname" => "use import.meta.dirname",
            "__filename" => "use import.meta.filename",
            name => return explain_of(ctx).undefined_variable(name),
        },
        _ => return None,
    };
    Some(hint.to_owned())
}
