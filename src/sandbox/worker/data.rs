//! Values of the sandbox as text: JSON for results and arguments, short text for the console.
//!
//! It uses the engine's functions as they were before any code ran, so that changed prototypes cannot mislead it; code
//! that its getters run is under the clock like all other code.

use rquickjs::{
    Ctx, Function, JsLifetime, Object, String as JsString, Value,
    function::{Constructor, This},
    object::Property,
};

use super::json_writer::JsonWriter;

/// One console argument.
const MAX_INSPECTED: usize = 8 * 1024;

/// Built-in functions and classes, captured before any code ran.
#[derive(JsLifetime)]
pub(super) struct Intrinsics<'js> {
    to_well_formed: Function<'js>,
    big_int_to_string: Function<'js>,
    symbol_to_string: Function<'js>,
    pub(super) array_from: Function<'js>,
    pub(super) map: Object<'js>,
    pub(super) map_entries: Function<'js>,
    pub(super) set: Object<'js>,
    pub(super) set_values: Function<'js>,
    pub(super) is_view: Function<'js>,
    pub(super) number_value: Function<'js>,
    pub(super) string_value: Function<'js>,
    pub(super) boolean_value: Function<'js>,
    pub(super) object_prototype: Object<'js>,
    error: Constructor<'js>,
}

/// Why a value is no data.
pub(super) enum NoData {
    /// In words.
    Because(String),
    /// A getter or `toJSON` threw; the exception is pending in the context.
    Thrown,
}

impl From<rquickjs::Error> for NoData {
    fn from(_: rquickjs::Error) -> Self {
        Self::Thrown
    }
}

impl<'js> Intrinsics<'js> {
    /// Captures what is needed from a fresh context.
    pub(super) fn capture(ctx: &Ctx<'js>) -> rquickjs::Result<Self> {
        let globals = ctx.globals();
        let class = |name: &str| globals.get::<_, Object<'js>>(name);
        let prototype = |name: &str| class(name)?.get::<_, Object<'js>>("prototype");
        Ok(Self {
            to_well_formed: prototype("String")?.get("toWellFormed")?,
            big_int_to_string: prototype("BigInt")?.get("toString")?,
            symbol_to_string: prototype("Symbol")?.get("toString")?,
            array_from: class("Array")?.get("from")?,
            map: class("Map")?,
            map_entries: prototype("Map")?.get("entries")?,
            set: class("Set")?,
            set_values: prototype("Set")?.get("values")?,
            is_view: class("ArrayBuffer")?.get("isView")?,
            number_value: prototype("Number")?.get("valueOf")?,
            string_value: prototype("String")?.get("valueOf")?,
            boolean_value: prototype("Boolean")?.get("valueOf")?,
            object_prototype: prototype("Object")?,
            error: globals.get("Error")?,
        })
    }

    /// The stack trace of the code that is running.
    pub(super) fn stack(&self, ctx: &Ctx<'js>) -> String {
        let error = self.error.construct::<_, Object<'js>>(());
        let stack = error.and_then(|error| error.get::<_, Value<'js>>("stack"));
        match stack {
            Ok(stack) => stack.as_string().and_then(|stack| self.text(ctx, stack).ok()).unwrap_or_default(),
            Err(_) => {
                ctx.catch();
                String::new()
            }
        }
    }

    /// An `Error` of the sandbox. Its properties are defined, not assigned, so that changed prototypes cannot interfere.
    pub(super) fn new_error(&self, message: &str, stack: Option<String>) -> rquickjs::Result<Object<'js>> {
        let error: Object<'js> = self.error.construct((message,))?;
        if let Some(stack) = stack {
            error.prop("stack", Property::from(stack).writable().configurable())?;
        }
        Ok(error)
    }

    /// Text of a string; halves of surrogate pairs become U+FFFD.
    pub(super) fn text(&self, ctx: &Ctx<'js>, string: &JsString<'js>) -> rquickjs::Result<String> {
        match whole_text(ctx, string)? {
            Some(text) => Ok(text),
            None => self.to_well_formed.call::<_, JsString<'js>>((This(string.clone()),))?.to_string(),
        }
    }

    /// A value as JSON text of at most `limit` bytes; none for `undefined`.
    ///
    /// # Errors
    /// See [`NoData`]. `what` (such as `the result`) begins the messages.
    pub(super) fn to_json(
        &self,
        ctx: &Ctx<'js>,
        value: &Value<'js>,
        limit: usize,
        what: &str,
    ) -> Result<Option<String>, NoData> {
        JsonWriter::new(ctx, self, limit, what).write(value)
    }

    /// A value for the console or for the message of an odd throw. Never fails; swallows what getters throw.
    pub(super) fn inspect(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> String {
        if let Some(string) = value.as_string() {
            return self.text(ctx, string).unwrap_or_else(|_| {
                ctx.catch();
                "(a string too long to show)".to_owned()
            });
        }
        if value.is_undefined() {
            return "undefined".to_owned();
        }
        if value.is_big_int() {
            return format!("{}n", self.digits(ctx, value));
        }
        if value.is_symbol() {
            return self.call_text(ctx, &self.symbol_to_string, value);
        }
        if value.is_function() {
            return "[function]".to_owned();
        }
        // JSON has none of these.
        if let Some(number) = value.as_number().filter(|number| !number.is_finite()) {
            return if number.is_nan() {
                "NaN".to_owned()
            } else {
                format!("{}Infinity", if number > 0.0 { "" } else { "-" })
            };
        }
        match self.to_json(ctx, value, MAX_INSPECTED, "the value") {
            Ok(text) => text.unwrap_or_else(|| "undefined".to_owned()),
            Err(NoData::Because(reason)) => format!("[{reason}]"),
            Err(NoData::Thrown) => {
                ctx.catch();
                "[a value whose properties cannot be read]".to_owned()
            }
        }
    }

    /// The digits of a BigInt.
    pub(super) fn digits(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> String {
        self.call_text(ctx, &self.big_int_to_string, value)
    }

    fn call_text(&self, ctx: &Ctx<'js>, method: &Function<'js>, value: &Value<'js>) -> String {
        match method.call::<_, JsString<'js>>((This(value.clone()),)).and_then(|text| self.text(ctx, &text)) {
            Ok(text) => text,
            Err(_) => {
                ctx.catch();
                String::new()
            }
        }
    }
}

/// Text of a string; none when it holds half a surrogate pair, which Rust's strings cannot.
pub(super) fn whole_text<'js>(ctx: &Ctx<'js>, string: &JsString<'js>) -> rquickjs::Result<Option<String>> {
    match string.to_string() {
        Ok(text) => Ok(Some(text)),
        Err(rquickjs::Error::Utf8(_)) => Ok(None),
        // No memory for the copy: the exception is pending.
        Err(rquickjs::Error::Unknown) if ctx.has_exception() => Err(rquickjs::Error::Exception),
        Err(error) => Err(error),
    }
}
