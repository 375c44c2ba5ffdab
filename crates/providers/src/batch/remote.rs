//! The server of a client, and the address of its endpoints.

use std::time::Duration;

use reqwest::Url;

use super::{BatchTarget, refusal::no_batches, service::BatchService};
use crate::{
    ProviderContext, ProviderError, ProviderErrorKind, ProviderSettings, create::make_known, own_fields::set_parameter,
    transport::HttpModel,
};

pub(super) struct Remote {
    pub(super) model: HttpModel,
    pub(super) service: &'static BatchService,
    pub(super) target: BatchTarget,
    /// The URL of the single request, from which those of files and batches are made.
    pub(super) endpoint: Url,
    pub(super) poll: Poll,
}

/// How long to wait until something is asked about again: always the same, or growing.
#[derive(Clone, Copy)]
pub(super) struct Poll {
    wait: Duration,
    is_growing: bool,
}

impl Poll {
    const DEFAULT: Poll = Poll { wait: Duration::from_secs(5), is_growing: true };

    pub(super) fn every(wait: Duration) -> Self {
        Poll { wait, is_growing: false }
    }

    pub(super) fn next(&mut self) -> Duration {
        let wait = self.wait;
        if self.is_growing {
            self.wait = (wait * 2).min(Duration::from_secs(60));
        }
        wait
    }
}

impl Remote {
    pub(super) fn new(
        target: &BatchTarget,
        settings: &ProviderSettings,
        context: &ProviderContext,
    ) -> Result<Self, ProviderError> {
        let model_id = target.model_id.as_deref().unwrap_or_default();
        let model = make_known(&target.provider, settings, model_id, context)?;
        let service = BatchService::of(&model).ok_or_else(|| no_batches(&target.provider, model_id))?;
        let wrong = |message: String| {
            ProviderError::new(ProviderErrorKind::Configuration, &*target.provider, model_id, message)
        };
        let address = model.address.to_string();
        if address != target.address {
            let message =
                format!("The batch was submitted to {}, and the settings lead to {address} now.", target.address);
            return Err(wrong(message).with_hint("Set the base URL to what it was."));
        }
        let endpoint = model.address.join(&target.path);
        let mut endpoint = endpoint.map_err(|fault| wrong(format!("The base URL {}", fault.what)))?;
        settings.secret_query.iter().for_each(|(name, value)| set_parameter(&mut endpoint, name, Some(value)));
        Ok(Remote { model, service, target: target.clone(), endpoint, poll: Poll::DEFAULT })
    }

    /// The URL of an endpoint next to that of a single request, from segments that may hold slashes only as `files/x`.
    pub(super) fn url(&self, segments: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.endpoint.clone();
        let path = self.target.path.split('?').next().unwrap_or_default();
        // The version stays, whether it is of the base URL or of the endpoint.
        let path = path.strip_prefix("/v1").unwrap_or(path);
        let base = url.path().strip_suffix(path).unwrap_or(url.path()).to_owned();
        url.set_path(&base);
        if let Ok(mut all) = url.path_segments_mut() {
            all.pop_if_empty().extend(segments.iter().flat_map(|segment| segment.split('/')));
        }
        let kept: Vec<(String, String)> = url.query_pairs().into_owned().filter(|(name, _)| name != "alt").collect();
        url.set_query(None);
        if !kept.is_empty() || !query.is_empty() {
            url.query_pairs_mut().extend_pairs(kept).extend_pairs(query);
        }
        url
    }

    /// Words of the provider, as one line without secrets.
    pub(super) fn shown(&self, words: &str) -> String {
        self.model.wrong_answer(words).message
    }
}
