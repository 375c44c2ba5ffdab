//! The two crossings of errors: a JavaScript exception becomes a [`Diagnostic`] here and nowhere else, and an error of ours
//! becomes a JavaScript exception here and nowhere else.

mod explain;
mod stack;

use rquickjs::function::Constructor;
use rquickjs::object::Property;
use rquickjs::{Array, Coerced, Ctx, Error, FromJs, Function, Object, Result, Value};

use super::builtin::{INTERNAL_PREFIX, import_builtin};
use super::engine;
use crate::diagnostic::{Diagnostic, Location};

/// Non-enumerable property of an error object that carries advice for the user to the diagnostic.
const HINT_PROPERTY: &str = "lmthing:hint";

/// How many causes of causes are followed; a circle ends there too.
const MAX_CAUSES: usize = 8;

/// An error of ours on its way into a script.
#[derive(Clone, Debug)]
pub struct ScriptError {
    /// Global class of the exception: `Error`, `TypeError`, `RangeError`, `SyntaxError`.
    pub class: &'static str,
    pub message: String,
    /// Node's `code` property, such as `ERR_MODULE_NOT_FOUND`.
    pub code: Option<&'static str>,
    /// Advice shown below the message.
    pub hint: Option<String>,
    /// Where, when that is not simply the line that is running.
    pub location: Option<Location>,
}

impl ScriptError {
    pub fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), code: None, hint: None, location: None }
    }

    /// A plain `Error`.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new("Error", message)
    }

    /// A `TypeError`: what a native throws on wrong arguments.
    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new("TypeError", message)
    }

    /// A `SyntaxError` at `location`.
    pub fn syntax(message: impl Into<String>, location: Location) -> Self {
        Self { location: Some(location), ..Self::new("SyntaxError", message) }
    }

    #[must_use]
    pub fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[must_use]
    pub(super) fn hint_if_some(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint), ..self }
    }

    /// Takes `location` unless the error has one of its own.
    #[must_use]
    pub(super) fn or_at(self, location: Option<Location>) -> Self {
        Self { location: self.location.or(location), ..self }
    }

    /// Throws it; natives return what this returns. The message may be of any length.
    pub fn throw(self, ctx: &Ctx<'_>) -> Error {
        match self.into_object(ctx) {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    }

    /// The error object, to reject a promise with.
    pub fn into_object<'js>(self, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        let constructor: Constructor = ctx.globals().get(self.class)?;
        let error: Object = constructor.construct((self.message.as_str(),))?;
        if let Some(code) = self.code {
            error.set("code", code)?;
        }
        if let Some(hint) = self.hint {
            error.prop(HINT_PROPERTY, Property::from(hint).configurable())?;
        }
        if let Some(Location { path, line, column }) = self.location {
            let stack = format!("{}: {}\n    at {path}:{line}:{column}", self.class, self.message);
            error.prop("stack", Property::from(stack).writable().configurable())?;
        }
        Ok(error)
    }
}

/// What a failed call into the engine means: takes the pending exception if there is one.
pub fn diagnose_error(ctx: &Ctx<'_>, error: Error) -> Diagnostic {
    match error {
        Error::Exception => diagnose(ctx, ctx.catch()),
        // Errors of rquickjs itself (a conversion that failed) carry no exception and no place.
        other => Diagnostic { name: "TypeError".to_owned(), ..Diagnostic::new(other.to_string()) },
    }
}

/// Describes a thrown value: an error object with class, message, place, stack and causes; anything else by what it prints as.
pub fn diagnose<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Diagnostic {
    let is_error = thrown.as_object().is_some_and(|object| is_error(ctx, object));
    let diagnostic = describe(ctx, thrown, MAX_CAUSES);
    if is_error {
        return diagnostic;
    }
    diagnostic.with_hint("what was thrown is not an Error, so there is no stack: throw new Error(…) to see where")
}

fn describe<'js>(ctx: &Ctx<'js>, thrown: Value<'js>, depth: usize) -> Diagnostic {
    let Some(object) = thrown.as_object().filter(|object| is_error(ctx, object)) else {
        return describe_value(ctx, thrown);
    };
    let Ok(engine::Shared { modules, .. }) = engine::shared(ctx) else {
        return Diagnostic::new("the engine is not set up");
    };
    let text = |key: &str| property::<Coerced<String>>(ctx, object, key).map(|text| text.0);
    let frames = stack::frames(&modules, &text("stack").unwrap_or_default());
    let location = stack::place(&frames);
    let mut diagnostic = Diagnostic {
        name: text("name").unwrap_or_else(|| "Error".to_owned()),
        message: text("message").unwrap_or_default(),
        source_line: location.as_ref().and_then(|location| stack::source_line(&modules, location)),
        location,
        stack: frames,
        causes: if depth > 0 { causes(ctx, object, depth - 1) } else { Vec::new() },
        hint: property::<String>(ctx, object, HINT_PROPERTY),
    };
    explain::explain(ctx, &modules, &mut diagnostic);
    diagnostic
}

/// Errors of any realm and class, `DOMException` included; nothing that merely has a message.
fn is_error<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> bool {
    object.is_error()
        || ["Error", "DOMException"].iter().any(|class| {
            property::<Object>(ctx, &ctx.globals(), class).is_some_and(|class| object.is_instance_of(&class))
        })
}

/// Reads a property of a value that may be hostile: a getter that throws counts as absent.
fn property<'js, T: FromJs<'js>>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<T> {
    let value: Result<Value> = object.get(key);
    let converted =
        value.and_then(|value| if value.is_undefined() { Ok(None) } else { T::from_js(ctx, value).map(Some) });
    converted.unwrap_or_else(|error| {
        if matches!(error, Error::Exception) {
            ctx.catch();
        }
        None
    })
}

fn causes<'js>(ctx: &Ctx<'js>, error: &Object<'js>, depth: usize) -> Vec<Diagnostic> {
    let cause = property::<Value>(ctx, error, "cause");
    let members = property::<Array>(ctx, error, "errors")
        .into_iter()
        .flat_map(|errors| errors.iter::<Value>().flatten().collect::<Vec<_>>());
    cause.into_iter().chain(members).map(|value| describe(ctx, value, depth)).collect()
}

fn describe_value<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Diagnostic {
    let message = match thrown.as_string().and_then(|text| text.to_string().ok()) {
        Some(text) => text,
        None => inspect(ctx, thrown),
    };
    Diagnostic { name: String::new(), ..Diagnostic::new(message) }
}

/// What `console.log` would show.
fn inspect<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> String {
    let text = import_builtin(ctx, &format!("{INTERNAL_PREFIX}inspect"))
        .and_then(|exports| exports.get::<_, Function>("inspect"))
        .and_then(|inspect| inspect.call::<_, String>((value,)));
    text.unwrap_or_else(|_| {
        ctx.catch();
        "a value that cannot be shown".to_owned()
    })
}
