//! The services with batches.

use super::{BatchLimits, BatchTarget};
use crate::transport::HttpModel;

/// The interface of a service for files and batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    /// Files and batches of OpenAI.
    OpenAi,
    /// The same files, and jobs.
    Mistral,
    /// Batches with their requests inside.
    Anthropic,
    /// Small batches with their requests inside, and files.
    Google,
}

pub(crate) struct BatchService {
    provider: &'static str,
    pub(super) interface: Interface,
    pub(super) limits: BatchLimits,
    /// Whether all requests of a batch must have the same model.
    has_one_model: bool,
}

const MB: u64 = 1_000_000;

const fn service(
    provider: &'static str,
    interface: Interface,
    (requests, bytes): (usize, u64),
    has_one_model: bool,
) -> BatchService {
    BatchService { provider, interface, limits: BatchLimits { requests, bytes }, has_one_model }
}

static SERVICES: [BatchService; 6] = [
    service("openai", Interface::OpenAi, (50_000, 200 * MB), true),
    service("azure", Interface::OpenAi, (100_000, 200 * MB), true),
    service("anthropic", Interface::Anthropic, (100_000, 256 * MB), false),
    service("google", Interface::Google, (100_000, 2_000 * MB), true),
    service("mistral", Interface::Mistral, (1_000_000, 512 * MB), true),
    service("groq", Interface::OpenAi, (50_000, 100 * MB), false),
];

impl BatchService {
    pub(crate) fn of(model: &HttpModel) -> Option<&'static Self> {
        SERVICES.iter().find(|service| model.is_service && service.provider == model.provider)
    }

    /// What must answer a request with this path and these headers, which hold no secrets.
    pub(crate) fn target(&self, model: &HttpModel, path: &str, headers: Vec<(String, String)>) -> BatchTarget {
        BatchTarget {
            provider: self.provider.to_owned(),
            address: model.address.to_string(),
            path: path.to_owned(),
            model_id: self.has_one_model.then(|| model.model_id.clone()),
            headers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::refusal::PROVIDERS;

    #[test]
    fn the_list_of_a_refusal_is_complete() {
        assert_eq!(SERVICES.each_ref().map(|service| service.provider), PROVIDERS);
    }
}
