//! The two crossings of errors: a JavaScript exception becomes a [`Diagnostic`] here and nowhere else, and an error of ours
//! becomes a JavaScript exception here and nowhere else.

mod explain;
mod stack;

use std::any::Any;
use std::rc::Rc;

use rquickjs::class::Trace;
use rquickjs::function::Constructor;
use rquickjs::object::Property;
use rquickjs::{Array, Class, Coerced, Ctx, Error, FromJs, Function, JsLifetime, Object, Result, Value};

use super::builtin::{INTERNAL_PREFIX, import_builtin};
use super::engine;
use crate::diagnostic::{Diagnostic, Location};

/// Non-enumerable property of an error object that carries advice for the user to the diagnostic.
const HINT_PROPERTY: &str = "lmthing:hint";

/// Non-enumerable property of an error object that holds its [`ErrorPayload`].
const PAYLOAD_PROPERTY: &str = "lmthing:payload";

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
    /// `error.name`, when it is not that of the class.
    pub name: Option<&'static str>,
    /// More properties of the error object, for scripts that catch it.
    pub properties: Vec<(&'static str, serde_json::Value)>,
    /// What the program itself wants to know of the error, when it comes back out of JavaScript.
    pub payload: Option<Rc<dyn Any>>,
}

/// What a [`ScriptError`] carries through JavaScript. Scripts have no way to make one, so who finds it knows that the error
/// is ours, whatever its name and message.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
struct ErrorPayload {
    #[qjs(skip_trace)]
    value: Rc<dyn Any>,
}

/// Something a script threw, or let one of ours pass through: what to tell the user, and what it means to the program.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// What to show.
    pub diagnostic: Diagnostic,
    /// The Rust value behind an error of ours; `None` for an error of the script's own, also when one of ours is its cause.
    pub payload: Option<Rc<dyn Any>>,
}

impl Thrown {
    /// The payload, when it is a `T`.
    pub fn payload_as<T: 'static>(&self) -> Option<Rc<T>> {
        self.payload.clone()?.downcast().ok()
    }
}

impl From<Diagnostic> for Thrown {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, payload: None }
    }
}

impl ScriptError {
    pub fn new(class: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            class,
            message,
            code: None,
            hint: None,
            location: None,
            name: None,
            properties: Vec::new(),
            payload: None,
        }
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

    /// Sets `error.name`, for failures that scripts tell apart by it: `ProviderError`.
    #[must_use]
    pub fn name(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Adds an ordinary property to the error object.
    #[must_use]
    pub fn property(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.properties.push((key, value.into()));
        self
    }

    /// Gives the error a value to carry; whoever awaits the script finds it in [`Thrown::payload`].
    #[must_use]
    pub fn payload(self, payload: Rc<dyn Any>) -> Self {
        Self { payload: Some(payload), ..self }
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
        if let Some(name) = self.name {
            error.set("name", name)?;
        }
        if let Some(code) = self.code {
            error.set("code", code)?;
        }
        for (key, value) in self.properties {
            error.set(key, ctx.json_parse(value.to_string())?)?;
        }
        if let Some(hint) = self.hint {
            error.prop(HINT_PROPERTY, Property::from(hint).configurable())?;
        }
        if let Some(Location { path, line, column }) = self.location {
            let name = self.name.unwrap_or(self.class);
            let stack = format!("{name}: {}\n    at {path}:{line}:{column}", self.message);
            error.prop("stack", Property::from(stack).writable().configurable())?;
        }
        if let Some(value) = self.payload {
            let payload = Class::instance(ctx.clone(), ErrorPayload { value })?;
            error.prop(PAYLOAD_PROPERTY, Property::from(payload))?;
        }
        Ok(error)
    }
}

/// What a failed call into the engine means: takes the pending exception if there is one.
pub fn diagnose_error(ctx: &Ctx<'_>, error: Error) -> Thrown {
    match error {
        Error::Exception => diagnose(ctx, ctx.catch()),
        // Errors of rquickjs itself (a conversion that failed) carry no exception and no place.
        other => Diagnostic { name: "TypeError".to_owned(), ..Diagnostic::new(other.to_string()) }.into(),
    }
}

/// Describes a thrown value: an error object with class, message, place, stack, causes and payload; anything else by what
/// it prints as.
pub fn diagnose<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Thrown {
    let error = thrown.as_object().filter(|object| is_error(ctx, object)).cloned();
    let diagnostic = describe(ctx, thrown, MAX_CAUSES);
    match error {
        Some(error) => Thrown { diagnostic, payload: payload_of(ctx, &error) },
        None => diagnostic
            .with_hint("what was thrown is not an Error, so there is no stack: throw new Error(…) to see where")
            .into(),
    }
}

fn payload_of<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> Option<Rc<dyn Any>> {
    let payload = property::<Class<ErrorPayload>>(ctx, error, PAYLOAD_PROPERTY)?;
    let value = payload.borrow().value.clone();
    Some(value)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Engine, EngineOptions, ScriptHost, environment};

    struct Silent;

    impl ScriptHost for Silent {
        fn write_stdout(&self, _: &str) {}
        fn write_stderr(&self, _: &str) {}
    }

    /// Runs `source` with a global `fail` that throws an error of ours, and tells what comes out.
    async fn thrown_by(source: &str) -> Thrown {
        let engine = Engine::new(EngineOptions::new(Rc::new(Silent))).await.unwrap();
        let run = async |ctx: Ctx<'_>| {
            let fail = |ctx: Ctx<'_>| -> Result<()> {
                let error =
                    ScriptError::error("no").name("ProviderError").property("status", 429).payload(Rc::new(7_u8));
                Err(error.throw(&ctx))
            };
            ctx.globals().set("fail", Function::new(ctx.clone(), fail).unwrap()).unwrap();
            diagnose_error(&ctx, ctx.eval::<(), _>(source).unwrap_err())
        };
        engine.context().async_with(run).await
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_payload_passes_through_javascript() {
        let source = "try { fail() } catch (error) {
            if (error.name !== 'ProviderError' || error.status !== 429) throw new Error('wrong properties');
            if (Object.keys(error).join() !== 'name,status') throw new Error(Object.keys(error));
            throw error;
        }";
        let thrown = thrown_by(source).await;
        assert_eq!(thrown.diagnostic.headline(), "Error: ProviderError: no");
        assert_eq!(thrown.payload_as::<u8>().as_deref(), Some(&7));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_payload_belongs_to_its_error_alone() {
        let cause = "try { fail() } catch (cause) { throw new Error('mine', { cause }) }";
        let copy = "try { fail() } catch (error) { throw Object.assign(new Error(), error) }";
        let forged = "throw Object.assign(new Error('no'), { name: 'ProviderError', 'lmthing:payload': {} })";
        let no_error = "try { fail() } catch (error) { throw { ...error, cause: error } }";
        for source in [cause, copy, forged, no_error] {
            assert!(thrown_by(source).await.payload.is_none(), "{source}");
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_environment_is_what_the_script_made_it() {
        let mut options = EngineOptions::new(Rc::new(Silent));
        options.env = [("A", "1"), ("B", "2")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let engine = Engine::new(options).await.unwrap();
        let run = async |ctx: Ctx<'_>| {
            let read = |source: &str| {
                ctx.eval::<(), _>(source).unwrap();
                let variables = environment(&ctx).unwrap()?;
                Some(variables.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
            };
            assert_eq!(read("globalThis.x = 1"), None);
            assert_eq!(read("process.argv"), Some("A=1 B=2".to_owned()));
            assert_eq!(read("process.env.C = 3; delete process.env.A"), Some("B=2 C=3".to_owned()));
            assert_eq!(read("process.env = { D: undefined, E: '' }"), Some("E=".to_owned()));
        };
        engine.context().async_with(run).await;
    }
}
