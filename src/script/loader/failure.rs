//! Why a module could not be found or loaded, and how that becomes a JavaScript exception with a position.

use rquickjs::function::Constructor;
use rquickjs::object::Property;
use rquickjs::{Ctx, Error, Object, Result};

use crate::diagnostic::Location;

/// Non-enumerable property of an error object that carries advice for the user to the diagnostic.
pub(in crate::script) const HINT_PROPERTY: &str = "lmthing:hint";

/// A module that could not be found or loaded.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// JavaScript class of the exception: `Error`, `TypeError`, `SyntaxError`.
    pub(super) class: &'static str,
    pub(super) message: String,
    /// Node's code, such as `ERR_MODULE_NOT_FOUND`.
    pub(super) code: Option<&'static str>,
    pub(super) hint: Option<String>,
    /// Where, when the failing text itself has a position (a syntax error); else the import statement is pointed at.
    pub(super) location: Option<Location>,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { class: "Error", message: message.into(), code: None, hint: None, location: None }
    }

    /// Node's `ERR_MODULE_NOT_FOUND`.
    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self { code: Some("ERR_MODULE_NOT_FOUND"), ..Self::new(message) }
    }

    pub(super) fn type_error(message: impl Into<String>) -> Self {
        Self { class: "TypeError", ..Self::new(message) }
    }

    pub(super) fn syntax(message: impl Into<String>, location: Location) -> Self {
        Self { class: "SyntaxError", location: Some(location), ..Self::new(message) }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn hint_if_some(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint.clone()), ..self }
    }

    /// Throws it; `importer` is the position of the import statement, used when the failure has none of its own.
    pub(super) fn throw(self, ctx: &Ctx<'_>, importer: Option<Location>) -> Error {
        match self.make(ctx, importer) {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    }

    fn make<'js>(self, ctx: &Ctx<'js>, importer: Option<Location>) -> Result<Object<'js>> {
        let constructor: Constructor = ctx.globals().get(self.class)?;
        let error: Object = constructor.construct((self.message.as_str(),))?;
        if let Some(code) = self.code {
            error.set("code", code)?;
        }
        if let Some(hint) = self.hint {
            error.prop(HINT_PROPERTY, Property::from(hint).configurable())?;
        }
        let frame = self
            .location
            .or(importer)
            .map(|Location { path, line, column }| format!("\n    at {path}:{line}:{column}"));
        let stack = format!("{}: {}{}", self.class, self.message, frame.unwrap_or_default());
        error.prop("stack", Property::from(stack).writable().configurable())?;
        Ok(error)
    }
}
