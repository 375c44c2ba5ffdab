//! The remote acts that submit batches and collect their answers.

use std::{ops::ControlFlow, path::Path, time::Duration};

use reqwest::Url;

use super::{
    BatchLimits, BatchOutcome, BatchRequest, BatchService, BatchStatus, BatchTarget, NewBatch, RemoteId, anthropic,
    google, mistral, no_batches, openai, service::Interface,
};
use crate::{
    ProviderContext, ProviderError, ProviderErrorKind, ProviderSettings, create::make_known, transport::HttpModel,
};

/// A client of one service. Each method is one remote act. Refusals for the moment (429, 5xx, a full queue) are waited
/// out; a lost answer to an upload or a creation is looked up before the act is repeated.
pub struct BatchClient {
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

    pub(super) fn next(&mut self) -> Duration {
        let wait = self.wait;
        if self.is_growing {
            self.wait = (wait * 2).min(Duration::from_secs(60));
        }
        wait
    }
}

impl BatchClient {
    /// The key and the address are those of ordinary requests with these settings. It is an error if they lead to
    /// another address than that of the target.
    pub fn new(
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
            return Err(wrong(message).with_hint("Set the base URL to what it was, or start afresh with --fresh."));
        }
        let endpoint = model.address.join(&target.path);
        let endpoint = endpoint.map_err(|fault| wrong(format!("The base URL {}", fault.what)))?;
        Ok(BatchClient { model, service, target: target.clone(), endpoint, poll: Poll::DEFAULT })
    }

    /// Sets how often an act asks about what it has to wait for. Unset, from 5 s growing to 60 s.
    #[must_use]
    pub fn polling(self, every: Duration) -> Self {
        BatchClient { poll: Poll { wait: every, is_growing: false }, ..self }
    }

    pub fn limits(&self) -> BatchLimits {
        self.service.limits
    }

    /// Whether lines of this size are uploaded as a file before the batch is created.
    pub fn uploads(&self, bytes: u64) -> bool {
        match self.service.interface {
            Interface::OpenAi | Interface::Mistral => true,
            Interface::Anthropic => false,
            Interface::Google => bytes > google::MAX_INLINE,
        }
    }

    /// A line of the file, without the line break.
    pub fn line(&self, custom_id: &str, request: &BatchRequest) -> String {
        match self.service.interface {
            Interface::OpenAi => openai::line(&self.target.endpoint(), custom_id, request),
            Interface::Mistral => mistral::line(custom_id, request),
            Interface::Anthropic => anthropic::line(custom_id, request),
            Interface::Google => google::line(custom_id, request),
        }
    }

    pub async fn upload(&self, new: &NewBatch, lines: &Path) -> Result<RemoteId, ProviderError> {
        match self.service.interface {
            Interface::OpenAi | Interface::Mistral => self.upload_form(new, lines).await,
            Interface::Google => google::upload(self, new, lines).await,
            Interface::Anthropic => Err(self.has_no_files()),
        }
    }

    /// The file of an upload whose answer was lost.
    pub async fn find_upload(&self, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
        match self.service.interface {
            Interface::OpenAi => openai::find_upload(self, new).await,
            Interface::Mistral => mistral::find_upload(self, new).await,
            Interface::Google => google::find_upload(self, new).await,
            Interface::Anthropic => Ok(None),
        }
    }

    /// Creates the batch, of the uploaded file or of the lines.
    pub async fn create(
        &self,
        new: &NewBatch,
        file: Option<&RemoteId>,
        lines: &Path,
    ) -> Result<RemoteId, ProviderError> {
        match (self.service.interface, file) {
            (Interface::OpenAi, Some(file)) => openai::create(self, new, file).await,
            (Interface::Mistral, Some(file)) => mistral::create(self, new, file).await,
            (Interface::Anthropic, _) => anthropic::create(self, new, lines).await,
            (Interface::Google, file) => google::create(self, new, file, lines).await,
            (Interface::OpenAi | Interface::Mistral, None) => Err(self.model.wrong_answer("The batch has no file.")),
        }
    }

    /// The batch of a creation whose answer was lost.
    pub async fn find_batch(&self, new: &NewBatch, file: Option<&RemoteId>) -> Result<Option<RemoteId>, ProviderError> {
        match (self.service.interface, file) {
            (Interface::OpenAi, Some(file)) => openai::find_batch(self, new, file).await,
            (Interface::Mistral, Some(file)) => mistral::find_batch(self, new, file).await,
            (Interface::Anthropic, _) => anthropic::find_batch(self, new).await,
            (Interface::Google, _) => google::find_batch(self, new).await,
            (Interface::OpenAi | Interface::Mistral, None) => Ok(None),
        }
    }

    pub async fn status(&self, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
        match self.service.interface {
            Interface::OpenAi => openai::status(self, id).await,
            Interface::Mistral => mistral::status(self, id).await,
            Interface::Anthropic => anthropic::status(self, id).await,
            Interface::Google => google::status(self, id).await,
        }
    }

    /// Reads the results one by one, in the provider's order, until `on` breaks.
    pub async fn results(
        &self,
        status: &BatchStatus,
        on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>,
    ) -> Result<(), ProviderError> {
        for place in &status.results {
            let flow = match self.service.interface {
                Interface::OpenAi | Interface::Mistral => openai::results(self, place, on).await?,
                Interface::Anthropic => anthropic::results(self, place, on).await?,
                Interface::Google => google::results(self, place, on).await?,
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Asks for the end of a batch. One that has ended already is no error.
    pub async fn cancel(&self, id: &RemoteId) -> Result<(), ProviderError> {
        let cancelled = match self.service.interface {
            Interface::OpenAi => openai::cancel(self, id).await,
            Interface::Mistral => mistral::cancel(self, id).await,
            Interface::Anthropic => anthropic::cancel(self, id).await,
            Interface::Google => google::cancel(self, id).await,
        };
        let Err(error) = cancelled else { return Ok(()) };
        let is_refusal = matches!(error.status, Some(400 | 404 | 409 | 422));
        match is_refusal && (error.status == Some(404) || self.status(id).await?.has_ended()) {
            true => Ok(()),
            false => Err(error),
        }
    }

    /// Deletes a file. One that does not exist any more is no error.
    pub async fn delete(&self, file: &RemoteId) -> Result<(), ProviderError> {
        let deleted = match self.service.interface {
            Interface::OpenAi | Interface::Mistral => self.delete_at(&["files", file]).await,
            Interface::Google => self.delete_at(&[file]).await,
            Interface::Anthropic => Ok(()),
        };
        match deleted {
            Err(error) if matches!(error.status, Some(404 | 410)) => Ok(()),
            // Google does not distinguish files that do not exist from those of others.
            Err(error) if error.status == Some(403) && self.service.interface == Interface::Google => Ok(()),
            deleted => deleted,
        }
    }

    fn has_no_files(&self) -> ProviderError {
        self.model.wrong_answer("The batches of this provider have no files.")
    }
}
