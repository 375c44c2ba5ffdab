//! Errors of ours on their way into a script: only here do they become JavaScript exceptions. The way back is
//! `script::diagnose`. Must not know what failed: whoever throws says it in class, message and payload.

use std::any::Any;
use std::rc::Rc;

use rquickjs::class::Trace;
use rquickjs::function::Constructor;
use rquickjs::object::Property;
use rquickjs::{Class, Ctx, Error, JsLifetime, Object, Result};

use crate::diagnostic::{Key, Location};

/// Non-enumerable property of an error object that carries advice for the user to the diagnostic.
pub(super) const HINT_PROPERTY: &str = "lmthing:hint";

/// Non-enumerable property of an error object that holds its [`ErrorPayload`].
pub(super) const PAYLOAD_PROPERTY: &str = "lmthing:payload";

/// An error of ours on its way into a script.
#[derive(Clone, Debug)]
pub(crate) struct ScriptError {
    /// Global class of the exception: `Error`, `TypeError`, `RangeError`, `SyntaxError`.
    class: &'static str,
    /// What went wrong, in one sentence.
    pub(super) message: String,
    /// Node's `code` property, such as `ERR_MODULE_NOT_FOUND`.
    pub(super) code: Option<&'static str>,
    /// Advice shown below the message.
    pub(super) hint: Option<String>,
    /// Where, when that is not simply the line that is running.
    pub(super) location: Option<Location>,
    /// What few errors have; apart, so that results stay small.
    rest: Box<Rest>,
}

#[derive(Clone, Debug, Default)]
struct Rest {
    /// `error.name`, when it is not that of the class.
    name: Option<&'static str>,
    /// More properties of the error object, for scripts that catch it.
    properties: Vec<(&'static str, serde_json::Value)>,
    /// What the program itself wants to know of the error, when it comes back out of JavaScript.
    payload: Option<Rc<dyn Any>>,
}

/// What an error of ours is about, for whoever looks for the place of that in a file: the keys that lead to a value from the name of
/// an export down. Carried as a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AboutValue(pub(crate) Vec<Key>);

/// What a [`ScriptError`] carries through JavaScript. Scripts have no way to make one, so who finds it knows that the
/// error is ours, whatever its name and message.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(super) struct ErrorPayload<'js> {
    #[qjs(skip_trace)]
    value: Rc<dyn Any>,
    /// The error it was made for. A script can copy the property to an error of its own; there it counts for nothing.
    owner: Object<'js>,
}

impl<'js> ErrorPayload<'js> {
    /// What `error` carries, if this was made for it.
    pub(super) fn value_for(&self, error: &Object<'js>) -> Option<Rc<dyn Any>> {
        (self.owner == *error).then(|| self.value.clone())
    }
}

impl ScriptError {
    /// An error of a global class that a constructor of one message makes.
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), code: None, hint: None, location: None, rest: Box::default() }
    }

    /// A plain `Error`.
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self::new("Error", message)
    }

    /// A `TypeError`: what a native throws on wrong arguments.
    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        Self::new("TypeError", message)
    }

    /// A `SyntaxError` at `location`.
    pub(crate) fn syntax(message: impl Into<String>, location: Location) -> Self {
        Self { location: Some(location), ..Self::new("SyntaxError", message) }
    }

    /// Sets Node's `code`, which scripts tell errors apart by.
    #[must_use]
    pub(crate) fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Adds advice; scripts do not see it, the diagnostic does.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets `error.name`, for failures that scripts tell apart by it: `ProviderError`.
    #[must_use]
    pub(crate) fn name(mut self, name: &'static str) -> Self {
        self.rest.name = Some(name);
        self
    }

    /// Adds an ordinary property to the error object.
    #[must_use]
    pub(crate) fn property(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.rest.properties.push((key, value.into()));
        self
    }

    /// Gives the error a value to carry; whoever awaits the script finds it in `Thrown::payload`.
    #[must_use]
    pub(crate) fn payload(mut self, payload: Rc<dyn Any>) -> Self {
        self.rest.payload = Some(payload);
        self
    }

    /// Says which value it is about.
    #[must_use]
    pub(crate) fn about(self, path: &[Key]) -> Self {
        self.payload(Rc::new(AboutValue(path.to_owned())))
    }

    /// [`ScriptError::hint`] where there is one.
    #[must_use]
    pub(crate) fn hint_if_some(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint), ..self }
    }

    /// Takes `location` unless the error has one of its own.
    #[must_use]
    pub(crate) fn or_at(self, location: Option<Location>) -> Self {
        Self { location: self.location.or(location), ..self }
    }

    /// Throws it; natives return what this returns. The message may be of any length.
    pub(crate) fn throw(self, ctx: &Ctx<'_>) -> Error {
        match self.into_object(ctx) {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    }

    /// The error object, to reject a promise with.
    pub(crate) fn into_object<'js>(self, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        let constructor: Constructor = ctx.globals().get(self.class)?;
        // Constructed, so that it has the stack of the script that is running.
        let error: Object = constructor.construct((self.message.as_str(),))?;
        let Rest { name, properties, payload } = *self.rest;
        if let Some(name) = name {
            error.set("name", name)?;
        }
        if let Some(code) = self.code {
            error.set("code", code)?;
        }
        for (key, value) in properties {
            error.set(key, ctx.json_parse(value.to_string())?)?;
        }
        if let Some(hint) = self.hint {
            error.prop(HINT_PROPERTY, Property::from(hint).configurable())?;
        }
        if let Some(Location { path, line, column }) = self.location {
            // Diagnostics take the place from the stack, and its own leads to the code that is running.
            let name = name.unwrap_or(self.class);
            let stack = format!("{name}: {}\n    at {path}:{line}:{column}", self.message);
            error.prop("stack", Property::from(stack).writable().configurable())?;
        }
        if let Some(value) = payload {
            carry(ctx, &error, value)?;
        }
        Ok(error)
    }
}

/// Gives an error object a value to carry, unless it has one.
pub(super) fn carry<'js>(ctx: &Ctx<'js>, error: &Object<'js>, value: Rc<dyn Any>) -> Result<()> {
    if error.contains_key(PAYLOAD_PROPERTY)? {
        return Ok(());
    }
    let payload = Class::instance(ctx.clone(), ErrorPayload { value, owner: error.clone() })?;
    // Not to be replaced: neither writable nor configurable.
    error.prop(PAYLOAD_PROPERTY, Property::from(payload))
}
