//! The remote acts that submit batches and collect their answers.

use std::{ops::ControlFlow, path::Path, time::Duration};

use super::{
    BatchLimits, BatchOutcome, BatchPhase, BatchRequest, BatchStatus, BatchTarget, FoundBatch, NewBatch, RemoteId,
    anthropic, google, mistral, openai,
    remote::{Poll, Remote},
    service::Interface,
};
use crate::{ProviderContext, ProviderError, ProviderSettings};

/// A client of one service. Each method is one remote act. Refusals for the moment (429, 5xx, a full queue) are waited
/// out; a lost answer to an upload or a creation is looked up before the act is repeated.
pub struct BatchClient {
    remote: Remote,
}

impl BatchClient {
    /// The key and the address are those of ordinary requests with these settings. It is an error if they lead to
    /// another address than that of the target.
    pub fn new(
        target: &BatchTarget,
        settings: &ProviderSettings,
        context: &ProviderContext,
    ) -> Result<Self, ProviderError> {
        Ok(BatchClient { remote: Remote::new(target, settings, context)? })
    }

    /// Sets how often an act asks about what it has to wait for. Unset, from 5 s growing to 60 s.
    #[must_use]
    pub fn polling(self, every: Duration) -> Self {
        BatchClient { remote: Remote { poll: Poll::every(every), ..self.remote } }
    }

    pub fn limits(&self) -> BatchLimits {
        self.remote.service.limits
    }

    /// Whether lines of this size are uploaded as a file before the batch is created.
    pub fn uploads(&self, bytes: u64) -> bool {
        match self.remote.service.interface {
            Interface::OpenAi | Interface::Mistral => true,
            Interface::Anthropic => false,
            Interface::Google => bytes > google::MAX_INLINE,
        }
    }

    /// A line of the file, without the line break.
    pub fn line(&self, custom_id: &str, request: &BatchRequest) -> String {
        match self.remote.service.interface {
            Interface::OpenAi => openai::line(&self.remote.target.endpoint(), custom_id, request),
            Interface::Mistral => mistral::line(custom_id, request),
            Interface::Anthropic => anthropic::line(custom_id, request),
            Interface::Google => google::line(custom_id, request),
        }
    }

    pub async fn upload(&self, new: &NewBatch, lines: &Path) -> Result<RemoteId, ProviderError> {
        match self.remote.service.interface {
            Interface::OpenAi | Interface::Mistral => {
                self.remote.upload_form(new, lines, || self.find_upload(new)).await
            }
            Interface::Google => google::upload(&self.remote, new, lines).await,
            Interface::Anthropic => Err(self.has_no_files()),
        }
    }

    /// The file of an upload whose answer was lost.
    pub async fn find_upload(&self, new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
        match self.remote.service.interface {
            Interface::OpenAi => openai::find_upload(&self.remote, new).await,
            Interface::Mistral => mistral::find_upload(&self.remote, new).await,
            Interface::Google => google::find_upload(&self.remote, new).await,
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
        match (self.remote.service.interface, file) {
            (Interface::OpenAi, Some(file)) => openai::create(&self.remote, new, file).await,
            (Interface::Mistral, Some(file)) => mistral::create(&self.remote, new, file).await,
            (Interface::Anthropic, _) => anthropic::create(&self.remote, new, lines).await,
            (Interface::Google, file) => google::create(&self.remote, new, file, lines).await,
            (Interface::OpenAi | Interface::Mistral, None) => {
                Err(self.remote.model.wrong_answer("The batch has no file."))
            }
        }
    }

    /// The batch of a creation whose answer was lost. It looks once.
    pub async fn find_batch(&self, new: &NewBatch, file: Option<&RemoteId>) -> Result<FoundBatch, ProviderError> {
        let found = match (self.remote.service.interface, file) {
            (Interface::Anthropic, _) => return anthropic::find_batch(&self.remote, new).await,
            (Interface::OpenAi, Some(file)) => openai::find_batch(&self.remote, new, file).await,
            (Interface::Mistral, Some(file)) => mistral::find_batch(&self.remote, file).await,
            (Interface::Google, _) => google::find_batch(&self.remote, new).await,
            (Interface::OpenAi | Interface::Mistral, None) => Ok(None),
        };
        found.map(FoundBatch::from)
    }

    pub async fn status(&self, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
        let mut status = match self.remote.service.interface {
            Interface::OpenAi => openai::status(&self.remote, id).await,
            Interface::Mistral => mistral::status(&self.remote, id).await,
            Interface::Anthropic => anthropic::status(&self.remote, id).await,
            Interface::Google => google::status(&self.remote, id).await,
        }?;
        if let BatchPhase::Failed { reason, .. } = &mut status.phase {
            *reason = self.remote.shown(if reason.is_empty() { "the provider gives no reason" } else { reason });
        }
        Ok(status)
    }

    /// Reads the results one by one, in the provider's order, until `on` breaks.
    pub async fn results(
        &self,
        status: &BatchStatus,
        on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>,
    ) -> Result<(), ProviderError> {
        let mut on = |id: &str, outcome| {
            let outcome = match outcome {
                BatchOutcome::Expired(words) => BatchOutcome::Expired(self.remote.shown(&words)),
                BatchOutcome::Cancelled(words) => BatchOutcome::Cancelled(self.remote.shown(&words)),
                answered @ BatchOutcome::Answered(_) => answered,
            };
            on(id, outcome)
        };
        for place in &status.results {
            let flow = match self.remote.service.interface {
                Interface::Anthropic => return anthropic::results(&self.remote, &status.results, &mut on).await,
                Interface::OpenAi | Interface::Mistral => openai::results(&self.remote, place, &mut on).await?,
                Interface::Google => google::results(&self.remote, place, &mut on).await?,
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Asks for the end of a batch, and returns what it is then. One that has ended, or was asked to end, is no error.
    pub async fn cancel(&self, id: &RemoteId) -> Result<BatchStatus, ProviderError> {
        let cancelled = match self.remote.service.interface {
            Interface::OpenAi => openai::cancel(&self.remote, id).await,
            Interface::Mistral => mistral::cancel(&self.remote, id).await,
            Interface::Anthropic => anthropic::cancel(&self.remote, id).await,
            Interface::Google => google::cancel(&self.remote, id).await,
        };
        match cancelled {
            Ok(()) => Ok(self.status(id).await.unwrap_or_default()),
            Err(error) if matches!(error.status, Some(404 | 410)) => {
                Ok(BatchStatus { phase: BatchPhase::Gone, ..BatchStatus::default() })
            }
            Err(error) if matches!(error.status, Some(400 | 409 | 422)) => match self.status(id).await {
                Ok(status) if status.is_cancelling || status.has_ended() => Ok(status),
                _ => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Deletes a file. One that does not exist any more is no error.
    pub async fn delete(&self, file: &RemoteId) -> Result<(), ProviderError> {
        let deleted = match self.remote.service.interface {
            Interface::OpenAi | Interface::Mistral => self.remote.delete_at(&["files", file]).await,
            Interface::Google => self.remote.delete_at(&[file]).await,
            Interface::Anthropic => Ok(()),
        };
        match deleted {
            Err(error) if matches!(error.status, Some(404 | 410)) => Ok(()),
            // Google does not distinguish files that do not exist from those of others.
            Err(error) if error.status == Some(403) && self.remote.service.interface == Interface::Google => Ok(()),
            deleted => deleted,
        }
    }

    fn has_no_files(&self) -> ProviderError {
        self.remote.model.wrong_answer("The batches of this provider have no files.")
    }
}
