//! The trait that storage of logs implements.

use std::{future::ready, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::{Map, Value};

use super::{
    entry::{CallError, Entry, PlayedTurn},
    held_calls::HeldCall,
    restored::Restored,
};

/// An entry could not be stored: the run must not continue as if it had been.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// One sentence that names the file.
    pub message: String,
    pub hint: Option<String>,
}

impl From<StoreError> for CallError {
    fn from(error: StoreError) -> Self {
        CallError(error.to_string())
    }
}

/// Resolves once entries are stored. On an error the run must not continue.
pub type StoredFuture<'a> = LocalBoxFuture<'a, Result<(), StoreError>>;

/// Stores the logs of a run, and provides what an earlier process stored. `key` identifies a prompt's run within the whole run
/// ([`crate::event::Agent::key`]); the file's own prompt has the empty key.
pub trait Checkpoints {
    /// Whether logs are stored; if not, callers need not build entries.
    fn is_on(&self) -> bool;

    /// Appends an entry after all earlier ones. Once the future resolves, they outlast the process; what must not happen twice waits
    /// for that. The entry is written even if the future is dropped, and a failure is returned by the following ones as well.
    fn append(&self, key: &str, entry: Entry) -> StoredFuture<'static>;

    /// A future that resolves once finished steps are stored where other machines find them; the next step starts after that.
    /// `None` if there is nothing to wait for.
    fn stored(&self) -> Option<StoredFuture<'static>> {
        None
    }

    /// What an earlier process did of this prompt's run.
    fn restored(&self, key: &str) -> Option<Rc<Restored>>;

    /// Passes on `config.journal` of the file before the first request; `None` if it is not set.
    ///
    /// # Errors
    /// The file asks for logs, and they cannot be stored.
    fn configure(&self, asked: Option<bool>) -> StoredFuture<'_>;

    /// Stores the file's input as it was read, before validation, for another process to resume with.
    fn store_input(&self, _input: Map<String, Value>) {}

    /// Whether a text contains a secret and would not be stored as it is. A state with a secret counts as one that cannot be stored:
    /// [`Checkpoints::append`] replaces it (`it holds a secret`) without a warning.
    fn holds_secret(&self, _text: &str) -> bool {
        false
    }

    /// The calls of the current step that wait or waited for approval, according to earlier processes and the starter of this one.
    fn held(&self) -> Vec<HeldCall> {
        Vec::new()
    }

    /// The highest serial number of a call that has waited in the run; 0 if none has.
    fn last_serial(&self) -> usize {
        0
    }

    /// Whether a state that cannot be stored is worth a warning when it is found.
    fn warns_of_lost_states(&self) -> bool {
        true
    }

    /// Why no other process can resume the run, as the end of a sentence.
    fn why_not_resumable(&self) -> Option<String> {
        None
    }

    /// Notes that a turn of a mock was played, whether or not its answer is stored, for the case that this process loads
    /// the run again.
    fn note_played(&self, _turn: PlayedTurn) {}

    /// The turns of a mock that were answered for good, by its number ([`super::PlayedTurn`]).
    fn played(&self, mock: usize) -> Vec<usize>;
}

pub struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn is_on(&self) -> bool {
        false
    }

    fn append(&self, _key: &str, _entry: Entry) -> StoredFuture<'static> {
        ready(Ok(())).boxed_local()
    }

    fn restored(&self, _key: &str) -> Option<Rc<Restored>> {
        None
    }

    fn configure(&self, _asked: Option<bool>) -> StoredFuture<'_> {
        ready(Ok(())).boxed_local()
    }

    fn played(&self, _mock: usize) -> Vec<usize> {
        Vec::new()
    }
}
