//! The journal: events and logs of every run in one SQLite file, to inspect and resume runs
//! (docs/reference/journal.md).

mod buffer;
mod contents;
mod earlier_run;
mod error;
mod file;
mod fork;
mod last_entry;
mod location;
mod lock;
mod numbers;
mod owner;
mod read;
mod recorder;
mod remote_copy;
mod runs;
mod states;
mod stored;
mod write;
mod writer;

pub use earlier_run::EarlierRun;
pub use error::JournalError;
pub use file::Journal;
pub use last_entry::LastEntry;
pub use location::{JOURNAL_VARIABLE, journal_path};
pub use recorder::{Recorder, TakenBack};
pub use remote_copy::usage_of_entries;
pub use runs::{RunInfo, RunStatus};
pub use stored::EntryMirror;
pub use stored::{CHAT, INVOCATION, RunStart, SAY, SecretFilter};
