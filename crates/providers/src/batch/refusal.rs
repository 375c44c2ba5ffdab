//! The error for models without batches.

use crate::{ProviderError, ProviderErrorKind};

/// The providers with batches.
pub(super) const PROVIDERS: [&str; 6] = ["openai", "azure", "anthropic", "google", "mistral", "groq"];

pub(crate) fn no_batches(provider: &str, model_id: &str) -> ProviderError {
    let colon = if model_id.is_empty() { "" } else { ":" };
    let message = format!("{provider}{colon}{model_id} has no batches");
    ProviderError::new(ProviderErrorKind::Configuration, provider, model_id, message)
        .with_hint(format!("These providers have batches: {}.", PROVIDERS.join(", ")))
}
