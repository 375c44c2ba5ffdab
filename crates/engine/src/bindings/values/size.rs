//! Limits on the depth and size of values that become JSON.
//!
//! `JSON.stringify` cannot be interrupted, and QuickJS compares each object with all its ancestors, which is quadratic
//! in the depth. It repeats shared values: 30 objects that each contain the next one twice become 2^30 values.

use rquickjs::{Ctx, Object, Value, atom::PredefinedAtom, object::Filter};
use thiserror::Error;

/// Larger values take too long to write and are of no use to a model.
const MAX_VALUES: usize = 5_000_000;

#[derive(Debug, Error)]
pub(super) enum TooBig {
    #[error("nested deeper than {0} levels")]
    Depth(usize),
    #[error("it holds more than {MAX_VALUES} values (a value that occurs twice counts twice)")]
    Size,
}

/// Checks that a value is nested no deeper than `max_depth` and can be written. Results of `toJSON` and proxies are not
/// checked.
pub(super) fn check_size<'js>(ctx: &Ctx<'js>, value: &Value<'js>, max_depth: usize) -> Result<(), TooBig> {
    let Some(object) = value.as_object() else { return Ok(()) };
    let mut check = SizeCheck { ctx, max_depth, remaining: MAX_VALUES, path: Vec::new() };
    match check.object(object) {
        Ok(()) | Err(Stop::Cycle) => Ok(()),
        Err(Stop::TooDeep) => Err(TooBig::Depth(max_depth)),
        Err(Stop::TooLarge) => Err(TooBig::Size),
    }
}

enum Stop {
    TooDeep,
    TooLarge,
    /// `JSON.stringify` reports it.
    Cycle,
}

struct SizeCheck<'a, 'js> {
    ctx: &'a Ctx<'js>,
    max_depth: usize,
    remaining: usize,
    path: Vec<Object<'js>>,
}

impl<'js> SizeCheck<'_, 'js> {
    fn value(&mut self, value: &Value<'js>) -> Result<(), Stop> {
        self.remaining = self.remaining.checked_sub(1).ok_or(Stop::TooLarge)?;
        value.as_object().map_or(Ok(()), |object| self.object(object))
    }

    fn object(&mut self, object: &Object<'js>) -> Result<(), Stop> {
        if object.is_function() || object.is_proxy() {
            return Ok(());
        }
        if self.path.len() >= self.max_depth {
            return Err(if self.path.contains(object) { Stop::Cycle } else { Stop::TooDeep });
        }
        self.path.push(object.clone());
        self.children(object)?;
        self.path.pop();
        Ok(())
    }

    fn children(&mut self, object: &Object<'js>) -> Result<(), Stop> {
        if let Some(array) = object.as_array() {
            return (0..array.len()).try_for_each(|index| match array.get::<Value>(index) {
                Ok(item) => self.value(&item),
                Err(_) => self.skip(),
            });
        }
        if object.contains_key(PredefinedAtom::ToJSON).unwrap_or(true) {
            return self.skip();
        }
        for entry in object.own_props::<rquickjs::Atom, Value>(Filter::new().string().enum_only()) {
            match entry {
                Ok((_, item)) => self.value(&item)?,
                Err(_) => self.skip()?,
            }
        }
        Ok(())
    }

    /// Skips what cannot be read: it throws again when it is written.
    fn skip(&self) -> Result<(), Stop> {
        if self.ctx.has_exception() {
            self.ctx.catch();
        }
        Ok(())
    }
}
