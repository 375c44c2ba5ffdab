//! Records a model's response while it streams.

use std::io;

use futures_util::StreamExt;
use serde_json::Value;

use super::{exchange::RecordedExchange, request::request_to_json};
use crate::{LanguageModel, PartStream, ProviderError, ProviderErrorKind, redact::Redactor};
use lmthing_base::chat::{ModelRequest, StreamPart};

/// Streams from `model`, and calls `store` with the redacted exchange when the response ends or the stream is
/// dropped.
///
/// # Errors
/// The model or `store` fails.
pub async fn stream_and_record<'a>(
    model: &'a dyn LanguageModel,
    request: ModelRequest,
    redactor: Redactor,
    store: impl FnOnce(RecordedExchange) -> io::Result<()> + 'a,
) -> Result<PartStream<'a>, ProviderError> {
    // Before `stream`, which consumes the request.
    let pending = (request_to_json(&request), Box::new(store) as Store<'a>);
    let mut exchange = ExchangeRecorder { model, redactor, pending: Some(pending), parts: Vec::new() };
    match model.stream(request).await {
        Ok(parts) => Ok(parts.map(move |part| exchange.take(part)).boxed_local()),
        Err(error) => {
            exchange.store_once(Some(&error))?;
            Err(error)
        }
    }
}

type Store<'a> = Box<dyn FnOnce(RecordedExchange) -> io::Result<()> + 'a>;

struct ExchangeRecorder<'a> {
    model: &'a dyn LanguageModel,
    redactor: Redactor,
    pending: Option<(Value, Store<'a>)>,
    parts: Vec<StreamPart>,
}

impl ExchangeRecorder<'_> {
    fn take(&mut self, part: Result<StreamPart, ProviderError>) -> Result<StreamPart, ProviderError> {
        match part {
            Ok(part) => {
                self.parts.push(part.clone());
                // Not at the end of the stream: a reader of `Finish` may never poll again.
                if matches!(part, StreamPart::Finish { .. }) {
                    self.store_once(None)?;
                }
                Ok(part)
            }
            Err(error) => {
                self.store_once(Some(&error))?;
                Err(error)
            }
        }
    }

    /// Stores the exchange once. An error ends the call, as replaying an incomplete recording would fail later.
    fn store_once(&mut self, error: Option<&ProviderError>) -> Result<(), ProviderError> {
        let Some((request, store)) = self.pending.take() else { return Ok(()) };
        let parts = std::mem::take(&mut self.parts);
        let exchange = RecordedExchange::new(self.model, request, parts, error, &self.redactor);
        exchange.map_err(io::Error::from).and_then(store).map_err(|error| {
            let message = format!("The exchange could not be recorded: {error}");
            let (provider, model) = (self.model.provider(), self.model.model_id());
            ProviderError::new(ProviderErrorKind::Configuration, provider, model, message)
        })
    }
}

impl Drop for ExchangeRecorder<'_> {
    fn drop(&mut self) {
        if !self.parts.is_empty() {
            // The error cannot be reported here; the replay will report the missing exchange.
            let _ = self.store_once(None);
        }
    }
}
