//! Finds the call of a native function that threw, or the `new` that made an error: natives have no stack frame, and
//! the position of the frame around them is that of its last call, often within the arguments.

use rquickjs::Ctx;

use super::explain::is_known_method;
use super::source::{Source, Sources};
use super::stack::RawFrame;
use crate::loader::is_package;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_base::parser::Binding;
use lmthing_base::parser::{Access, AccessKind};

/// The offset of the name of the called function, or of the class of an error with these `classes`, if the call is at
/// `diagnostic`'s position.
pub(super) fn find(
    ctx: &Ctx<'_>,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
    classes: &[String],
    innermost: &RawFrame,
) -> Option<usize> {
    let location = &innermost.frame.location;
    if !innermost.is_innermost || is_package(&location.path) {
        return None;
    }
    let source = sources.of(&location.path);
    let sites = source.accesses_at(location.line, location.column);
    let calls = || sites.iter().filter(|site| site.kind == AccessKind::Call);
    if let Some(name) = opening_name(&diagnostic.message)
        && let Some(named) = calls().find(|site| function_of(&source, site) == name)
    {
        return Some(named.offset);
    }
    // A script's own error is made at its position.
    if let Some(made) = sites.iter().rfind(|site| site.kind == AccessKind::Construct) {
        return classes.iter().any(|class| class == made.name()).then_some(made.offset);
    }
    if diagnostic.name != "TypeError" {
        return None;
    }
    calls().rfind(|site| is_known_method(ctx, &function_of(&source, site))).map(|site| site.offset)
}

/// `defTool` of `defTool: the name …` and `defTool('x'): …`: messages of natives begin with their name.
fn opening_name(message: &str) -> Option<&str> {
    let end = message.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')?;
    let (name, rest) = message.split_at(end);
    (!name.is_empty() && rest.starts_with([':', '(', '\''])).then_some(name)
}

/// The called name, resolved through renaming: `({ defTool: tool }) => tool(…)`.
fn function_of(source: &Source, site: &Access) -> String {
    match (site.names.as_slice(), source.binding(site.name())) {
        ([_], Some(Binding::OfParameter { property })) => property.clone(),
        ([_], Some(Binding::Import { imported, .. })) if !imported.is_empty() => imported.clone(),
        _ => site.name().to_owned(),
    }
}
