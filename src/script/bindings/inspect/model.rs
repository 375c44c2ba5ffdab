//! The model to render with. Nobody asks it. Must not know what is wrong with the file's own.

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value};

use crate::{
    provider::{MockModel, MockOptions},
    script::bindings::{
        models::resolve::{model_object, resolve},
        run::file::set_mock,
    },
};

/// The file's own model, or one that stands in for what cannot be used.
pub(super) fn model<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    config: &Object<'js>,
    name: &str,
) -> Result<Value<'js>> {
    let own: Value = config.get("model")?;
    let found = set_mock(ctx, namespace, config, name, None).and_then(|()| resolve(ctx, &own, None).map(drop));
    match found {
        Ok(()) => Ok(own),
        Err(_) => {
            // Told with the other exports.
            ctx.catch();
            stand_in(ctx)
        }
    }
}

fn stand_in<'js>(ctx: &Ctx<'js>) -> Result<Value<'js>> {
    model_object(ctx, Rc::new(MockModel::new(Vec::new(), MockOptions::default())))
}
