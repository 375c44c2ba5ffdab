//! How large a zod schema is once it is written out. zod writes a part as often as it stands somewhere, and thirty objects, each twice in
//! the next, become a thousand million parts; nothing interrupts that.

use rquickjs::{Atom, Ctx, Object, Value, object::Filter};

/// More parts than this are written once each, and referred to.
const MAX_PARTS: usize = 10_000;

/// Deeper is too deep for zod too, which says so.
const MAX_DEPTH: usize = 500;

/// Whether a schema has so many parts that those that are the same have to be written once.
pub(super) fn has_too_many_parts(schema: &Object<'_>) -> bool {
    let mut count = Count { ctx: schema.ctx().clone(), left: MAX_PARTS };
    count.schema(schema, 0).is_none()
}

struct Count<'js> {
    ctx: Ctx<'js>,
    left: usize,
}

impl<'js> Count<'js> {
    /// `None` when there are too many.
    fn schema(&mut self, schema: &Object<'js>, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if depth >= MAX_DEPTH {
            return Some(());
        }
        let definition = schema.get::<_, Object>("_zod").and_then(|internals| internals.get::<_, Object>("def"));
        let Some(definition) = self.read(definition) else { return Some(()) };
        for entry in definition.own_props::<String, Value>(Filter::new().string().enum_only()) {
            let Some((name, value)) = self.read(entry) else { continue };
            let Some(object) = value.into_object().filter(|object| !object.is_function()) else { continue };
            match name.as_str() {
                // They have no parts, and most schemas have some.
                "checks" => {}
                "shape" => self.all(&object, depth + 1)?,
                _ if object.is_array() => self.all(&object, depth + 1)?,
                _ => self.part(object, depth + 1)?,
            }
        }
        Some(())
    }

    /// The schemas among the values of a list or an object.
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

    /// What can be read; zod reads it again, and throws then.
    fn read<T>(&self, value: rquickjs::Result<T>) -> Option<T> {
        if value.is_err() {
            self.ctx.catch();
        }
        value.ok()
    }
}
