//! A recorded request and its response, as plain data.

use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{normalize::normalized, request::json_of_request};
use crate::{
    LanguageModel, PartStream, ProviderError, ProviderErrorKind, model_label,
    redact::{Redactor, redact_parts},
};
use lmthing_base::chat::{ModelRequest, Step, StreamPart, Usage};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedExchange {
    pub provider: String,
    pub model: String,
    pub request: Value,
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_unknown_model: bool,
}

impl RecordedExchange {
    pub(super) fn new(
        model: &dyn LanguageModel,
        request: Value,
        parts: Vec<StreamPart>,
        error: Option<&ProviderError>,
        redactor: &Redactor,
    ) -> serde_json::Result<Self> {
        let (provider, model) = (model.provider().to_owned(), model.model_id().to_owned());
        let exchange = RecordedExchange { provider, model, request, parts, error: error.map(RecordedError::of) };
        exchange.redacted(redactor)
    }

    /// The exchange of a finished step. `settings` are those of its request, by name, as a step from a journal has none.
    pub fn of_step(
        (provider, model): (&str, &str),
        step: &Step,
        settings: &Map<String, Value>,
        redactor: &Redactor,
    ) -> serde_json::Result<Self> {
        let mut parts = step.stream_parts();
        parts.insert(1, StreamPart::ResponseMetadata(step.response.clone()));
        let request = json_of_request(&step.prompt.to_vec(), step.tools.as_deref().unwrap_or_default(), settings);
        let (provider, model) = (provider.to_owned(), model.to_owned());
        RecordedExchange { provider, model, request, parts, error: None }.redacted(redactor)
    }

    fn redacted(mut self, redactor: &Redactor) -> serde_json::Result<Self> {
        redact_parts(&mut self.parts, redactor);
        let mut exchange = serde_json::to_value(self)?;
        redactor.apply_json(&mut exchange);
        let mut exchange: RecordedExchange = serde_json::from_value(exchange)?;
        exchange.normalize();
        Ok(exchange)
    }

    pub(super) fn normalize(&mut self) {
        self.parts = normalized(std::mem::take(&mut self.parts));
    }

    pub fn name(&self) -> String {
        model_label(&self.provider, &self.model)
    }

    /// The tokens of the answer, if it is whole.
    pub fn usage(&self) -> Option<Usage> {
        self.parts.iter().rev().find_map(|part| match part {
            StreamPart::Finish { usage, .. } => Some(*usage),
            _ => None,
        })
    }

    pub fn is_whole(&self) -> bool {
        self.error.is_none() && self.parts.iter().any(|part| matches!(part, StreamPart::Finish { .. }))
    }

    /// The error, if it does not depend on the request, such as a missing key or a busy server: a retry may succeed.
    pub fn temporary_failure(&self) -> Option<&str> {
        let error = self.error.as_ref()?;
        let is_lasting = matches!(
            ProviderErrorKind::from_name(&error.kind),
            ProviderErrorKind::ContentFilter
                | ProviderErrorKind::BadRequest
                | ProviderErrorKind::File
                | ProviderErrorKind::ContextLength
        );
        (!is_lasting).then_some(&error.message)
    }

    pub fn has_same_request(&self, other: &RecordedExchange) -> bool {
        self.provider == other.provider && self.model == other.model && self.request == other.request
    }

    /// Replays the response.
    ///
    /// # Errors
    /// The recorded error, if it occurred before the first part.
    pub fn replay(&self) -> Result<PartStream<'static>, ProviderError> {
        let error = self.error.as_ref().map(RecordedError::error);
        match error {
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
            is_unknown_model: error.is_unknown_model,
        }
    }

    fn error(&self) -> ProviderError {
        let kind = ProviderErrorKind::from_name(&self.kind);
        let mut error = ProviderError::new(kind, &*self.provider, &*self.model, &*self.message);
        error.status = self.status;
        error.hint.clone_from(&self.hint);
        error.is_unknown_model = self.is_unknown_model;
        error
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReplayRequest {
    pub provider: String,
    pub model: String,
    pub request: Value,
}

impl ReplayRequest {
    pub fn new(provider: &str, model: &str, request: &ModelRequest) -> Self {
        let request = super::request::request_to_json(request);
        ReplayRequest { provider: provider.to_owned(), model: model.to_owned(), request }
    }

    pub fn name(&self) -> String {
        model_label(&self.provider, &self.model)
    }
}
