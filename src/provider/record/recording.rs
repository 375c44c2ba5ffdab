//! The recording of one run, which grows while it goes on. Must not know what is recorded of an answer.

use std::{cell::RefCell, io, path::Path, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    exchange::RecordedExchange,
    file::{Kept, RecordingFile},
    recorder::ask_and_keep,
    text,
};
use crate::{
    chat::ModelRequest,
    provider::{Answerer, LanguageModel, PartStream, ProviderError, redact::Redactor},
};

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
        let file = RecordingFile::create(path, text::beginning(&[]))?;
        Ok(Rc::new(Recording { file: RefCell::new(file), redactor }))
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

    fn append(&self, exchange: &RecordedExchange) -> io::Result<()> {
        self.file.borrow_mut().append(&text::exchange(exchange)?)
    }
}

/// A model whose exchanges go to a recording.
struct Recorder {
    recording: Rc<Recording>,
    model: Rc<dyn LanguageModel>,
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
        let keep = |exchange| self.recording.append(&exchange);
        ask_and_keep(self.model.as_ref(), request, self.recording.redactor.clone(), keep).boxed_local()
    }
}
