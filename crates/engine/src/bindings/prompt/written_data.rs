//! A cache of the value that `defData` wrote, so that a re-run need not write it again.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    rc::{Rc, Weak},
};

use rquickjs::{Ctx, JsLifetime, Value};

use crate::{bindings::values::snapshot::Snapshot, prompt::Data};
use lmthing_node::gate;

/// Smaller data is not cached, as it is written quickly.
const LARGE: usize = 64 * 1024;

#[derive(JsLifetime)]
pub struct WrittenData<'js> {
    data: Weak<Data>,
    /// Hash of the object's identity. The object itself may be gone.
    object: u64,
    snapshot: Option<Snapshot<'js>>,
}

impl<'js> WrittenData<'js> {
    /// Returns `None` if caching is not worthwhile. `before` is the previous entry of that name.
    pub fn new(ctx: &Ctx<'js>, value: &Value<'js>, data: &Rc<Data>, before: Option<Self>) -> Option<Self> {
        if data.yaml().len() < LARGE {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let object = hasher.finish();
        // Data that is created on each run is another object each time, so a snapshot would be useless.
        let is_same_object = before.is_none_or(|before| before.object == object);
        // The snapshot is not traced and prevents freeing the engine, which inspections of files do. Nothing runs
        // again there.
        let snapshot = if is_same_object && gate::may_change_process(ctx) { Snapshot::take(ctx, value) } else { None };
        Some(WrittenData { data: Rc::downgrade(data), object, snapshot })
    }

    pub fn is_for(&self, data: Option<&Rc<Data>>) -> bool {
        data.is_some_and(|data| std::ptr::eq(Rc::as_ptr(data), self.data.as_ptr()))
    }

    pub fn is_in_use(&self) -> bool {
        self.data.strong_count() > 0
    }

    pub fn is_unchanged(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.matches(ctx, value))
    }
}
