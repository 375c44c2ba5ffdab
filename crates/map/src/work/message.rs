//! Messages between the pool and the threads that run rows.

use std::sync::mpsc::Receiver;

use serde_json::{Map, Value};

use crate::{
    batches::{BatchJob, NewEntry, Report, Suspension},
    options::MapListener,
    results::{RemoteAttempt, RowOutcome},
};
use lmthing_engine::session::WatchedRun;
use lmthing_system::remote::RemoteError;

#[derive(Clone, Debug)]
pub(super) struct Job {
    pub row: u64,
    pub input: Map<String, Value>,
    pub attempt: u32,
    /// Identifies its run on the Restate server, once known.
    pub remote_attempt: Option<RemoteAttempt>,
    /// Set if its requests go into batches.
    pub batch: Option<BatchJob>,
    pub watched: WatchedRun,
}

pub(crate) enum Message {
    Printed {
        row: Option<u64>,
        text: String,
    },
    Warned {
        row: Option<u64>,
        message: String,
    },
    Ended {
        row: u64,
        attempt: u32,
        outcome: Box<RowOutcome>,
    },
    Lost {
        row: u64,
        error: RemoteError,
    },
    /// All that is left of the row waits for batches.
    Suspended {
        row: u64,
        attempt: u32,
        suspension: Suspension,
    },
    /// An entry of a row's logs.
    Entry {
        row: u64,
        attempt: u32,
        entry: NewEntry,
    },
    /// From the thread that talks to the services of batches.
    Batch(Box<Report>),
}

/// Passes on what a file has printed while it was checked.
pub(crate) fn forward_output(receiver: &Receiver<Message>, listener: &mut dyn MapListener) {
    for message in receiver.try_iter() {
        match message {
            Message::Printed { row, text } => listener.printed(row, &text),
            Message::Warned { row, message } => listener.warned(row, &message),
            Message::Ended { .. }
            | Message::Lost { .. }
            | Message::Suspended { .. }
            | Message::Entry { .. }
            | Message::Batch(_) => {}
        }
    }
}
