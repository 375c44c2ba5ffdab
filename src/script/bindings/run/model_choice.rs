//! A model that whoever runs a file has chosen in place of the file's own (`run -m`, `run --mock`, a test). Must not know where
//! it was read from.

use std::{fmt, rc::Rc};

use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value};

use crate::{
    provider::{LanguageModel, MockItem, MockModel, MockOptions},
    script::{
        bindings::{
            models::{
                mock::used_up,
                resolve::{model_object, model_of_its_own},
            },
            services,
        },
        host::host,
    },
};

/// The model to take in place of `config.model`.
#[derive(Clone)]
pub(crate) enum ModelChoice {
    /// A model string.
    Named(String),
    /// A mock that plays these items.
    Mock {
        /// What it plays.
        items: Vec<MockItem>,
        /// Where they are from, for messages.
        place: String,
    },
    /// A model that was made elsewhere.
    Made {
        /// The model.
        model: Rc<dyn LanguageModel>,
        /// Whether it answers for itself, whatever is recorded or replayed: it is written in JavaScript.
        is_of_script: bool,
    },
}

impl fmt::Debug for ModelChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelChoice::Named(name) => formatter.debug_tuple("Named").field(name).finish(),
            ModelChoice::Mock { items, place } => {
                formatter.debug_struct("Mock").field("items", items).field("place", place).finish()
            }
            ModelChoice::Made { model, .. } => {
                formatter.debug_tuple("Made").field(&model.provider()).field(&model.model_id()).finish()
            }
        }
    }
}

impl ModelChoice {
    /// The model string that was asked for.
    pub(super) fn model(&self) -> Option<&str> {
        match self {
            ModelChoice::Named(model) => Some(model),
            ModelChoice::Mock { .. } | ModelChoice::Made { .. } => None,
        }
    }

    /// The `config` of a file with this model. The file's own stays as it is: others may have imported it.
    pub(super) fn config<'js>(&self, ctx: &Ctx<'js>, own: Option<Object<'js>>) -> Result<Object<'js>> {
        let config = Object::new(ctx.clone())?;
        if let Some(own) = own {
            let assign: Function = ctx.globals().get::<_, Object>("Object")?.get("assign")?;
            assign.call::<_, ()>((config.clone(), own))?;
        }
        config.set("model", self.value(ctx)?)?;
        Ok(config)
    }

    /// What `config.model` is to be.
    fn value<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match self {
            ModelChoice::Named(name) => name.as_str().into_js(ctx),
            ModelChoice::Mock { .. } => "mock".into_js(ctx),
            ModelChoice::Made { model, is_of_script: true } => model_of_its_own(ctx, model.clone()),
            ModelChoice::Made { model, is_of_script: false } => model_object(ctx, model.clone()),
        }
    }

    /// Makes the model that `'mock'` stands for; says whether the choice brings one.
    pub(super) fn set_mock(&self, ctx: &Ctx<'_>) -> Result<bool> {
        let ModelChoice::Mock { items, place } = self else { return Ok(false) };
        let mock = MockModel::new(items.clone(), MockOptions::default());
        let (host, place) = (host(ctx)?, place.clone());
        services::set_mock(ctx, mock.on_exhausted(move |count| host.warn(&used_up(&place, count))))?;
        Ok(true)
    }
}
