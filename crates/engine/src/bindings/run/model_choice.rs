//! A model that replaces the file's own (`run -m`, `run --mock`, a test).

use std::{fmt, rc::Rc};

use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value};

use crate::bindings::{
    models::{
        mock::used_up_message,
        resolve::{foreign_model_object, model_object},
    },
    services,
};
use lmthing_node::host::host;
use lmthing_providers::{LanguageModel, MockItem, MockModel, MockOptions};

#[derive(Clone)]
pub enum ModelChoice {
    Named(String),
    Mock {
        items: Vec<MockItem>,
        place: String,
    },
    Object {
        model: Rc<dyn LanguageModel>,
        /// Whether it is written in JavaScript, and neither recorded nor replayed.
        is_foreign: bool,
    },
}

impl fmt::Debug for ModelChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelChoice::Named(name) => formatter.debug_tuple("Named").field(name).finish(),
            ModelChoice::Mock { items, place } => {
                formatter.debug_struct("Mock").field("items", items).field("place", place).finish()
            }
            ModelChoice::Object { model, .. } => {
                formatter.debug_tuple("Object").field(&model.provider()).field(&model.model_id()).finish()
            }
        }
    }
}

impl ModelChoice {
    pub(super) fn model(&self) -> Option<&str> {
        match self {
            ModelChoice::Named(model) => Some(model),
            ModelChoice::Mock { .. } | ModelChoice::Object { .. } => None,
        }
    }

    /// The file's `config` with this model. A copy, as other files may have imported the original.
    pub(super) fn config<'js>(&self, ctx: &Ctx<'js>, own: Option<Object<'js>>) -> Result<Object<'js>> {
        let config = copy_config(ctx, own.as_ref())?;
        config.set("model", self.value(ctx)?)?;
        Ok(config)
    }

    fn value<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match self {
            ModelChoice::Named(name) => name.as_str().into_js(ctx),
            ModelChoice::Mock { .. } => "mock".into_js(ctx),
            ModelChoice::Object { model, is_foreign: true } => foreign_model_object(ctx, model.clone()),
            ModelChoice::Object { model, is_foreign: false } => model_object(ctx, model.clone()),
        }
    }

    /// Creates the model for `'mock'`. Returns whether the choice is a mock.
    pub(super) fn set_mock(&self, ctx: &Ctx<'_>) -> Result<bool> {
        let ModelChoice::Mock { items, place } = self else { return Ok(false) };
        let mock = MockModel::new(items.clone(), MockOptions::default());
        let (host, place) = (host(ctx)?, place.clone());
        services::set_mock(ctx, mock.on_exhausted(move |count| host.warn(&used_up_message(&place, count))))?;
        Ok(true)
    }
}

pub(super) fn copy_config<'js>(ctx: &Ctx<'js>, own: Option<&Object<'js>>) -> Result<Object<'js>> {
    let config = Object::new(ctx.clone())?;
    if let Some(own) = own {
        let assign: Function = ctx.globals().get::<_, Object>("Object")?.get("assign")?;
        assign.call::<_, ()>((config.clone(), own.clone()))?;
    }
    Ok(config)
}
