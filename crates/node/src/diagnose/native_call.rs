//! The call of a native function that threw: natives leave no frame in a stack, and the place of the one around them is that of
//! whatever was called last, most likely in their arguments. Must not know what was wrong.

use rquickjs::Ctx;

use super::explain::is_known_method;
use super::source::{Source, Sources};
use super::stack::RawFrame;
use crate::loader::is_package;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_base::parser::Binding;
use lmthing_base::parser::{Access, AccessKind};

/// The byte where the name of the function starts whose call is `diagnostic`'s place.
pub(super) fn find(
    ctx: &Ctx<'_>,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
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
    // Whoever throws a `TypeError` of their own constructs it there.
    if diagnostic.name != "TypeError" || sites.iter().any(|site| site.kind == AccessKind::Construct) {
        return None;
    }
    calls().rfind(|site| is_known_method(ctx, &function_of(&source, site))).map(|site| site.offset)
}

/// `defTool` of `defTool: the name …` and `defTool('x'): …`: natives say first who they are.
fn opening_name(message: &str) -> Option<&str> {
    let end = message.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')?;
    let (name, rest) = message.split_at(end);
    (!name.is_empty() && rest.starts_with([':', '(', '\''])).then_some(name)
}

/// The name of what is called, also of what was renamed on the way: `({ defTool: tool }) => tool(…)`.
fn function_of(source: &Source, site: &Access) -> String {
    match (site.names.as_slice(), source.binding(site.name())) {
        ([_], Some(Binding::OfParameter { property })) => property.clone(),
        ([_], Some(Binding::Import { imported, .. })) if !imported.is_empty() => imported.clone(),
        _ => site.name().to_owned(),
    }
}
