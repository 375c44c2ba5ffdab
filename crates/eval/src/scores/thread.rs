//! The thread of an eval file.

use super::{ScoreMessage, ScoreOptions, ScoreRequest, StartError, Verdicts};
use crate::eval_file::EvalFile;
use lmthing_base::diagnostic::Diagnostic;

/// The handle of the thread, which ends when this is dropped.
pub struct ScoreThread {}

impl ScoreThread {
    /// Loads an eval file on a new thread and checks its exports. `is_interrupted` is called every few milliseconds
    /// while that takes.
    pub fn start(
        options: ScoreOptions,
        send: Box<dyn Fn(ScoreMessage) + Send>,
        is_interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(EvalFile, ScoreThread), StartError> {
        let _ = (options, send, is_interrupted);
        Err(StartError::File(Box::new(Diagnostic::new("eval files cannot be loaded yet"))))
    }

    /// Adds verdicts of earlier commands. To be called before the first request.
    pub fn set_verdicts(&self, _known: Verdicts) {}

    /// Scores an answer; several at once.
    pub fn score(&self, _request: ScoreRequest) {}
}
