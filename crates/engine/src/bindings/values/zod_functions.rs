//! Functions for zod schemas, loaded on first use: importing zod takes milliseconds that most prompt files do not need.

use std::cell::RefCell;

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use super::plain_error;
use lmthing_node::import_builtin;

#[derive(Default, JsLifetime)]
struct ZodFunctions<'js> {
    convert: RefCell<Option<Function<'js>>>,
    is_same: RefCell<Option<Function<'js>>>,
}

pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let stored = ctx.store_userdata(ZodFunctions::default());
    stored.map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

fn loaded<'js>(
    ctx: &Ctx<'js>,
    cell: impl for<'a> Fn(&'a ZodFunctions<'js>) -> &'a RefCell<Option<Function<'js>>>,
    load: impl FnOnce() -> Result<Function<'js>>,
) -> Result<Function<'js>> {
    let known = ctx.userdata::<ZodFunctions>().and_then(|functions| cell(&functions).borrow().clone());
    if let Some(known) = known {
        return Ok(known);
    }
    // The cell must not be borrowed during the import, which runs JavaScript.
    let function = load()?;
    if let Some(functions) = ctx.userdata::<ZodFunctions>() {
        cell(&functions).replace(Some(function.clone()));
    }
    Ok(function)
}

pub(super) fn zod_converter<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    // The core module of the built-in zod; the whole package takes longer to evaluate.
    let load = || import_builtin(ctx, "lmthing:internal/zod/z")?.get::<_, Object>("z")?.get("toJSONSchema");
    loaded(ctx, |functions| &functions.convert, load)
}

/// Whether both certainly validate and convert alike.
pub(super) fn is_same_zod<'js>(ctx: &Ctx<'js>, before: &Object<'js>, now: &Object<'js>) -> bool {
    let load = || import_builtin(ctx, "lmthing:internal/zod-same")?.get("default");
    let is_same = loaded(ctx, |functions| &functions.is_same, load);
    is_same.and_then(|is_same| is_same.call((before.clone(), now.clone()))).unwrap_or_else(|_| {
        ctx.catch();
        false
    })
}
