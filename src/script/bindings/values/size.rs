//! How deep and how large a value may be that is made into JSON. Nothing interrupts `JSON.stringify`, and QuickJS compares each object
//! with all those around it: deep data takes a time that grows with the square of its depth. What is in a value twice is written
//! twice, so that thirty objects, each twice in the next, become a thousand million.

use rquickjs::{Ctx, Object, Value, atom::PredefinedAtom, object::Filter};

/// More values than this in one take too long, and no model reads them.
const MAX_VALUES: usize = 5_000_000;

/// Checks that a value is nested no deeper than `max_depth`, and holds no more values than can be written.
///
/// What a `toJSON` or a proxy gives is not looked at.
///
/// # Errors
/// Which of the two it is, in words.
pub(super) fn check_size<'js>(ctx: &Ctx<'js>, value: &Value<'js>, max_depth: usize) -> Result<(), String> {
    let Some(object) = value.as_object() else { return Ok(()) };
    let mut walk = Walk { ctx, max_depth, left: MAX_VALUES, path: Vec::new() };
    match walk.object(object) {
        Ok(()) | Err(Stop::Circle) => Ok(()),
        Err(Stop::TooDeep) => Err(format!("nested deeper than {max_depth} levels")),
        Err(Stop::TooLarge) => {
            Err(format!("it holds more than {MAX_VALUES} values (a value that occurs twice counts twice)"))
        }
    }
}

/// Why there is no need to look further.
enum Stop {
    TooDeep,
    TooLarge,
    /// `JSON.stringify` says so itself.
    Circle,
}

struct Walk<'a, 'js> {
    ctx: &'a Ctx<'js>,
    max_depth: usize,
    /// How many values there may still be.
    left: usize,
    /// The objects around the one that is looked at.
    path: Vec<Object<'js>>,
}

impl<'js> Walk<'_, 'js> {
    fn value(&mut self, value: &Value<'js>) -> Result<(), Stop> {
        self.left = self.left.checked_sub(1).ok_or(Stop::TooLarge)?;
        value.as_object().map_or(Ok(()), |object| self.object(object))
    }

    fn object(&mut self, object: &Object<'js>) -> Result<(), Stop> {
        if object.is_function() || object.is_proxy() {
            return Ok(());
        }
        if self.path.len() >= self.max_depth {
            return Err(if self.path.contains(object) { Stop::Circle } else { Stop::TooDeep });
        }
        self.path.push(object.clone());
        self.inside(object)?;
        self.path.pop();
        Ok(())
    }

    fn inside(&mut self, object: &Object<'js>) -> Result<(), Stop> {
        if let Some(array) = object.as_array() {
            return (0..array.len()).try_for_each(|index| match array.get::<Value>(index) {
                Ok(item) => self.value(&item),
                Err(_) => self.leave_out(),
            });
        }
        if object.contains_key(PredefinedAtom::ToJSON).unwrap_or(true) {
            return self.leave_out();
        }
        for entry in object.own_props::<rquickjs::Atom, Value>(Filter::new().string().enum_only()) {
            match entry {
                Ok((_, item)) => self.value(&item)?,
                Err(_) => self.leave_out()?,
            }
        }
        Ok(())
    }

    /// What cannot be read now throws again when it is written.
    fn leave_out(&self) -> Result<(), Stop> {
        if self.ctx.has_exception() {
            self.ctx.catch();
        }
        Ok(())
    }
}
