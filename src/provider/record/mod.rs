//! Recording model exchanges, for `--record`: a model that keeps what it is asked and what it answers.
//!
//! A recording is JSON: `{"version": 1, "exchanges": [{provider, model, request: {messages, tools, settings}, parts: [stream
//! parts], error?}]}`, without the secrets of the run. Where it is kept is `file`'s business.

mod file;
mod request;

use std::{cell::RefCell, io, path::Path, rc::Rc};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture};
use serde_json::{Value, json};

pub(super) use request::request_to_json;

pub use file::Kept;

use super::{
    Answerer, LanguageModel, PartStream, ProviderError, ProviderErrorKind,
    redact::{Redactor, redact_parts},
};
use crate::chat::{ModelRequest, StreamPart};
use file::RecordingFile;

/// A file that takes the exchanges of a run.
pub struct Recording {
    file: RefCell<RecordingFile>,
    redactor: Redactor,
}

impl Recording {
    /// Begins a recording. It is written beside `path` until [`Recording::finish`]: what is there stays for now.
    ///
    /// # Errors
    /// When there can be no file of that name.
    pub fn create(path: &Path, redactor: Redactor) -> io::Result<Rc<Recording>> {
        Ok(Rc::new(Recording { file: RefCell::new(RecordingFile::create(path)?), redactor }))
    }

    /// A model that answers as `model` does while every exchange is recorded.
    pub fn wrap(self: &Rc<Self>, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
        Rc::new(Recorder { recording: self.clone(), model })
    }

    /// Puts the recording in its place, if the run has ended well; a failed one does not replace what is there.
    ///
    /// # Errors
    /// When the file cannot be put in its place.
    pub fn finish(&self, ended_well: bool) -> io::Result<Kept> {
        self.file.borrow().finish(ended_well)
    }

    fn append(&self, mut exchange: Value) -> io::Result<()> {
        // Where it is written, so that nothing can reach the file unredacted.
        self.redactor.apply_json(&mut exchange);
        self.file.borrow_mut().append(&exchange)
    }
}

struct Recorder {
    recording: Rc<Recording>,
    model: Rc<dyn LanguageModel>,
}

/// An exchange that is going on.
struct Exchange<'a> {
    recorder: &'a Recorder,
    request: Option<Value>,
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
        let Some(request) = self.request.take() else { return Ok(()) };
        let model = &self.recorder.model;
        let mut exchange = json!({ "provider": model.provider(), "model": model.model_id(), "request": request });
        let mut parts = std::mem::take(&mut self.parts);
        redact_parts(&mut parts, &self.recorder.recording.redactor);
        exchange["parts"] = serde_json::to_value(parts).unwrap_or_default();
        if let Some(error) = error {
            exchange["error"] = error_to_json(error);
        }
        self.recorder.recording.append(exchange).map_err(|error| {
            let message = format!("The exchange could not be recorded: {error}");
            ProviderError::new(ProviderErrorKind::Configuration, model.provider(), model.model_id(), message)
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

impl LanguageModel for Recorder {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn reads_request(&self) -> bool {
        self.model.reads_request()
    }

    fn answerers(&self) -> Vec<Answerer> {
        self.model.answerers()
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async move {
            // Before the model sees it: the model may take the request apart.
            let request_json = request_to_json(&request);
            let mut exchange = Exchange { recorder: self, request: Some(request_json), parts: Vec::new() };
            match self.model.stream(request).await {
                Ok(parts) => Ok(parts.map(move |part| exchange.take(part)).boxed_local()),
                Err(error) => {
                    exchange.write(Some(&error))?;
                    Err(error)
                }
            }
        }
        .boxed_local()
    }
}

fn error_to_json(error: &ProviderError) -> Value {
    json!({
        "kind": error.kind.as_str(),
        "message": error.message,
        "provider": error.provider,
        "model": error.model,
        "status": error.status,
        "hint": error.hint,
    })
}
