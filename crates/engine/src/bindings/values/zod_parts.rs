//! What parts a zod schema has, and how many when it is written out.
//!
//! zod repeats a part for each use: 30 objects that each use the next one twice become 2^30 parts. That work cannot be
//! interrupted.

use rquickjs::{Atom, Ctx, Object, Value, object::Filter};

use super::zod_files::is_file;

/// Above this limit, parts are written once and referenced.
const MAX_PARTS: usize = 10_000;

/// Files are searched for in so many parts.
const MAX_SEARCHED: usize = 1_000;

/// zod rejects deeper schemas itself.
const MAX_DEPTH: usize = 500;

pub(super) fn has_too_many_parts(schema: &Object<'_>) -> bool {
    let mut walk = PartWalk { ctx: schema.ctx().clone(), left: MAX_PARTS, stops_at: |_| Ok(false) };
    walk.schema(schema, 0).is_none()
}

/// Whether a part takes a file. Parts that are made when they are needed, as by `z.lazy`, are not seen.
pub(super) fn has_file_part(schema: &Object<'_>) -> bool {
    let mut walk = PartWalk { ctx: schema.ctx().clone(), left: MAX_SEARCHED, stops_at: is_file };
    walk.schema(schema, 0).is_none() && walk.left > 0
}

struct PartWalk<'js> {
    ctx: Ctx<'js>,
    left: usize,
    stops_at: fn(&Object<'js>) -> rquickjs::Result<bool>,
}

impl<'js> PartWalk<'js> {
    /// `None` if the walk has come to an end early.
    fn schema(&mut self, schema: &Object<'js>, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if depth >= MAX_DEPTH {
            return Some(());
        }
        let definition = schema.get::<_, Object>("_zod").and_then(|internals| internals.get::<_, Object>("def"));
        let Some(definition) = self.read(definition) else { return Some(()) };
        if self.read((self.stops_at)(&definition)).unwrap_or(false) {
            return None;
        }
        for entry in definition.own_props::<String, Value>(Filter::new().string().enum_only()) {
            let Some((name, value)) = self.read(entry) else { continue };
            let Some(object) = value.into_object().filter(|object| !object.is_function()) else { continue };
            match name.as_str() {
                // Most schemas have checks, which have no parts.
                "checks" => {}
                "shape" => self.all(&object, depth + 1)?,
                _ if object.is_array() => self.all(&object, depth + 1)?,
                _ => self.part(object, depth + 1)?,
            }
        }
        Some(())
    }

    fn all(&mut self, parts: &Object<'js>, depth: usize) -> Option<()> {
        for entry in parts.own_props::<Atom, Value>(Filter::new().string().enum_only()) {
            if let Some((_, value)) = self.read(entry)
                && let Some(part) = value.into_object()
            {
                self.part(part, depth)?;
            }
        }
        Some(())
    }

    fn part(&mut self, part: Object<'js>, depth: usize) -> Option<()> {
        let is_schema = self.read(part.contains_key("_zod")).unwrap_or(false);
        if is_schema { self.schema(&part, depth) } else { Some(()) }
    }

    /// Clears the exception if reading threw; zod will throw it again.
    fn read<T>(&self, value: rquickjs::Result<T>) -> Option<T> {
        if value.is_err() {
            self.ctx.catch();
        }
        value.ok()
    }
}
