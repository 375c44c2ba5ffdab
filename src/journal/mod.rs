//! The journal: every run's events and logs in one SQLite file, so that runs can be looked at and gone on with
//! (docs/journal.md).
//!
//! Owns: the file with its format, its rights and its refusals, who runs what, and writing a run down as it happens
//! ([`Recorder`]). Must not know: JavaScript, providers, what is shown of a run, what makes a text secret ([`Secrets`] is
//! handed in).

mod beat;
mod buffer;
mod earlier;
#[cfg(feature = "worker")]
mod elsewhere;
mod error;
mod file;
mod fork;
mod last_entry;
mod mirror;
mod numbers;
mod owner;
mod place;
mod read;
mod recorder;
mod runs;
mod stored;
mod write;

pub(crate) use earlier::Earlier;
#[cfg(feature = "worker")]
pub(crate) use elsewhere::sums_of;
pub(crate) use error::JournalError;
pub(crate) use file::Journal;
pub(crate) use last_entry::LastEntry;
#[cfg(feature = "worker")]
pub(crate) use mirror::Mirror;
pub(crate) use place::{JOURNAL_VARIABLE, place};
pub(crate) use recorder::Recorder;
pub(crate) use runs::{RunInfo, Status};
pub(crate) use stored::{INVOCATION, Secrets, Start};
