//! Built-in functions, captured before any code ran, so that changed prototypes have no effect.

use rquickjs::{
    Ctx, Function, JsLifetime, Object, String as JsString, Value,
    function::{Constructor, This},
    object::Property,
};

#[derive(JsLifetime)]
pub(super) struct Intrinsics<'js> {
    to_well_formed: Function<'js>,
    big_int_to_string: Function<'js>,
    pub(super) symbol_to_string: Function<'js>,
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

pub(super) enum NoData {
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

    /// Creates an `Error`. Its properties are defined, not assigned, so that changed prototypes cannot interfere.
    pub(super) fn new_error(&self, message: &str, stack: Option<String>) -> rquickjs::Result<Object<'js>> {
        let error: Object<'js> = self.error.construct((message,))?;
        if let Some(stack) = stack {
            error.prop("stack", Property::from(stack).writable().configurable())?;
        }
        Ok(error)
    }

    /// Unpaired surrogates become U+FFFD.
    pub(super) fn text(&self, ctx: &Ctx<'js>, string: &JsString<'js>) -> rquickjs::Result<String> {
        match well_formed_text(ctx, string)? {
            Some(text) => Ok(text),
            None => self.to_well_formed.call::<_, JsString<'js>>((This(string.clone()),))?.to_string(),
        }
    }

    pub(super) fn digits(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> String {
        self.call_text(ctx, &self.big_int_to_string, value)
    }

    /// Returns an empty string if the method throws.
    pub(super) fn call_text(&self, ctx: &Ctx<'js>, method: &Function<'js>, value: &Value<'js>) -> String {
        match method.call::<_, JsString<'js>>((This(value.clone()),)).and_then(|text| self.text(ctx, &text)) {
            Ok(text) => text,
            Err(_) => {
                ctx.catch();
                String::new()
            }
        }
    }
}

/// Returns `None` for an unpaired surrogate, which Rust strings cannot hold.
pub(super) fn well_formed_text<'js>(ctx: &Ctx<'js>, string: &JsString<'js>) -> rquickjs::Result<Option<String>> {
    match string.to_string() {
        Ok(text) => Ok(Some(text)),
        Err(rquickjs::Error::Utf8(_)) => Ok(None),
        // Out of memory for the copy; the exception is pending.
        Err(rquickjs::Error::Unknown) if ctx.has_exception() => Err(rquickjs::Error::Exception),
        Err(error) => Err(error),
    }
}
