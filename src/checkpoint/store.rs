//! The door to whoever keeps logs. Must not know how.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value};

use super::{entry::Entry, held::Held, restored::Restored};

/// An entry could not be kept: the run must not go on as if it had been.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct StoreError {
    /// What happened, in one sentence that names the file.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Resolves once what was appended is kept elsewhere as well, or never will be: then the run must not go on.
pub(crate) type Stored = LocalBoxFuture<'static, Result<(), StoreError>>;

/// Keeps the logs of a run, and knows what was kept of it by an earlier process. `key` names a prompt's run within the whole
/// run ([`crate::event::Agent::key`]); the file's own prompt has the empty one.
pub(crate) trait Checkpoints {
    /// Whether logs are kept: nothing needs to be put together for nobody.
    fn is_on(&self) -> bool;

    /// Appends an entry. When this returns, the entry outlasts the process, with everything that was told before it.
    ///
    /// # Errors
    /// It could not be kept.
    fn append(&self, key: &str, entry: Entry) -> Result<(), StoreError>;

    /// Waits until steps that are over are kept where other machines find them as well: what comes next is not begun before.
    /// `None` when there is nothing to wait for.
    fn stored(&self) -> Option<Stored> {
        None
    }

    /// What an earlier process has done of this prompt's run.
    fn restored(&self, key: &str) -> Option<Rc<Restored>>;

    /// What `config.journal` of the file says, which is known before the first request. `None` when it says nothing.
    ///
    /// # Errors
    /// It asks for logs, and they cannot be kept.
    fn configure(&self, asked: Option<bool>) -> Result<(), StoreError>;

    /// The input of the file as it was read, before its schema has seen it: what another process goes on with.
    fn take_input(&self, _input: Map<String, Value>) {}

    /// Whether a text would not be kept as it is, because there is a secret in it. A state of which this is so counts as one
    /// that cannot be stored; [`Checkpoints::append`] makes it one (`it holds a secret`) and does not warn.
    fn holds_secret(&self, _text: &str) -> bool {
        false
    }

    /// The calls of the step under way that wait for somebody to decide on them, or have waited, by what earlier processes and
    /// whoever began this one say.
    fn held(&self) -> Vec<Held> {
        Vec::new()
    }

    /// The highest number of a call that has waited in the run, 0 without one.
    fn last_waited(&self) -> usize {
        0
    }

    /// Why no other process can go on with the run, as the end of a sentence.
    fn why_not_resumable(&self) -> Option<String> {
        None
    }

    /// The turns of a mock that were answered for good, by its number ([`super::Played`]).
    fn played(&self, mock: usize) -> Vec<usize>;
}

/// Keeps nothing.
pub(crate) struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn is_on(&self) -> bool {
        false
    }

    fn append(&self, _key: &str, _entry: Entry) -> Result<(), StoreError> {
        Ok(())
    }

    fn restored(&self, _key: &str) -> Option<Rc<Restored>> {
        None
    }

    fn configure(&self, _asked: Option<bool>) -> Result<(), StoreError> {
        Ok(())
    }

    fn played(&self, _mock: usize) -> Vec<usize> {
        Vec::new()
    }
}
