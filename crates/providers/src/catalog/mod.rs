//! The catalogue of providers: everything but their wire formats.

mod built_in;
mod connect;
mod custom;
mod hosts;
mod ollama_host;
mod row;
mod services;
#[cfg(test)]
mod tests;
mod unknown;
mod usual_models;

pub(super) use built_in::built_in;
pub use built_in::{BUILT_IN, COMPATIBLE};
pub(super) use custom::{CustomProvider, custom_providers, shell_name};
use hosts::HOSTS;
pub use row::Provider;
pub(super) use row::{Connection, Setup};
pub(super) use services::Service;
pub(super) use unknown::{suggestion_for_alias, unknown_provider};
pub(super) use usual_models::usual_model;

use crate::settings::ProviderSettings;
use lmthing_base::{cache::CacheRules, chat::CallSettings};

/// All providers with a row. Variables may define a custom provider in place of a known host.
pub(super) fn providers() -> impl Iterator<Item = &'static Provider> {
    BUILT_IN.iter().chain(&HOSTS)
}

pub(super) fn named(name: &str) -> Option<&'static Provider> {
    providers().find(|provider| provider.name == name)
}

/// What the prompt cache of a model does, by the name of its provider. Packages of the AI SDK add the API to it, as in
/// `openai.chat`.
pub fn cache_rules(provider: &str, model_id: &str, settings: &CallSettings) -> CacheRules {
    let (name, api) = provider.split_once('.').unwrap_or((provider, ""));
    let name = if name == "amazon-bedrock" { "bedrock" } else { name };
    let api = named(name).and_then(|row| row.api(api).or_else(|| row.api("")));
    let of_host = ProviderSettings { name: Some(name.to_owned()), ..ProviderSettings::default() };
    api.map_or(CacheRules::NONE, |api| (api.wire)(&of_host).cache_rules(model_id, settings))
}

/// The row of a provider, or that of all compatible servers by its own name.
pub(super) fn find(name: &str) -> Option<&'static Provider> {
    named(name).or_else(|| (name == COMPATIBLE.name).then_some(&COMPATIBLE))
}
