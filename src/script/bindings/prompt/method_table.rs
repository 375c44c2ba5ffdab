//! The table of prompt methods, as making a prompt needs it. It is put together above all rooms (`bindings/table.rs`).

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use crate::script::bindings::values::plain_error;

/// One native method of a prompt.
pub(crate) struct Method {
    /// The JavaScript name.
    pub(crate) name: &'static str,
    /// Makes the function.
    pub(crate) function: for<'js> fn(&Ctx<'js>) -> Result<Function<'js>>,
    /// Whether it comes from a plugin: a plugin of the user's may replace those, but not the others.
    pub(crate) is_plugin: bool,
}

/// The property that marks a native plugin method, as `lmthing/plugins` hands them out.
pub(crate) const BUILTIN_MARK: &str = "lmthing.builtin";

/// The table of an engine.
#[derive(Clone, Copy, JsLifetime)]
pub(crate) struct MethodTable(pub(crate) &'static [Method]);

impl MethodTable {
    /// The table that `call::install` stored.
    pub(crate) fn of(ctx: &Ctx<'_>) -> Result<Self> {
        let table = ctx.userdata::<MethodTable>().map(|table| *table);
        table.ok_or_else(|| plain_error(ctx, "lmthing's bindings are not installed in this engine"))
    }

    /// The native method of this name.
    pub(crate) fn find(self, name: &str) -> Option<&'static Method> {
        self.0.iter().find(|method| method.name == name)
    }
}

/// Whether a function is one of the native methods that `lmthing/plugins` hands out.
pub(crate) fn is_builtin<'js>(function: &Function<'js>) -> Result<bool> {
    function.as_object().map_or(Ok(false), |object: &Object<'js>| object.contains_key(BUILTIN_MARK))
}
