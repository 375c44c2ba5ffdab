//! Values of the sandbox as data: JSON text for results and arguments, short text for the console.
//!
//! Follows `JSON.stringify` where that keeps the data (`toJSON`, dropped `undefined` and functions in objects, `null` for
//! them in arrays and for `NaN`), and does better where it loses it: a Map becomes an object or a list of pairs, a Set and
//! a typed array a list, an Error its name and message, a BigInt its digits. What cannot be data (cycles, promises,
//! functions, great depth, great size) is an error that says so.
//!
//! It uses the engine's functions as they were before any code ran, so that changed prototypes cannot mislead it; code
//! that its getters run is under the clock like all other code.

use rquickjs::{
    Array, Ctx, Function, JsLifetime, Object, String as JsString, Value,
    function::This,
    object::{Filter, Property},
};

/// Objects in objects: what JSON parsers accept without complaint.
const MAX_DEPTH: usize = 100;
/// One console argument.
const MAX_INSPECTED: usize = 8 * 1024;

/// Built-in functions and classes, captured before any code ran.
#[derive(JsLifetime)]
pub(super) struct Intrinsics<'js> {
    to_well_formed: Function<'js>,
    big_int_to_string: Function<'js>,
    symbol_to_string: Function<'js>,
    array_from: Function<'js>,
    map: Object<'js>,
    map_entries: Function<'js>,
    set: Object<'js>,
    set_values: Function<'js>,
    is_view: Function<'js>,
    number_value: Function<'js>,
    string_value: Function<'js>,
    boolean_value: Function<'js>,
    object_prototype: Object<'js>,
    error: rquickjs::function::Constructor<'js>,
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
    pub fn capture(ctx: &Ctx<'js>) -> rquickjs::Result<Self> {
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
    pub fn stack(&self, ctx: &Ctx<'js>) -> String {
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
    pub fn new_error(&self, message: &str, stack: Option<String>) -> rquickjs::Result<Object<'js>> {
        let error: Object<'js> = self.error.construct((message,))?;
        if let Some(stack) = stack {
            error.prop("stack", Property::from(stack).writable().configurable())?;
        }
        Ok(error)
    }

    /// Text of a string; halves of surrogate pairs become U+FFFD.
    pub fn text(&self, ctx: &Ctx<'js>, string: &JsString<'js>) -> rquickjs::Result<String> {
        match string.to_string() {
            Err(rquickjs::Error::Utf8(_)) => {
                self.to_well_formed.call::<_, JsString<'js>>((This(string.clone()),))?.to_string()
            }
            // No memory for the copy: the exception is pending.
            Err(rquickjs::Error::Unknown) if ctx.has_exception() => Err(rquickjs::Error::Exception),
            other => other,
        }
    }

    /// A value as JSON text of at most `limit` bytes; none for `undefined`.
    ///
    /// # Errors
    /// See [`NoData`]. `what` (such as `the result`) begins the messages.
    pub fn to_json(
        &self,
        ctx: &Ctx<'js>,
        value: &Value<'js>,
        limit: usize,
        what: &str,
    ) -> Result<Option<String>, NoData> {
        let mut writer = Writer { ctx, intrinsics: self, out: String::new(), limit, what, ancestors: Vec::new() };
        match value {
            value if value.is_undefined() => return Ok(None),
            value if value.is_function() => {
                return Err(writer.because("is a function; only data can leave the sandbox"));
            }
            value if value.is_symbol() => return Err(writer.because("is a symbol; only data can leave the sandbox")),
            value => writer.value(value)?,
        };
        Ok(Some(writer.out))
    }

    /// A value for the console or for the message of an odd throw. Never fails; swallows what getters throw.
    pub fn inspect(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> String {
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
            return format!("{}n", self.call_text(ctx, &self.big_int_to_string, value));
        }
        if value.is_symbol() {
            return self.call_text(ctx, &self.symbol_to_string, value);
        }
        if value.is_function() {
            return "[function]".to_owned();
        }
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

struct Writer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    intrinsics: &'a Intrinsics<'js>,
    out: String,
    limit: usize,
    what: &'a str,
    ancestors: Vec<Value<'js>>,
}

/// Whether something was written; `undefined` and functions are not.
type Written = Result<bool, NoData>;

impl<'js> Writer<'_, 'js> {
    fn because(&self, reason: &str) -> NoData {
        NoData::Because(format!("{} {reason}", self.what))
    }

    fn push(&mut self, text: &str) -> Result<(), NoData> {
        if self.out.len() + text.len() > self.limit {
            return Err(self.because(&format!("is larger than {} bytes as JSON", self.limit)));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn string(&mut self, string: &JsString<'js>) -> Result<(), NoData> {
        let text = self.intrinsics.text(self.ctx, string)?;
        if text.len() > self.limit {
            return Err(self.because(&format!("is larger than {} bytes as JSON", self.limit)));
        }
        self.push(&serde_json::Value::String(text).to_string())
    }

    fn number(&mut self, number: f64) -> Result<(), NoData> {
        if !number.is_finite() {
            self.push("null")
        } else if number == 0.0 {
            self.push("0")
        } else if number.abs() >= 1e21 || number.abs() < 1e-6 {
            self.push(&format!("{number:e}"))
        } else {
            self.push(&number.to_string())
        }
    }

    fn value(&mut self, value: &Value<'js>) -> Written {
        if let Some(string) = value.as_string() {
            self.string(string)?;
        } else if let Some(number) = value.as_number() {
            self.number(number)?;
        } else if let Some(boolean) = value.as_bool() {
            self.push(if boolean { "true" } else { "false" })?;
        } else if value.is_null() {
            self.push("null")?;
        } else if value.is_big_int() {
            let digits = self.intrinsics.call_text(self.ctx, &self.intrinsics.big_int_to_string, value);
            self.push(&format!("\"{digits}\""))?;
        } else if value.is_function() {
            return Ok(false);
        } else if let Some(object) = value.as_object() {
            return self.nested(object);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn nested(&mut self, object: &Object<'js>) -> Written {
        if self.ancestors.len() >= MAX_DEPTH {
            return Err(self.because(&format!("is nested deeper than {MAX_DEPTH} levels")));
        }
        if self.ancestors.iter().any(|ancestor| ancestor == object.as_value()) {
            return Err(self.because("contains itself (a cycle); return plain data without circular references"));
        }
        if object.as_value().is_promise() {
            return Err(self.because("contains a Promise; await it first"));
        }
        self.ancestors.push(object.as_value().clone());
        let written = self.object(object);
        self.ancestors.pop();
        written
    }

    fn object(&mut self, object: &Object<'js>) -> Written {
        let to_json: Value<'js> = object.get("toJSON")?;
        if let Some(to_json) = to_json.as_function() {
            let replaced: Value<'js> = to_json.call((This(object.clone()), ""))?;
            if replaced.as_object() != Some(object) {
                return self.value(&replaced);
            }
        }
        if let Some(array) = object.as_array() {
            return self.array(array);
        }
        if object.as_value().is_error() {
            return self.error(object);
        }
        if !object.as_value().is_proxy()
            && object.get_prototype().is_some_and(|parent| parent != self.intrinsics.object_prototype)
            && let Some(written) = self.special(object)?
        {
            return Ok(written);
        }
        self.push("{")?;
        self.properties(object, true)?;
        self.push("}")?;
        Ok(true)
    }

    fn properties(&mut self, object: &Object<'js>, mut first: bool) -> Result<(), NoData> {
        for key in object.own_keys::<Value<'js>>(Filter::new().string().enum_only()) {
            let key = key?;
            let value: Value<'js> = object.get(key.clone())?;
            let Some(key) = key.as_string() else { continue };
            let before = self.out.len();
            if !first {
                self.push(",")?;
            }
            self.string(key)?;
            self.push(":")?;
            if self.value(&value)? {
                first = false;
            } else {
                self.out.truncate(before);
            }
        }
        Ok(())
    }

    fn array(&mut self, array: &Array<'js>) -> Written {
        self.push("[")?;
        for index in 0..array.len() {
            if index > 0 {
                self.push(",")?;
            }
            let item: Value<'js> = array.get(index)?;
            if !self.value(&item)? {
                self.push("null")?;
            }
        }
        self.push("]")?;
        Ok(true)
    }

    fn error(&mut self, error: &Object<'js>) -> Written {
        self.push("{")?;
        let mut first = true;
        for name in ["name", "message"] {
            let value: Value<'js> = error.get(name)?;
            if let Some(text) = value.as_string() {
                self.push(if first { "" } else { "," })?;
                self.push(&format!("\"{name}\":"))?;
                self.string(text)?;
                first = false;
            }
        }
        self.properties(error, first)?;
        self.push("}")?;
        Ok(true)
    }

    /// Maps, sets, typed arrays and boxed primitives. A class is a first guess only; the built-in method called on the
    /// object is what knows.
    fn special(&mut self, object: &Object<'js>) -> Result<Option<bool>, NoData> {
        let this = || This(object.clone());
        let intrinsics = self.intrinsics;
        if object.is_instance_of(&intrinsics.map)
            && let Some(entries) = self.listed(intrinsics.map_entries.call((this(),)))?
        {
            return self.entries(&entries).map(Some);
        }
        if object.is_instance_of(&intrinsics.set)
            && let Some(values) = self.listed(intrinsics.set_values.call((this(),)))?
        {
            return self.array(&values).map(Some);
        }
        if intrinsics.is_view.call::<_, bool>((object.clone(),)).unwrap_or(false)
            && let Some(items) = self.listed(Ok(object.as_value().clone()))?
        {
            return self.array(&items).map(Some);
        }
        for unbox in [&intrinsics.string_value, &intrinsics.number_value, &intrinsics.boolean_value] {
            match unbox.call::<_, Value<'js>>((this(),)) {
                Ok(value) => return self.value(&value).map(Some),
                Err(_) => {
                    self.ctx.catch();
                }
            }
        }
        Ok(None)
    }

    /// What an iterator yields, as an array; none when the object is not what it seemed.
    fn listed(&self, iterator: rquickjs::Result<Value<'js>>) -> Result<Option<Array<'js>>, NoData> {
        match iterator {
            Ok(iterator) => Ok(Some(self.intrinsics.array_from.call((iterator,))?)),
            Err(_) => {
                self.ctx.catch();
                Ok(None)
            }
        }
    }

    /// A map with string keys is an object, any other a list of pairs.
    fn entries(&mut self, entries: &Array<'js>) -> Written {
        let pairs: Vec<Array<'js>> = entries.iter::<Array<'js>>().collect::<rquickjs::Result<_>>()?;
        let mut keys = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            keys.push(pair.get::<Value<'js>>(0)?);
        }
        if !keys.iter().all(Value::is_string) {
            return self.array(entries);
        }
        self.push("{")?;
        let mut first = true;
        for (key, pair) in keys.iter().zip(&pairs) {
            let Some(key) = key.as_string() else { continue };
            let before = self.out.len();
            self.push(if first { "" } else { "," })?;
            self.string(key)?;
            self.push(":")?;
            let value: Value<'js> = pair.get(1)?;
            if self.value(&value)? {
                first = false;
            } else {
                self.out.truncate(before);
            }
        }
        self.push("}")?;
        Ok(true)
    }
}
