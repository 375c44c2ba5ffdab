//! Finds the call of something that is not a function, and the property that was read of `undefined` or `null`: the
//! engine reports neither, and its position may fit several nested calls.

use rquickjs::{Ctx, Object, Result, Value};

use super::explain::{explain_of, is_known_method};
use super::source::{Source, Sources};
use super::stack::RawFrame;
use crate::builtin::{self, import_builtin};
use crate::loader::is_package;
use lmthing_base::diagnostic::{Diagnostic, closest};
use lmthing_base::parser::Binding;
use lmthing_base::parser::{Access, AccessKind};

/// Longer expressions are shown by their last name.
const MAX_EXPRESSION: usize = 60;

/// The expression that an engine error is about.
pub(super) struct Culprit {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// Offset of the byte to show.
    pub(super) at: usize,
}

/// Finds the expression that `diagnostic` is about if it is an engine error that does not name it.
pub(super) fn find(
    ctx: &Ctx<'_>,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
    innermost: &RawFrame,
) -> Option<Culprit> {
    let location = &innermost.frame.location;
    if diagnostic.name != "TypeError" || is_package(&location.path) {
        return None;
    }
    let source = sources.of(&location.path);
    let sites = source.accesses_at(location.line, location.column);
    let message = diagnostic.message.as_str();
    if !innermost.is_innermost {
        // A built-in function was given a callback.
        let called = innermost.called.as_deref().filter(|_| message == "not a function")?;
        let site = sites.into_iter().find(|site| site.kind == AccessKind::Call && site.name() == called)?;
        let message = format!("{} was given something to call that is not a function", shown(site));
        return Some(Culprit { message, hint: None, at: site.offset });
    }
    if message == "not a function" {
        let calls = sites.into_iter().filter(|site| site.kind != AccessKind::Read);
        let culprit = most_doubtful(ctx, &source, calls)?;
        let wanted = if culprit.kind == AccessKind::Construct { "constructor" } else { "function" };
        return Some(Culprit {
            message: format!("{} is not a {wanted}", shown(culprit)),
            hint: suggestion(ctx, &source, culprit),
            at: culprit.offset,
        });
    }
    if message == "not a constructor" || message.ends_with(" is not a constructor") {
        let culprit = sites.into_iter().find(|site| site.kind == AccessKind::Construct)?;
        return Some(Culprit {
            message: format!("{} is not a constructor", shown(culprit)),
            hint: None,
            at: culprit.offset,
        });
    }
    let (name, _) = message.strip_prefix("cannot read property '")?.rsplit_once("' of ")?;
    let culprit = sites.into_iter().find(|site| site.kind == AccessKind::Read && site.name() == name)?;
    Some(Culprit { message: message.to_owned(), hint: None, at: culprit.offset })
}

fn shown(site: &Access) -> String {
    let is_short = site.expression.len() <= MAX_EXPRESSION && !site.expression.contains('\n');
    if is_short || site.name().is_empty() {
        let mut text: String = site.expression.chars().take(MAX_EXPRESSION).collect();
        text.truncate(text.find('\n').unwrap_or(text.len()));
        return text;
    }
    format!("(…).{}", site.name())
}

/// How likely an expression is not a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// It is a function.
    None,
    /// A variable that is assigned somewhere.
    Possible,
    /// A property, which is more easily mistyped than a variable.
    Likely,
    /// It is not a function.
    Sure,
}

/// Of nested calls, the one whose callee is least likely to be a function; the innermost of equals, as it runs first.
fn most_doubtful<'a>(ctx: &Ctx<'_>, source: &Source, calls: impl Iterator<Item = &'a Access>) -> Option<&'a Access> {
    let mut worst: Option<(Doubt, &Access)> = None;
    for call in calls {
        let doubt = doubt(ctx, source, call);
        if worst.as_ref().is_none_or(|(known, _)| doubt > *known) {
            worst = Some((doubt, call));
        }
    }
    worst.map(|(_, call)| call)
}

fn doubt(ctx: &Ctx<'_>, source: &Source, site: &Access) -> Doubt {
    let Some((root, path)) = site.names.split_first() else { return Doubt::Possible };
    let unknown = if path.is_empty() { Doubt::Possible } else { Doubt::Likely };
    let object = match source.binding(root) {
        _ if root.is_empty() => return unknown,
        Some(Binding::Function) if path.is_empty() => return Doubt::None,
        Some(Binding::OfParameter { property }) if path.is_empty() => {
            return if is_known_method(ctx, property) { Doubt::None } else { Doubt::Likely };
        }
        Some(Binding::Import { specifier, imported }) => {
            let Some(object) = imported_value(ctx, specifier, imported) else { return unknown };
            object
        }
        Some(_) => return unknown,
        None => match ctx.globals().get::<_, Value>(root.as_str()) {
            Ok(value) => value,
            Err(_) => return taken(ctx, unknown),
        },
    };
    match follow(object, path) {
        Ok(Some(value)) if value.is_function() => Doubt::None,
        Ok(_) => Doubt::Sure,
        Err(_) => taken(ctx, unknown),
    }
}

/// Discards exceptions of getters.
fn taken(ctx: &Ctx<'_>, doubt: Doubt) -> Doubt {
    ctx.catch();
    doubt
}

/// The exports of a built-in module. The user's own modules are not queried, as they may be failing.
fn imported_value<'js>(ctx: &Ctx<'js>, specifier: &str, imported: &str) -> Option<Value<'js>> {
    let builtin = builtin::find(specifier)?;
    let namespace = import_builtin(ctx, builtin.name).map_err(|_| taken(ctx, Doubt::None)).ok()?;
    if imported.is_empty() {
        return Some(namespace.into_value());
    }
    namespace.get(imported).map_err(|_| taken(ctx, Doubt::None)).ok()
}

fn follow<'js>(mut value: Value<'js>, path: &[String]) -> Result<Option<Value<'js>>> {
    for name in path {
        let Some(object) = value.as_object() else { return Ok(None) };
        value = object.get(name.as_str())?;
    }
    Ok(Some(value))
}

/// A similar name to one that is not a function.
fn suggestion(ctx: &Ctx<'_>, source: &Source, site: &Access) -> Option<String> {
    let explain = explain_of(ctx);
    let methods = explain.methods();
    let (root, path) = site.names.split_first()?;
    match (source.binding(root), path) {
        // `({ defTol }) => …`, or `(prompt) => prompt.defTol(…)`
        (Some(Binding::OfParameter { property }), []) if !methods.contains(&property.as_str()) => {
            let meant = closest(property, methods.iter().copied())?;
            Some(explain.misspelled_method(property, meant))
        }
        (Some(Binding::Parameter), [name]) if !methods.contains(&name.as_str()) => {
            let meant = closest(name, methods.iter().copied())?;
            Some(format!("did you mean '{meant}'?"))
        }
        (Some(Binding::Import { specifier, imported }), _) => {
            let object = imported_value(ctx, specifier, imported)?;
            member_suggestion(ctx, object, path)
        }
        (None, _) if !root.is_empty() => {
            let object = ctx.globals().get::<_, Value>(root.as_str());
            let object = object.map_err(|_| taken(ctx, Doubt::None)).ok()?;
            member_suggestion(ctx, object, path)
        }
        _ => None,
    }
}

/// A member whose name is close to the last of `path`.
fn member_suggestion<'js>(ctx: &Ctx<'js>, object: Value<'js>, path: &[String]) -> Option<String> {
    let (name, before) = path.split_last()?;
    let owner = follow(object, before).map_err(|_| taken(ctx, Doubt::None)).ok()??;
    let owner: Object = owner.into_object()?;
    let names: Vec<String> = owner.own_keys::<String>(rquickjs::object::Filter::new().string()).flatten().collect();
    let meant = closest(name, names.iter().map(String::as_str).filter(|known| known != name))?;
    Some(format!("did you mean '{meant}'?"))
}
