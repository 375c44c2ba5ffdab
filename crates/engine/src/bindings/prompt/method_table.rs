//! The type of the table of prompt methods, which is defined in `bindings/table.rs`.

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use crate::bindings::values::plain_error;

pub(crate) struct Method {
    pub name: &'static str,
    pub function: for<'js> fn(&Ctx<'js>) -> Result<Function<'js>>,
    pub is_plugin: bool,
}

/// The property that marks methods exported by `lmthing/plugins`.
pub(crate) const BUILTIN_MARK: &str = "lmthing.builtin";

#[derive(Clone, Copy, JsLifetime)]
pub(crate) struct MethodTable(pub &'static [Method]);

impl MethodTable {
    pub(crate) fn of(ctx: &Ctx<'_>) -> Result<Self> {
        let table = ctx.userdata::<MethodTable>().map(|table| *table);
        table.ok_or_else(|| plain_error(ctx, "lmthing's bindings are not installed in this engine"))
    }

    pub(crate) fn find(self, name: &str) -> Option<&'static Method> {
        self.0.iter().find(|method| method.name == name)
    }
}

pub(crate) fn is_builtin<'js>(function: &Function<'js>) -> Result<bool> {
    function.as_object().map_or(Ok(false), |object: &Object<'js>| object.contains_key(BUILTIN_MARK))
}
