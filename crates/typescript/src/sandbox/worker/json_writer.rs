//! Serializes values as JSON text.
//!
//! Follows `JSON.stringify` where that keeps the data (`toJSON`, omission of `undefined` and functions in objects,
//! `null` for them in arrays and for `NaN`, escapes for unpaired surrogates), but keeps what it would lose: a Map
//! becomes an object or a list of pairs, a Set or typed array a list, an Error its name and message, a BigInt its
//! digits. Cycles, promises, functions and excessive depth or size are errors.

use rquickjs::{Array, Ctx, Object, String as JsString, Value, function::This, object::Filter};

use super::intrinsics::{Intrinsics, NoData, well_formed_text};

/// The limit of nested objects, below that of the host's reader.
const MAX_DEPTH: usize = 100;

pub(super) struct JsonWriter<'a, 'js> {
    ctx: &'a Ctx<'js>,
    intrinsics: &'a Intrinsics<'js>,
    out: String,
    limit: usize,
    /// Begins the messages, such as `the result`.
    what: &'a str,
    /// To detect cycles.
    ancestors: Vec<Value<'js>>,
}

type IsWritten = Result<bool, NoData>;

impl<'a, 'js> JsonWriter<'a, 'js> {
    pub(super) fn new(ctx: &'a Ctx<'js>, intrinsics: &'a Intrinsics<'js>, limit: usize, what: &'a str) -> Self {
        JsonWriter { ctx, intrinsics, out: String::new(), limit, what, ancestors: Vec::new() }
    }

    pub(super) fn write(mut self, value: &Value<'js>) -> Result<Option<String>, NoData> {
        if value.is_undefined() {
            return Ok(None);
        }
        if value.is_function() {
            return Err(self.failure("is a function; only data can leave the sandbox"));
        }
        if value.is_symbol() {
            return Err(self.failure("is a symbol; only data can leave the sandbox"));
        }
        self.value(value)?;
        Ok(Some(self.out))
    }

    fn failure(&self, reason: &str) -> NoData {
        NoData::Because(format!("{} {reason}", self.what))
    }

    fn too_large(&self) -> NoData {
        self.failure(&format!("is larger than {} bytes as JSON", self.limit))
    }

    fn push(&mut self, text: &str) -> Result<(), NoData> {
        if self.out.len() + text.len() > self.limit {
            return Err(self.too_large());
        }
        self.out.push_str(text);
        Ok(())
    }

    fn string(&mut self, string: &JsString<'js>) -> Result<(), NoData> {
        match well_formed_text(self.ctx, string)? {
            // Checked before escaping, which can make the text six times as long.
            Some(text) if text.len() > self.limit => Err(self.too_large()),
            Some(text) => self.push(&serde_json::Value::String(text).to_string()),
            // The engine's serializer escapes unpaired surrogates, and uses no prototype for strings.
            None => match self.ctx.json_stringify(string.clone())? {
                Some(quoted) => self.push(&quoted.to_string()?),
                None => self.push("null"),
            },
        }
    }

    fn number(&mut self, number: f64) -> Result<(), NoData> {
        if !number.is_finite() {
            self.push("null")
        } else if number == 0.0 {
            // JSON.stringify writes no negative zero.
            self.push("0")
            // Outside of this range Rust writes hundreds of zeros, but JavaScript an exponent.
        } else if number.abs() >= 1e21 || number.abs() < 1e-6 {
            self.push(&format!("{number:e}"))
        } else {
            self.push(&number.to_string())
        }
    }

    fn value(&mut self, value: &Value<'js>) -> IsWritten {
        if let Some(string) = value.as_string() {
            self.string(string)?;
        } else if let Some(number) = value.as_number() {
            self.number(number)?;
        } else if let Some(boolean) = value.as_bool() {
            self.push(if boolean { "true" } else { "false" })?;
        } else if value.is_null() {
            self.push("null")?;
        } else if value.is_big_int() {
            // JSON.stringify throws; a number would lose digits.
            self.push(&format!("\"{}\"", self.intrinsics.digits(self.ctx, value)))?;
        } else if value.is_function() {
            return Ok(false);
        } else if let Some(object) = value.as_object() {
            return self.nested(object);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn nested(&mut self, object: &Object<'js>) -> IsWritten {
        if self.ancestors.len() >= MAX_DEPTH {
            return Err(self.failure(&format!("is nested deeper than {MAX_DEPTH} levels")));
        }
        if self.ancestors.iter().any(|ancestor| ancestor == object.as_value()) {
            return Err(self.failure("contains itself (a cycle); return plain data without circular references"));
        }
        if object.as_value().is_promise() {
            return Err(self.failure("contains a Promise; await it first"));
        }
        self.ancestors.push(object.as_value().clone());
        let written = self.object(object);
        self.ancestors.pop();
        written
    }

    fn object(&mut self, object: &Object<'js>) -> IsWritten {
        let to_json: Value<'js> = object.get("toJSON")?;
        if let Some(to_json) = to_json.as_function() {
            let replaced: Value<'js> = to_json.call((This(object.clone()), ""))?;
            // A `toJSON` that returns the object itself would recurse forever.
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
        // The prototype of a proxy is determined by code, and no built-in method accepts a proxy.
        if !object.as_value().is_proxy()
            && object.get_prototype().is_some_and(|parent| parent != self.intrinsics.object_prototype)
            && let Some(written) = self.built_in(object)?
        {
            return Ok(written);
        }
        self.push("{")?;
        self.properties(object, &[])?;
        self.push("}")?;
        Ok(true)
    }

    /// Writes the own properties except those in `written`, which come before them.
    fn properties(&mut self, object: &Object<'js>, written: &[&str]) -> Result<(), NoData> {
        let mut first = written.is_empty();
        for key in object.own_keys::<Value<'js>>(Filter::new().string().enum_only()) {
            let key = key?;
            let Some(name) = key.as_string() else { continue };
            if written.iter().any(|written| name.to_string().is_ok_and(|name| name == *written)) {
                continue;
            }
            let value: Value<'js> = object.get(key.clone())?;
            first &= !self.member(name, &value, first)?;
        }
        Ok(())
    }

    /// Writes `"name":value`, with a comma unless it is the first; nothing if the value is no data.
    fn member(&mut self, name: &JsString<'js>, value: &Value<'js>, first: bool) -> IsWritten {
        let before = self.out.len();
        self.push(if first { "" } else { "," })?;
        self.string(name)?;
        self.push(":")?;
        let written = self.value(value)?;
        if !written {
            self.out.truncate(before);
        }
        Ok(written)
    }

    fn array(&mut self, array: &Array<'js>) -> IsWritten {
        self.push("[")?;
        // The limit of the text ends arrays with a huge length.
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

    /// Writes `name` and `message`, which are rarely own properties, once.
    fn error(&mut self, error: &Object<'js>) -> IsWritten {
        self.push("{")?;
        let mut written = Vec::new();
        for name in ["name", "message"] {
            let value: Value<'js> = error.get(name)?;
            if let Some(text) = value.as_string() {
                self.push(if written.is_empty() { "" } else { "," })?;
                self.push(&format!("\"{name}\":"))?;
                self.string(text)?;
                written.push(name);
            }
        }
        self.properties(error, &written)?;
        self.push("}")?;
        Ok(true)
    }

    /// Maps, sets, typed arrays and boxed primitives. The class is only a hint; the built-in method decides by
    /// whether it accepts the object.
    fn built_in(&mut self, object: &Object<'js>) -> Result<Option<bool>, NoData> {
        let this = || This(object.clone());
        let intrinsics = self.intrinsics;
        if object.is_instance_of(&intrinsics.map)
            && let Some(entries) = self.collect(intrinsics.map_entries.call((this(),)))?
        {
            return self.entries(&entries).map(Some);
        }
        if object.is_instance_of(&intrinsics.set)
            && let Some(values) = self.collect(intrinsics.set_values.call((this(),)))?
        {
            return self.array(&values).map(Some);
        }
        if intrinsics.is_view.call::<_, bool>((object.clone(),)).unwrap_or(false)
            && let Some(items) = self.collect(Ok(object.as_value().clone()))?
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

    /// The items of an iterator; `None` if the object does not have the expected class.
    fn collect(&self, iterator: rquickjs::Result<Value<'js>>) -> Result<Option<Array<'js>>, NoData> {
        match iterator {
            Ok(iterator) => Ok(Some(self.intrinsics.array_from.call((iterator,))?)),
            Err(_) => {
                self.ctx.catch();
                Ok(None)
            }
        }
    }

    /// A map with string keys becomes an object, any other a list of pairs.
    fn entries(&mut self, entries: &Array<'js>) -> IsWritten {
        let pairs: Vec<Array<'js>> = entries.iter::<Array<'js>>().collect::<rquickjs::Result<_>>()?;
        let mut keys = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            keys.push(pair.get::<Value<'js>>(0)?);
        }
        // Different keys could have the same text: 1 and "1".
        if !keys.iter().all(Value::is_string) {
            return self.array(entries);
        }
        self.push("{")?;
        let mut first = true;
        for (key, pair) in keys.iter().zip(&pairs) {
            let Some(key) = key.as_string() else { continue };
            let value: Value<'js> = pair.get(1)?;
            first &= !self.member(key, &value, first)?;
        }
        self.push("}")?;
        Ok(true)
    }
}
