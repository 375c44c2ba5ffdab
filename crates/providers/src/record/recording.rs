//! The recording of one run.

use std::{cell::RefCell, io, path::Path, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    exchange::RecordedExchange,
    file::{RecordingFile, RecordingOutcome},
    recorder::stream_and_record,
    text,
};
use crate::{LanguageModel, ModelIdentity, PartStream, ProviderError, redact::Redactor};
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest, ToolSpec},
};

pub struct Recording {
    file: RefCell<RecordingFile>,
    redactor: Redactor,
}

impl Recording {
    /// Begins a recording. An existing file stays unchanged until [`Recording::finish`].
    pub fn create(path: &Path, redactor: Redactor) -> io::Result<Rc<Recording>> {
        let file = RecordingFile::create(path, text::beginning(&[]))?;
        Ok(Rc::new(Recording { file: RefCell::new(file), redactor }))
    }

    pub fn wrap(self: &Rc<Self>, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
        Rc::new(RecordedModel { recording: self.clone(), model })
    }

    /// Moves the recording to its final path if the run succeeded; a failed one does not replace an existing file.
    pub fn finish(&self, succeeded: bool) -> io::Result<RecordingOutcome> {
        self.file.borrow().finish(succeeded)
    }

    fn append(&self, exchange: &RecordedExchange) -> io::Result<()> {
        self.file.borrow_mut().append(&text::exchange(exchange)?)
    }
}

struct RecordedModel {
    recording: Rc<Recording>,
    model: Rc<dyn LanguageModel>,
}

impl LanguageModel for RecordedModel {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn reads_request(&self) -> bool {
        self.model.reads_request()
    }

    fn model_identities(&self) -> Vec<ModelIdentity> {
        self.model.model_identities()
    }

    fn searching_models(&self, tools: &[ToolSpec]) -> Vec<ModelIdentity> {
        self.model.searching_models(tools)
    }

    fn refusal(&self, tools: &[ToolSpec]) -> Option<String> {
        self.model.refusal(tools)
    }

    fn batch_refusal(&self) -> Option<ProviderError> {
        self.model.batch_refusal()
    }

    fn server(&self) -> Option<String> {
        self.model.server()
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        self.model.cache_rules(settings)
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        let store = |exchange| self.recording.append(&exchange);
        stream_and_record(self.model.as_ref(), request, self.recording.redactor.clone(), store).boxed_local()
    }
}
