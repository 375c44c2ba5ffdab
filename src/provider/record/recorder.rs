//! Listening to a model while it answers. Must not know what becomes of an exchange.

use std::io;

use futures_util::StreamExt;
use serde_json::Value;

use super::{exchange::RecordedExchange, request::request_to_json};
use crate::{
    chat::{ModelRequest, StreamPart},
    provider::{LanguageModel, PartStream, ProviderError, ProviderErrorKind, redact::Redactor},
};

/// Asks `model`, and gives `keep` the exchange as soon as the answer has ended or its reader has left; without the secrets that
/// `redactor` knows then.
///
/// # Errors
/// When the model fails, or the exchange cannot be kept.
pub(crate) async fn ask_and_keep<'a>(
    model: &'a dyn LanguageModel,
    request: ModelRequest,
    redactor: Redactor,
    keep: impl FnOnce(RecordedExchange) -> io::Result<()> + 'a,
) -> Result<PartStream<'a>, ProviderError> {
    // Before the model sees it: the model may take the request apart.
    let asked = (request_to_json(&request), Box::new(keep) as Keep<'a>);
    let mut exchange = Exchange { model, redactor, asked: Some(asked), parts: Vec::new() };
    match model.stream(request).await {
        Ok(parts) => Ok(parts.map(move |part| exchange.take(part)).boxed_local()),
        Err(error) => {
            exchange.write(Some(&error))?;
            Err(error)
        }
    }
}

type Keep<'a> = Box<dyn FnOnce(RecordedExchange) -> io::Result<()> + 'a>;

/// An exchange that is going on.
struct Exchange<'a> {
    model: &'a dyn LanguageModel,
    redactor: Redactor,
    asked: Option<(Value, Keep<'a>)>,
    parts: Vec<StreamPart>,
}

impl Exchange<'_> {
    fn take(&mut self, part: Result<StreamPart, ProviderError>) -> Result<StreamPart, ProviderError> {
        match part {
            Ok(part) => {
                self.parts.push(part.clone());
                // Not at the end of the stream: who has read `Finish` may never poll again.
                if matches!(part, StreamPart::Finish { .. }) {
                    self.write(None)?;
                }
                Ok(part)
            }
            Err(error) => {
                self.write(Some(&error))?;
                Err(error)
            }
        }
    }

    /// Writes the exchange once; a recording with a hole in it would fail later and elsewhere, so a fault ends the call.
    fn write(&mut self, error: Option<&ProviderError>) -> Result<(), ProviderError> {
        let Some((request, keep)) = self.asked.take() else { return Ok(()) };
        let parts = std::mem::take(&mut self.parts);
        let exchange = RecordedExchange::new(self.model, request, parts, error, &self.redactor);
        exchange.map_err(io::Error::from).and_then(keep).map_err(|error| {
            let message = format!("The exchange could not be recorded: {error}");
            let (provider, model) = (self.model.provider(), self.model.model_id());
            ProviderError::new(ProviderErrorKind::Configuration, provider, model, message)
        })
    }
}

impl Drop for Exchange<'_> {
    /// An answer whose reader left early (a method's code ends it) is recorded as far as it was read.
    fn drop(&mut self) {
        if !self.parts.is_empty() {
            // Nobody is left to tell; the replay will miss the exchange and say so.
            let _ = self.write(None);
        }
    }
}
