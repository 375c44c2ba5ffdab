//! What threads that run rows tell.

use serde_json::{Map, Value};

use crate::{
    map::results::{Outcome, Place},
    remote::RemoteError,
    session::WatchedRun,
};

/// A row to be run.
#[derive(Clone, Debug)]
pub(in crate::map) struct Job {
    pub(in crate::map) row: u64,
    pub(in crate::map) input: Map<String, Value>,
    /// Which attempt it is, from 1.
    pub(in crate::map) attempt: u32,
    /// Which of its runs at a server it is, when that is known.
    pub(in crate::map) place: Option<Place>,
    /// What the pool watches of it.
    pub(in crate::map) watched: WatchedRun,
}

/// Something has happened.
pub(in crate::map) enum Message {
    /// A row has printed whole lines.
    Printed { row: Option<u64>, text: String },
    /// A person should know this.
    Warned { row: Option<u64>, message: String },
    /// A row is over.
    Ended { row: u64, attempt: u32, outcome: Box<Outcome> },
    /// The server that has rows run cannot be asked, or refuses.
    Lost { row: u64, error: RemoteError },
}
