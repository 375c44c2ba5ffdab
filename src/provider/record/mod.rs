//! Recording model exchanges, for `run --record` and `test --record`: models that tell what they are asked and what they answer,
//! and the text that this is kept as.
//!
//! A recording is JSON: `{"version": 1, "usedBy"?: [test files], "exchanges": [{provider, model, request: {messages, tools,
//! settings}, parts: [stream parts], error?}]}`, without the secrets of the run. Where it is kept is `file`'s business, how it
//! is written `layout`'s, what of an answer is written `steady`'s.

mod exchange;
mod file;
mod layout;
mod recorder;
mod request;
mod steady;
mod text;

use std::{cell::RefCell, io, path::Path, rc::Rc, sync::Arc};

pub(crate) use exchange::{Asked, RecordedExchange};
pub use file::Kept;
pub(crate) use recorder::ask_and_keep;
pub(crate) use text::RecordedFile;

use super::{LanguageModel, redact::Redactor};
use file::RecordingFile;
use recorder::Recorder;

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

/// Writes a whole recording in place of what is there.
///
/// # Errors
/// When the file cannot be written; what is there stays.
pub(crate) fn write_recording(path: &Path, used_by: &[String], exchanges: &[Arc<RecordedExchange>]) -> io::Result<()> {
    let mut file = RecordingFile::create(path, text::beginning(used_by))?;
    for exchange in exchanges {
        let mut exchange = RecordedExchange::clone(exchange);
        // One of an older recording may not be yet.
        exchange.make_steady();
        file.append(&text::exchange(&exchange)?)?;
    }
    file.finish(true).map(drop)
}

/// Tries whether a recording can be written, without changing one.
///
/// # Errors
/// When it cannot.
pub(crate) fn try_recording(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    RecordingFile::create(path, String::new())?.finish(false).map(drop)
}
