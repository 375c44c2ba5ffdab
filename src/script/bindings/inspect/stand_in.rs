//! The model that a file is rendered with: its own, or one that stands in for it, as nobody is asked anyway. Must not know what is
//! wrong with the file's own.

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value};

use crate::{
    provider::{MockModel, MockOptions},
    script::bindings::{
        models::resolve::{model_object, resolve},
        run::file::set_mock,
    },
};

/// A model that can be found.
pub(super) fn model<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    config: &Object<'js>,
    name: &str,
) -> Result<Value<'js>> {
    let found = set_mock(ctx, namespace, config, name, None).and_then(|()| {
        let own: Value = config.get("model")?;
        resolve(ctx, &own, None).map(|_| own)
    });
    found.or_else(|_| {
        // Why was told where exports are looked at.
        ctx.catch();
        model_object(ctx, Rc::new(MockModel::new(Vec::new(), MockOptions::default())))
    })
}
