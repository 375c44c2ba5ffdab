//! Messages between the pool and the threads that run rows.

use serde_json::{Map, Value};

use crate::results::{RemoteAttempt, RowOutcome};
use lmthing_engine::session::WatchedRun;
use lmthing_system::remote::RemoteError;

#[derive(Clone, Debug)]
pub(super) struct Job {
    pub row: u64,
    pub input: Map<String, Value>,
    pub attempt: u32,
    /// Identifies its run on the Restate server, once known.
    pub remote_attempt: Option<RemoteAttempt>,
    pub watched: WatchedRun,
}

pub(crate) enum Message {
    Printed { row: Option<u64>, text: String },
    Warned { row: Option<u64>, message: String },
    Ended { row: u64, attempt: u32, outcome: Box<RowOutcome> },
    Lost { row: u64, error: RemoteError },
}
