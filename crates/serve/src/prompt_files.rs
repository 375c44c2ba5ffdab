//! The interface between served prompt files and protocols.

use std::{path::PathBuf, sync::Arc};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot, watch};

#[derive(Clone, Debug, PartialEq)]
pub struct ServedFile {
    /// File name without extension. Unique; consists of letters, digits, `_`, `-` and `.`.
    pub name: String,
    pub path: PathBuf,
    pub description: Option<String>,
    /// JSON Schema of type object; without properties if the file takes no input.
    pub input: Map<String, Value>,
    /// JSON Schema of type object.
    pub output: Option<Map<String, Value>>,
}

pub trait PromptFiles: Send + Sync {
    /// The callable files, sorted by name.
    fn list(&self) -> Arc<[ServedFile]>;

    /// Changes whenever [`PromptFiles::list`] changes.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Starts a call. `None` if there is no such file; invalid input gives [`Outcome::Failed`].
    fn call(&self, name: &str, input: Map<String, Value>) -> Option<Call>;
}

/// A running call. Dropping it cancels the run and all that it has started.
pub struct Call {
    /// Closed when the call ends.
    pub progress: mpsc::UnboundedReceiver<Progress>,
    pub outcome: oneshot::Receiver<Outcome>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Increases with every message.
    pub count: u64,
    /// A short message such as `step 2` or `calls search`.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Text(String),
    Output(Value),
    /// Message for the caller, redacted.
    Failed(String),
}
