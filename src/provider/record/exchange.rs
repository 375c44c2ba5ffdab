//! An exchange with a model as recordings have it: plain data that may go from thread to thread. Must not know files.

use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::steady::steady;
use crate::{
    chat::{ModelRequest, StreamPart},
    provider::{LanguageModel, PartStream, ProviderError, ProviderErrorKind, redact::Redactor, redact::redact_parts},
};

/// What a model was asked and what it answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedExchange {
    pub(in crate::provider) provider: String,
    pub(in crate::provider) model: String,
    pub(in crate::provider) request: Value,
    parts: Vec<StreamPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<RecordedError>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RecordedError {
    kind: String,
    message: String,
    #[serde(default)]
    provider: String,
    #[serde(default)]
    model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl RecordedExchange {
    /// An exchange without the secrets that `redactor` knows.
    pub(super) fn new(
        model: &dyn LanguageModel,
        request: Value,
        mut parts: Vec<StreamPart>,
        error: Option<&ProviderError>,
        redactor: &Redactor,
    ) -> serde_json::Result<Self> {
        redact_parts(&mut parts, redactor);
        let (provider, model) = (model.provider().to_owned(), model.model_id().to_owned());
        let exchange = RecordedExchange { provider, model, request, parts, error: error.map(RecordedError::of) };
        let mut exchange = serde_json::to_value(exchange)?;
        // The whole of it, so that nothing is forgotten.
        redactor.apply_json(&mut exchange);
        let mut exchange: RecordedExchange = serde_json::from_value(exchange)?;
        exchange.make_steady();
        Ok(exchange)
    }

    /// Takes from it what is another in every call.
    pub(super) fn make_steady(&mut self) {
        self.parts = steady(std::mem::take(&mut self.parts));
    }

    /// The model that answered, as `provider:model`.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.provider, self.model)
    }

    /// Whether the answer was read to its end and no failure.
    pub(crate) fn is_whole(&self) -> bool {
        self.error.is_none() && self.parts.iter().any(|part| matches!(part, StreamPart::Finish { .. }))
    }

    /// What went wrong, where that says nothing of the request: a missing key, a server that is busy or out of reach. Asked
    /// again, it may be answered.
    pub(crate) fn passing_failure(&self) -> Option<&str> {
        let error = self.error.as_ref()?;
        let is_lasting = matches!(
            ProviderErrorKind::from_name(&error.kind),
            ProviderErrorKind::ContentFilter | ProviderErrorKind::BadRequest | ProviderErrorKind::ContextLength
        );
        (!is_lasting).then_some(&error.message)
    }

    /// Whether both are answers to the same request to the same model.
    pub(crate) fn asks_the_same(&self, other: &RecordedExchange) -> bool {
        self.provider == other.provider && self.model == other.model && self.request == other.request
    }

    /// The answer once more.
    ///
    /// # Errors
    /// The recorded failure, when it came before the first part.
    pub(crate) fn play(&self) -> Result<PartStream<'static>, ProviderError> {
        let error = self.error.as_ref().map(RecordedError::error);
        match error {
            // A call that failed before its first part fails the same way.
            Some(error) if self.parts.is_empty() => Err(error),
            error => {
                let parts = self.parts.iter().cloned().map(Ok);
                Ok(stream::iter(parts.chain(error.map(Err)).collect::<Vec<_>>()).boxed_local())
            }
        }
    }
}

impl RecordedError {
    fn of(error: &ProviderError) -> Self {
        RecordedError {
            kind: error.kind.as_str().to_owned(),
            message: error.message.clone(),
            provider: error.provider.clone(),
            model: error.model.clone(),
            status: error.status,
            hint: error.hint.clone(),
        }
    }

    fn error(&self) -> ProviderError {
        let kind = ProviderErrorKind::from_name(&self.kind);
        let mut error = ProviderError::new(kind, &*self.provider, &*self.model, &*self.message);
        error.status = self.status;
        error.hint.clone_from(&self.hint);
        error
    }
}

/// A request on its way to a model, as recorded ones are compared with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(in crate::provider) provider: String,
    pub(in crate::provider) model: String,
    pub(in crate::provider) request: Value,
}

impl Asked {
    /// A request to this model.
    pub(crate) fn new(provider: &str, model: &str, request: &ModelRequest) -> Self {
        let request = super::request::request_to_json(request);
        Asked { provider: provider.to_owned(), model: model.to_owned(), request }
    }

    /// The model that is asked, as `provider:model`.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.provider, self.model)
    }
}
