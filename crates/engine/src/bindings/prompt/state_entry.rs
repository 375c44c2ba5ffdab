//! One state of a prompt: its value and its setter.

use rquickjs::{Ctx, Function, JsLifetime, Object, Result, Value, class::Trace, function::Opt};

use crate::bindings::values::bind;

/// `{value, set}`. An object, so that the setter can hold it and the collector sees the cycle.
#[derive(Clone, Trace, JsLifetime)]
pub struct StateEntry<'js> {
    pair: Object<'js>,
}

impl<'js> StateEntry<'js> {
    pub fn create(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let entry = Object::new(ctx.clone())?;
        entry.set("value", value)?;
        entry.set("set", setter(ctx, &entry)?)?;
        Ok(StateEntry { pair: entry })
    }

    /// `set(next | (previous) => next)`; the same function as long as the prompt lives.
    pub fn setter(&self) -> Result<Value<'js>> {
        self.pair.get("set")
    }

    pub fn value(&self) -> Result<Value<'js>> {
        self.pair.get("value")
    }

    /// Sets the value itself, also if it is a function.
    pub fn set_value(&self, value: Value<'js>) -> Result<()> {
        set_value(&self.pair, value)
    }

    pub fn replaced(&self) -> Result<u32> {
        self.pair.get::<_, Option<u32>>(REPLACED).map(Option::unwrap_or_default)
    }

    pub fn restore(&self, value: Value<'js>, replaced: u32) -> Result<()> {
        self.pair.set("value", value)?;
        self.pair.set(REPLACED, replaced)
    }
}

const REPLACED: &str = "replaced";

fn set_value<'js>(entry: &Object<'js>, value: Value<'js>) -> Result<()> {
    let before: Value = entry.get("value")?;
    if before != value {
        let replaced: Option<u32> = entry.get(REPLACED)?;
        entry.set(REPLACED, replaced.unwrap_or_default().wrapping_add(1))?;
    }
    entry.set("value", value)
}

fn setter<'js>(ctx: &Ctx<'js>, entry: &Object<'js>) -> Result<Function<'js>> {
    let set = Function::new(ctx.clone(), |entry: Object<'js>, next: Opt<Value<'js>>| -> Result<()> {
        let ctx = entry.ctx().clone();
        let next = next.0.unwrap_or_else(|| Value::new_undefined(ctx));
        let value = match next.as_function() {
            Some(update) => update.call((entry.get::<_, Value>("value")?,))?,
            None => next,
        };
        set_value(&entry, value)
    })?;
    bind(&set, vec![entry.clone().into_value()])?.with_name("setState")
}
