//! `defState` and `getState`.

use rquickjs::{Array, Result, Value};

use super::{call::Call, state_entry::StateEntry};

/// `defState(key, initial)`: `[value, set]`. The value is that at the time of the call; `set(next | (previous) =>
/// next)` takes effect at once. Rules: docs/reference/state-and-effects.md.
pub(crate) fn def_state(call: Call<'_>) -> Result<Value<'_>> {
    let key = call.string(0, "defState: the key")?;
    // The bag must not be borrowed: an initial function may define states itself.
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
    pair.set(1, entry.setter()?)?;
    Ok(pair.into_value())
}

pub(crate) fn get_state(call: Call<'_>) -> Result<Value<'_>> {
    let key = call.string(0, "getState: the key")?;
    let known = call.prompt.borrow().bag.state(&key);
    known.map_or_else(|| Ok(Value::new_undefined(call.ctx.clone())), |entry| entry.value())
}
