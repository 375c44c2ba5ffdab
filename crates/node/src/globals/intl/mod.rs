//! Native half of `Intl` and of `Date`'s time zones: locale data, collation, segmentation, case mapping and time zones.
//! JavaScript formats dates and numbers.

mod archive;
mod collation;
mod locale_names;
mod segments;
mod zones;

use rquickjs::{Ctx, Function, Object, Result};

pub(super) use self::zones::is_utc;
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/intl", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // readSection(key): the JSON text of a section of the locale data, or undefined.
    exports.set("readSection", Function::new(ctx.clone(), archive::read)?)?;
    locale_names::export(ctx, &exports)?;
    zones::export(ctx, &exports)?;
    exports.set("makeComparer", Function::new(ctx.clone(), collation::make_comparer)?)?;
    exports.set("findBoundaries", Function::new(ctx.clone(), segments::find_boundaries)?)?;
    Ok(exports)
}
