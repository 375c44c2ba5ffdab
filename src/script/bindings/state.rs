//! `defState` and `getState` (SPEC 4).

use rquickjs::{Array, Ctx, Function, Object, Result, Value, function::Opt};

use super::{
    stateful_prompt::{Call, area},
    values::bind,
};

/// `defState(key, initial)`: `[value, set]`. The value is a snapshot: what it was when `defState` was called, `===` to
/// what was set. `initial` may be a function that makes the first value. `set(next | (previous) => next)` is seen at once
/// by `getState` and by later `defState` calls. Throws a `TypeError` when the key is not a string.
pub(super) fn def_state(call: Call<'_>) -> Result<Value<'_>> {
    let key = call.string(0, "defState: the key")?;
    let states = area(&call.bag, "state")?;
    let entry: Object = match states.get::<_, Value>(&key)?.into_object() {
        Some(entry) => entry,
        None => {
            let initial = call.arg(1);
            let value: Value = match initial.as_function() {
                Some(make) => make.call(())?,
                None => initial,
            };
            let entry = Object::new(call.ctx.clone())?;
            entry.set("value", value)?;
            entry.set("set", setter(&call.ctx, &entry)?)?;
            states.set(&key, entry.clone())?;
            entry
        }
    };
    let pair = Array::new(call.ctx.clone())?;
    pair.set(0, entry.get::<_, Value>("value")?)?;
    pair.set(1, entry.get::<_, Value>("set")?)?;
    Ok(pair.into_value())
}

/// The setter of one state entry: a native function with the entry bound to it, so that the collector sees the cycle.
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
pub(super) fn get_state(call: Call<'_>) -> Result<Value<'_>> {
    let key = call.string(0, "getState: the key")?;
    let states = area(&call.bag, "state")?;
    match states.get::<_, Value>(&key)?.into_object() {
        Some(entry) => entry.get("value"),
        None => Ok(Value::new_undefined(call.ctx.clone())),
    }
}
