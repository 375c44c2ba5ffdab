//! The journal: events and logs of every run in one SQLite file, to inspect and resume runs (docs/journal.md).

mod buffer;
mod earlier_run;
mod error;
mod file;
mod fork;
mod heartbeat;
mod last_entry;
mod location;
mod numbers;
mod owner;
mod read;
mod recorder;
#[cfg(feature = "worker")]
mod remote_copy;
mod runs;
mod stored;
mod write;

pub(crate) use earlier_run::EarlierRun;
pub(crate) use error::JournalError;
pub(crate) use file::Journal;
pub(crate) use last_entry::LastEntry;
pub(crate) use location::{JOURNAL_VARIABLE, journal_path};
pub(crate) use recorder::Recorder;
#[cfg(feature = "worker")]
pub(crate) use remote_copy::usage_of_entries;
pub(crate) use runs::{RunInfo, RunStatus};
#[cfg(feature = "worker")]
pub(crate) use stored::EntryMirror;
pub(crate) use stored::{INVOCATION, RunStart, SecretFilter};
