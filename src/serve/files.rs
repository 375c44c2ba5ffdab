//! What whoever serves prompt files may know of them. Must not know processes, nor a protocol.

use std::{path::PathBuf, sync::Arc};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot, watch};

/// A prompt file that can be called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServedFile {
    /// What it is called by: the file's name without its ending, made of letters, digits, `_`, `-` and `.`; no two are alike.
    pub(crate) name: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// Its `description`.
    pub(crate) description: Option<String>,
    /// Its `input` as a JSON Schema of type object; one without properties, when it has none.
    pub(crate) input: Map<String, Value>,
    /// Its `output` as a JSON Schema of type object.
    pub(crate) output: Option<Map<String, Value>>,
}

/// The files that are served, as they are now.
pub(crate) trait PromptFiles: Send + Sync {
    /// All that can be called, by name.
    fn list(&self) -> Arc<[ServedFile]>;

    /// Changes whenever [`PromptFiles::list`] would give another list.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Begins a call; none, when there is no such file. What is wrong with the input is an [`Outcome::Failed`].
    fn call(&self, name: &str, input: Map<String, Value>) -> Option<Call>;
}

/// A call under way. Dropping it cancels it: the run is told to end, and what it has started ends with it.
pub(crate) struct Call {
    /// What happens, for whoever waits. Ends with the call.
    pub(crate) progress: mpsc::UnboundedReceiver<Progress>,
    /// What it came to.
    pub(crate) outcome: oneshot::Receiver<Outcome>,
}

/// Something has happened in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Grows with everything that is told.
    pub(crate) count: u64,
    /// `step 2`, `calls search`: a few words.
    pub(crate) message: String,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// What the model said, of a file without `output`.
    Text(String),
    /// What the file's `output` describes.
    Output(Value),
    /// It failed; in words for the caller, without secrets.
    Failed(String),
}
