//! A model that whoever runs a file has chosen in place of the file's own (`run -m`, `run --mock`). Must not know where it was
//! read from.

use rquickjs::{Ctx, Function, Object, Result};

use crate::{
    provider::{MockItem, MockModel, MockOptions},
    script::{
        bindings::{models::mock::used_up, services},
        host::host,
    },
};

/// The model to take in place of `config.model`.
#[derive(Clone, Debug)]
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
}

impl ModelChoice {
    /// The model string that was asked for.
    pub(super) fn model(&self) -> Option<&str> {
        match self {
            ModelChoice::Named(model) => Some(model),
            ModelChoice::Mock { .. } => None,
        }
    }

    /// The `config` of a file with this model. The file's own stays as it is: others may have imported it.
    pub(super) fn config<'js>(&self, ctx: &Ctx<'js>, own: Option<Object<'js>>) -> Result<Object<'js>> {
        let config = Object::new(ctx.clone())?;
        if let Some(own) = own {
            let assign: Function = ctx.globals().get::<_, Object>("Object")?.get("assign")?;
            assign.call::<_, ()>((config.clone(), own))?;
        }
        config.set("model", self.name())?;
        Ok(config)
    }

    fn name(&self) -> &str {
        match self {
            ModelChoice::Named(name) => name,
            ModelChoice::Mock { .. } => "mock",
        }
    }

    /// Makes the model that `'mock'` stands for; says whether the choice brings one.
    pub(super) fn set_mock(&self, ctx: &Ctx<'_>) -> Result<bool> {
        let ModelChoice::Mock { items, place } = self else { return Ok(false) };
        let mock = MockModel::new(items.clone(), MockOptions::default());
        let (host, place) = (host(ctx)?, place.clone());
        services::set_mock(ctx, mock.when_used_up(move |count| host.warn(&used_up(&place, count))))?;
        Ok(true)
    }
}
