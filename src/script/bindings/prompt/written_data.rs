//! What is remembered of the value that `defData` wrote, so that a re-run need not write it again. Must not know how
//! it was written.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    rc::{Rc, Weak},
};

use rquickjs::{Ctx, JsLifetime, Value};

use crate::{
    prompt::Data,
    script::{bindings::values::snapshot::Snapshot, gate},
};

/// Smaller data is written anew in no time.
const LARGE: usize = 64 * 1024;

/// See the module.
#[derive(JsLifetime)]
pub(crate) struct WrittenData<'js> {
    data: Weak<Data>,
    /// Which object it was: that and no more, for it may be gone.
    object: u64,
    snapshot: Option<Snapshot<'js>>,
}

impl<'js> WrittenData<'js> {
    /// What to remember of a value that was just written as `data`, if it is worth it; `before` is what was remembered
    /// of the one in its place.
    pub(crate) fn new(ctx: &Ctx<'js>, value: &Value<'js>, data: &Rc<Data>, before: Option<Self>) -> Option<Self> {
        if data.yaml().len() < LARGE {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let object = hasher.finish();
        // Data that is put together on each run is another object each time: looking at it closely would be in vain.
        let is_kept = before.is_none_or(|before| before.object == object);
        // Its values are not shown to the collector and keep the engine from being taken apart, which is done where a file is only
        // looked at. Nothing runs again there.
        let snapshot = if is_kept && gate::owns_process(ctx) { Snapshot::take(ctx, value) } else { None };
        Some(WrittenData { data: Rc::downgrade(data), object, snapshot })
    }

    /// Whether this is about that data.
    pub(crate) fn is_of(&self, data: Option<&Rc<Data>>) -> bool {
        data.is_some_and(|data| std::ptr::eq(Rc::as_ptr(data), self.data.as_ptr()))
    }

    /// Whether the data is still in use.
    pub(crate) fn is_there(&self) -> bool {
        self.data.strong_count() > 0
    }

    /// Whether the value is known to be what was written.
    pub(crate) fn holds(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.is_of(ctx, value))
    }
}
