//! Messages between the pool and the threads that run rows.

use serde_json::{Map, Value};

use crate::{
    map::results::{RemoteAttempt, RowOutcome},
    remote::RemoteError,
    session::WatchedRun,
};

#[derive(Clone, Debug)]
pub(in crate::map) struct Job {
    pub(in crate::map) row: u64,
    pub(in crate::map) input: Map<String, Value>,
    /// Attempt number, from 1.
    pub(in crate::map) attempt: u32,
    /// Identifies its run on the Restate server, once known.
    pub(in crate::map) remote_attempt: Option<RemoteAttempt>,
    pub(in crate::map) watched: WatchedRun,
}

pub(in crate::map) enum Message {
    Printed { row: Option<u64>, text: String },
    Warned { row: Option<u64>, message: String },
    Ended { row: u64, attempt: u32, outcome: Box<RowOutcome> },
    Lost { row: u64, error: RemoteError },
}
