//! The remote acts that submit batches and collect their answers.

use std::{ops::ControlFlow, path::Path};

use super::{BatchLimits, BatchOutcome, BatchRequest, BatchStatus, BatchTarget, NewBatch, RemoteId, no_batches};
use crate::{ProviderContext, ProviderError, ProviderSettings, create::make, transport::HttpModel};

/// A client of one service. Each method is one remote act. Refusals for the moment (429, 5xx, a full queue) are waited
/// out; a lost answer to an upload or a creation is looked up before the act is repeated.
pub struct BatchClient {
    model: HttpModel,
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
        Ok(BatchClient { model: make(&target.provider, settings, model_id, context)? })
    }

    pub fn limits(&self) -> BatchLimits {
        BatchLimits { requests: 50_000, bytes: 200_000_000 }
    }

    /// Whether the lines are uploaded as a file before the batch is created, which may depend on their size.
    pub fn uploads(&self, _bytes: u64) -> bool {
        true
    }

    /// A line of the file, without the line break.
    pub fn line(&self, custom_id: &str, request: &BatchRequest) -> String {
        format!("{custom_id}{}", request.body)
    }

    pub async fn upload(&self, _new: &NewBatch, _lines: &Path) -> Result<RemoteId, ProviderError> {
        Err(self.missing())
    }

    /// The file of an upload whose answer was lost.
    pub async fn find_upload(&self, _new: &NewBatch) -> Result<Option<RemoteId>, ProviderError> {
        Err(self.missing())
    }

    /// Creates the batch, of the uploaded file or of the lines.
    pub async fn create(
        &self,
        _new: &NewBatch,
        _file: Option<&RemoteId>,
        _lines: &Path,
    ) -> Result<RemoteId, ProviderError> {
        Err(self.missing())
    }

    /// The batch of a creation whose answer was lost.
    pub async fn find_batch(
        &self,
        _new: &NewBatch,
        _file: Option<&RemoteId>,
    ) -> Result<Option<RemoteId>, ProviderError> {
        Err(self.missing())
    }

    pub async fn status(&self, _id: &RemoteId) -> Result<BatchStatus, ProviderError> {
        Err(self.missing())
    }

    /// Reads the results one by one, in the provider's order, until `on` breaks.
    pub async fn results(
        &self,
        _status: &BatchStatus,
        _on: &mut dyn FnMut(&str, BatchOutcome) -> ControlFlow<()>,
    ) -> Result<(), ProviderError> {
        Err(self.missing())
    }

    /// Asks for the end of a batch. One that has ended already is no error.
    pub async fn cancel(&self, _id: &RemoteId) -> Result<(), ProviderError> {
        Err(self.missing())
    }

    /// Deletes a file. One that does not exist any more is no error.
    pub async fn delete(&self, _file: &RemoteId) -> Result<(), ProviderError> {
        Err(self.missing())
    }

    fn missing(&self) -> ProviderError {
        no_batches(&self.model.provider, &self.model.model_id)
    }
}
