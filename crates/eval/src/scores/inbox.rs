//! What the thread of an eval file and its handle exchange.

use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

use tokio::sync::oneshot;

use super::StartError;
use crate::eval_file::EvalFile;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::bindings::eval::ScoreInputs;

/// When the turn began that runs now.
pub(super) type Turn = Arc<Mutex<Option<Instant>>>;

/// What the thread gets from its handle.
pub(super) struct Inbox {
    pub(super) inputs: ScoreInputs,
    pub(super) turn: Turn,
    pub(super) ended: oneshot::Receiver<()>,
}

/// The file, and why a judge could not be asked.
pub(super) type Started = Result<(EvalFile, Option<Box<Diagnostic>>), StartError>;

pub(super) fn failed(message: String) -> StartError {
    StartError::File(Box::new(Diagnostic::new(message)))
}
