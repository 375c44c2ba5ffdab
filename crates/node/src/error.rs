//! Errors that native functions throw into a script. `diagnose` reads them when they leave it.

use std::any::Any;
use std::rc::Rc;

use rquickjs::class::Trace;
use rquickjs::function::Constructor;
use rquickjs::object::Property;
use rquickjs::{Class, Ctx, Error, JsLifetime, Object, Result};

use lmthing_base::diagnostic::{Location, PathKey};

pub(crate) const HINT_PROPERTY: &str = "lmthing:hint";

pub(crate) const PAYLOAD_PROPERTY: &str = "lmthing:payload";

/// An error that a native function throws into a script.
#[derive(Clone, Debug)]
pub struct ScriptError {
    /// Global class of the exception: `Error`, `TypeError`, `RangeError`, `SyntaxError`.
    class: &'static str,
    pub message: String,
    pub code: Option<&'static str>,
    pub hint: Option<String>,
    /// Replaces the location of the running code.
    pub location: Option<Location>,
    /// Boxed to keep results small, as few errors have these fields.
    rest: Box<Rest>,
}

#[derive(Clone, Debug, Default)]
struct Rest {
    /// `error.name`, if it differs from the class.
    name: Option<&'static str>,
    properties: Vec<(&'static str, serde_json::Value)>,
    /// For Rust code that gets the error back from JavaScript.
    payload: Option<Rc<dyn Any>>,
}

/// Payload with the path of the value that caused an error, from an export's name down. Used to locate it in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AboutValue(pub Vec<PathKey>);

/// The payload in JavaScript. Scripts cannot create one, so an error with a payload was thrown by Rust.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct ErrorPayload<'js> {
    #[qjs(skip_trace)]
    value: Rc<dyn Any>,
    /// If a script copies the property to another error, it is ignored there.
    owner: Object<'js>,
}

impl<'js> ErrorPayload<'js> {
    /// The payload, if `error` is its owner.
    pub(crate) fn value_for(&self, error: &Object<'js>) -> Option<Rc<dyn Any>> {
        (self.owner == *error).then(|| self.value.clone())
    }
}

impl ScriptError {
    /// `class` must be a global constructor that takes a message.
    pub fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), code: None, hint: None, location: None, rest: Box::default() }
    }

    pub fn error(message: impl Into<String>) -> Self {
        Self::new("Error", message)
    }

    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new("TypeError", message)
    }

    pub fn syntax(message: impl Into<String>, location: Location) -> Self {
        Self { location: Some(location), ..Self::new("SyntaxError", message) }
    }

    #[must_use]
    pub fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Adds advice that the diagnostic shows; scripts do not see it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets `error.name`, such as `ProviderError`.
    #[must_use]
    pub fn name(mut self, name: &'static str) -> Self {
        self.rest.name = Some(name);
        self
    }

    #[must_use]
    pub fn property(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.rest.properties.push((key, value.into()));
        self
    }

    /// Adds a payload, which becomes `Thrown::payload`.
    #[must_use]
    pub fn payload(mut self, payload: Rc<dyn Any>) -> Self {
        self.rest.payload = Some(payload);
        self
    }

    #[must_use]
    pub fn about(self, path: &[PathKey]) -> Self {
        self.payload(Rc::new(AboutValue(path.to_owned())))
    }

    #[must_use]
    pub fn hint_if_some(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint), ..self }
    }

    /// Sets `location` unless the error has one.
    #[must_use]
    pub fn or_at(self, location: Option<Location>) -> Self {
        Self { location: self.location.or(location), ..self }
    }

    /// Throws the error; native functions return the result.
    pub fn throw(self, ctx: &Ctx<'_>) -> Error {
        match self.into_object(ctx) {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    }

    /// The error object, to reject a promise with.
    pub fn into_object<'js>(self, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        let constructor: Constructor = ctx.globals().get(self.class)?;
        // The constructor records the stack of the running script.
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
            // Diagnostics read the location from the stack.
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

/// Adds a payload to an error object that has none.
pub(crate) fn carry<'js>(ctx: &Ctx<'js>, error: &Object<'js>, value: Rc<dyn Any>) -> Result<()> {
    if error.contains_key(PAYLOAD_PROPERTY)? {
        return Ok(());
    }
    let payload = Class::instance(ctx.clone(), ErrorPayload { value, owner: error.clone() })?;
    // Neither writable nor configurable, so that a script cannot replace it.
    error.prop(PAYLOAD_PROPERTY, Property::from(payload))
}
