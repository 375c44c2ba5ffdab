//! Which providers there are, and everything about each that is not its wire format.
//!
//! Owns: one row for each built-in provider (`built_in`), read by model strings, by the functions scripts make models with
//! and by `lmthing models`; custom providers from the environment (`custom`). Must not know: JSON of any provider.

mod built_in;
mod connect;
mod custom;
mod row;
#[cfg(test)]
mod tests;

pub(super) use built_in::built_in;
pub(crate) use built_in::{BUILT_IN, COMPATIBLE};
pub(super) use custom::{Custom, custom_providers};
pub(crate) use row::Provider;
pub(super) use row::{Connection, Setup};

use super::{Env, ProviderError, ProviderErrorKind};

/// The row of this name: a built-in provider's, or that of OpenAI-compatible servers.
pub(super) fn find(name: &str) -> Option<&'static Provider> {
    built_in(name).or_else(|| (name == COMPATIBLE.name).then_some(&COMPATIBLE))
}

/// `Unknown provider: "p". Available providers: openai, anthropic, …`
pub(super) fn unknown_provider(name: &str, env: &dyn Env) -> ProviderError {
    let mut names: Vec<String> = BUILT_IN.iter().map(|provider| provider.name.to_owned()).collect();
    names.extend(custom_providers(env).into_iter().map(|custom| custom.name));
    let message = format!("Unknown provider: \"{name}\". Available providers: {}", names.join(", "));
    ProviderError::new(ProviderErrorKind::Configuration, name, "", message).with_hint(
        "A custom OpenAI-compatible provider is set up by NAME_API_KEY, NAME_API_BASE and NAME_API_TYPE=openai.",
    )
}
