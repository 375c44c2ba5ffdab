//! Turns thrown values into [`Diagnostic`]s. Errors are thrown in `crate::error`.

mod culprit;
mod explain;
mod native_call;
mod source;
mod stack;

use std::any::Any;
use std::rc::Rc;

use rquickjs::{Array, Class, Coerced, Ctx, Error, FromJs, Function, Object, Result, String as JsString, Value};

use super::builtin::{INTERNAL_PREFIX, import_builtin};
use super::error::{ErrorPayload, HINT_PROPERTY, PAYLOAD_PROPERTY, carry};
use super::loader;
use super::string_text::string_text;
pub use explain::{Explain, set_explain};
use lmthing_base::diagnostic::{Diagnostic, Location};
use source::Sources;
use stack::RawFrame;

/// Called once while an engine is created.
pub(crate) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    source::set_up(ctx)
}

/// Longest chain of causes that is followed; also ends cycles.
const MAX_CAUSES: usize = 8;

/// With less memory than this, it is used up.
const MEMORY_PROBE: usize = 1 << 20;

/// Longest chain of classes that is followed.
const MAX_CLASSES: usize = 8;

/// A thrown value: its description for the user and its payload for the program.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// The description.
    pub diagnostic: Diagnostic,
    /// The Rust value of an error that native code threw; `None` for errors of scripts, also if their cause has one.
    pub payload: Option<Rc<dyn Any>>,
}

impl Thrown {
    /// The payload if it is a `T`.
    pub fn payload_as<T: 'static>(&self) -> Option<Rc<T>> {
        self.payload.clone()?.downcast().ok()
    }
}

impl From<Diagnostic> for Thrown {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, payload: None }
    }
}

/// Describes a failed call into the engine; takes the pending exception if there is one.
pub fn diagnose_error(ctx: &Ctx<'_>, error: Error) -> Thrown {
    match error {
        Error::Exception => diagnose(ctx, ctx.catch()),
        // Errors of rquickjs itself, such as failed conversions, have no exception and no position.
        other => Diagnostic { name: "TypeError".to_owned(), ..Diagnostic::new(other.to_string()) }.into(),
    }
}

/// Describes a thrown value: errors with class, message, position, stack, causes and payload; other values as they
/// print.
pub fn diagnose<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Thrown {
    if thrown.is_null() && is_memory_used_up(ctx) {
        let diagnostic = Diagnostic { name: "InternalError".to_owned(), ..Diagnostic::new("out of memory") };
        return diagnostic.with_hint("the script has used up its memory").into();
    }
    let error = thrown.as_object().filter(|object| is_error(ctx, object)).cloned();
    let hint = match thrown.is_null() {
        true => "what was thrown is not an Error: a script has thrown null, or it has used up its memory",
        false => "what was thrown is not an Error, so there is no stack: throw new Error(…) to see where",
    };
    let diagnostic = describe(ctx, thrown, MAX_CAUSES);
    match error {
        Some(error) => Thrown { diagnostic, payload: payload_of(ctx, &error) },
        None => diagnostic.with_hint(hint).into(),
    }
}

/// QuickJS throws `null` when there is no memory for an error.
fn is_memory_used_up(ctx: &Ctx<'_>) -> bool {
    let is_used_up = JsString::from_str(ctx.clone(), &" ".repeat(MEMORY_PROBE)).is_err();
    if is_used_up {
        ctx.catch();
    }
    is_used_up
}

fn payload_of<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> Option<Rc<dyn Any>> {
    let payload = property::<Class<ErrorPayload>>(ctx, error, PAYLOAD_PROPERTY)?;
    let payload = payload.borrow();
    payload.value_for(error)
}

fn describe<'js>(ctx: &Ctx<'js>, thrown: Value<'js>, depth: usize) -> Diagnostic {
    let Some(object) = thrown.as_object().filter(|object| is_error(ctx, object)) else {
        return describe_value(ctx, thrown);
    };
    let Ok(modules) = loader::modules(ctx) else { return Diagnostic::new("the engine is not set up") };
    let text = |key: &str| coerced_text(ctx, object, key);
    let mut diagnostic = Diagnostic {
        name: text("name").unwrap_or_else(|| "Error".to_owned()),
        message: text("message").unwrap_or_default(),
        causes: if depth > 0 { causes(ctx, object, depth - 1) } else { Vec::new() },
        hint: property::<JsString>(ctx, object, HINT_PROPERTY).and_then(|hint| string_text(&hint).ok()),
        ..Diagnostic::default()
    };
    let sources = Sources::new(ctx, &modules);
    let classes = classes(ctx, object);
    let frames = stack::frames(&modules, &text("stack").unwrap_or_default());
    locate(ctx, &sources, &mut diagnostic, &classes, stack::without_constructors(frames, &classes));
    if let Some(failure) = explain::explain(ctx, &modules, &sources, &mut diagnostic)
        && carry(ctx, object, Rc::new(failure)).is_err()
    {
        ctx.catch();
    }
    diagnostic.stack.extend(stack::imports(&modules, &sources, &diagnostic));
    diagnostic
}

/// Adds the stack and the position to show.
fn locate(
    ctx: &Ctx<'_>,
    sources: &Sources<'_>,
    diagnostic: &mut Diagnostic,
    classes: &[String],
    frames: Vec<RawFrame>,
) {
    let culprit = frames.first().and_then(|innermost| culprit::find(ctx, sources, diagnostic, innermost));
    let native = frames
        .first()
        .filter(|_| culprit.is_none())
        .and_then(|innermost| native_call::find(ctx, sources, diagnostic, classes, innermost));
    let at = culprit.as_ref().map(|culprit| culprit.at).or(native);
    diagnostic.stack = stack::shown(sources, frames);
    if let (Some(at), Some(innermost)) = (at, diagnostic.stack.first_mut()) {
        let path = innermost.location.path.clone();
        let (line, column) = sources.of(&path).position(at);
        innermost.location = sources.in_characters(Location { path, line, column });
    }
    if let Some(culprit) = culprit {
        diagnostic.message = culprit.message;
        diagnostic.hint = diagnostic.hint.take().or(culprit.hint);
    }
    diagnostic.location = stack::place(&diagnostic.stack).map(|index| diagnostic.stack[index].location.clone());
    diagnostic.source_line = diagnostic
        .location
        .as_ref()
        .and_then(|location| sources.of(&location.path).line(location.line).map(str::to_owned));
}

/// Where a function begins; `None` if it is not in a file of the user.
pub fn location_of_function<'js>(ctx: &Ctx<'js>, function: &Function<'js>) -> Option<Location> {
    let text = |key: &str| coerced_text(ctx, function, key);
    let (path, line, column) = (text("fileName")?, text("lineNumber")?, text("columnNumber")?);
    let modules = loader::modules(ctx).ok()?;
    // Through a stack trace, whose positions are mapped for compiled code.
    let frames = stack::frames(&modules, &format!("    at {path}:{line}:{column}"));
    frames.into_iter().next().map(|raw| raw.frame.location)
}

/// The only `await` of the function that begins at `function` (column in bytes), or of the module's top level if the
/// line is 0. `None` if there are several, or if relative imports of the module may wait as well.
pub fn only_await(ctx: &Ctx<'_>, function: &Location) -> Option<Location> {
    let modules = loader::modules(ctx).ok()?;
    let sources = Sources::new(ctx, &modules);
    let source = sources.of(&function.path);
    let offset = match function.line {
        0 => None,
        line => Some(source.offset(line, function.column)?),
    };
    let found = modules.parser().only_await(&source.javascript()?, offset)?;
    let (line, column) = source.position(found);
    Some(sources.in_characters(Location { path: function.path.clone(), line, column }))
}

/// The innermost frame of the author's own code in each stack trace that has one.
pub fn locations_of_stacks(ctx: &Ctx<'_>, stacks: &[String]) -> Vec<Option<Location>> {
    let Ok(modules) = loader::modules(ctx) else { return vec![None; stacks.len()] };
    // Each file is read once.
    let sources = Sources::new(ctx, &modules);
    let place = |stack: &String| {
        let frames = stack::frames(&modules, stack);
        frames.into_iter().next().map(|raw| sources.in_characters(raw.frame.location))
    };
    stacks.iter().map(place).collect()
}

/// [`location_of_function`] as `path:line`.
pub fn place_of_function<'js>(ctx: &Ctx<'js>, function: &Function<'js>) -> Option<String> {
    location_of_function(ctx, function).map(|location| format!("{}:{}", location.path, location.line))
}

/// Whether a value is an error of any realm and class, including `DOMException`; a `message` alone is not enough.
fn is_error<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> bool {
    object.is_error()
        || ["Error", "DOMException"].iter().any(|class| {
            property::<Object>(ctx, &ctx.globals(), class).is_some_and(|class| object.is_instance_of(&class))
        })
}

/// The names of the classes of an error, its own first.
fn classes<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> Vec<String> {
    let mut names = Vec::new();
    let mut class = property::<Object>(ctx, error, "constructor");
    while let Some(constructor) = class.filter(|class| class.is_function() && names.len() < MAX_CLASSES) {
        names.extend(coerced_text(ctx, &constructor, "name").filter(|name| !name.is_empty()));
        class = constructor.get_prototype();
    }
    names
}

/// Reads a property of an untrusted value: a getter that throws counts as absent.
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

/// A property as text, converted as `String(value)` does.
fn coerced_text<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    string_text(&property::<Coerced<JsString>>(ctx, object, key)?.0).ok()
}

fn causes<'js>(ctx: &Ctx<'js>, error: &Object<'js>, depth: usize) -> Vec<Diagnostic> {
    let cause = property::<Value>(ctx, error, "cause");
    let members = property::<Array>(ctx, error, "errors")
        .into_iter()
        .flat_map(|errors| errors.iter::<Value>().flatten().collect::<Vec<_>>());
    cause.into_iter().chain(members).map(|value| describe(ctx, value, depth)).collect()
}

fn describe_value<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) -> Diagnostic {
    // The inspector would put a string in quotes.
    let message = match thrown.as_string().and_then(|text| string_text(text).ok()) {
        Some(text) => text,
        None => inspect(ctx, thrown),
    };
    Diagnostic { name: String::new(), ..Diagnostic::new(message) }
}

/// The value as `console.log` shows it.
fn inspect<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> String {
    // The inspector is large, so it is loaded on demand.
    let text = import_builtin(ctx, &format!("{INTERNAL_PREFIX}inspect"))
        .and_then(|exports| exports.get::<_, Function>("inspect"))
        .and_then(|inspect| inspect.call::<_, JsString>((value,)))
        .and_then(|text| string_text(&text));
    text.unwrap_or_else(|_| {
        ctx.catch();
        "a value that cannot be shown".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::SilentHost;
    use crate::{Engine, EngineOptions, ScriptError};

    /// Runs `source` with a global `fail` that throws a native error, and returns the description.
    async fn thrown_by(source: &str) -> Thrown {
        let engine = Engine::new(EngineOptions::new(Rc::new(SilentHost))).await.unwrap();
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
}
