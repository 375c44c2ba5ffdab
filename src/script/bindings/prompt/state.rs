//! `defState` and `getState`.

use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace, function::Opt};

use super::methods::Call;
use crate::script::bindings::values::bind;

/// One state: `{value, set}`. An object, so that the setter can hold it and the collector sees the circle.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct StateEntry<'js> {
    pair: Object<'js>,
}

impl<'js> StateEntry<'js> {
    fn create(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let entry = Object::new(ctx.clone())?;
        entry.set("value", value)?;
        entry.set("set", setter(ctx, &entry)?)?;
        Ok(StateEntry { pair: entry })
    }

    /// The current value.
    pub(crate) fn value(&self) -> Result<Value<'js>> {
        self.pair.get("value")
    }

    pub(crate) fn set_value(&self, value: Value<'js>) -> Result<()> {
        self.pair.set("value", value)
    }
}

/// `defState(key, initial)`: `[value, set]`. The value is a snapshot: what it was when `defState` was called, `===` to
/// what was set. `initial` may be a function that makes the first value. `set(next | (previous) => next)` is seen at once
/// by `getState` and by later `defState` calls. Throws a `TypeError` when the key is not a string.
pub(crate) fn def_state(call: Call<'_>) -> Result<Value<'_>> {
    let key = call.string(0, "defState: the key")?;
    let known = call.prompt.borrow().bag.state(&key);
    let entry = match known {
        Some(entry) => entry,
        None => {
            let initial = call.arg(1);
            let value: Value = match initial.as_function() {
                Some(make) => make.call(())?,
                None => initial,
            };
            let entry = StateEntry::create(&call.ctx, value)?;
            call.prompt.borrow().bag.set_state(key, entry.clone());
            entry
        }
    };
    let pair = Array::new(call.ctx.clone())?;
    pair.set(0, entry.value()?)?;
    pair.set(1, entry.pair.get::<_, Value>("set")?)?;
    Ok(pair.into_value())
}

/// The setter of one state: a native function with the entry bound to it.
fn setter<'js>(ctx: &Ctx<'js>, entry: &Object<'js>) -> Result<Function<'js>> {
    let set = Function::new(ctx.clone(), |entry: Object<'js>, next: Opt<Value<'js>>| -> Result<()> {
        let ctx = entry.ctx().clone();
        let next = next.0.unwrap_or_else(|| Value::new_undefined(ctx));
        let value = match next.as_function() {
            Some(update) => update.call((entry.get::<_, Value>("value")?,))?,
            None => next,
        };
        entry.set("value", value)
    })?;
    bind(&set, vec![entry.clone().into_value()])?.with_name("setState")
}

/// `getState(key)`: the current value, `undefined` for a key nobody defined.
pub(crate) fn get_state(call: Call<'_>) -> Result<Value<'_>> {
    let key = call.string(0, "getState: the key")?;
    let known = call.prompt.borrow().bag.state(&key);
    known.map_or_else(|| Ok(Value::new_undefined(call.ctx.clone())), |entry| entry.value())
}
