//! Serves prompt files to other programs: finds, names and describes them, watches for changes, and runs calls.
//!
//! Descriptions and calls run in processes of their own, so that a crash, an endless loop or `process.chdir` in one
//! file does not affect another.

mod address;
mod call;
mod catalog;
mod child;
mod described_files;
mod description;
mod event;
mod find;
mod line_channel;
mod listing;
mod listing_updater;
mod names;
mod options;
mod prompt_files;
pub mod protocol;
mod watch_thread;

pub use address::{are_here, cannot_bind, host_and_port, is_loopback, reachable_by_others, resolve as resolve_address};
pub use catalog::Catalog;
pub use described_files::{DescribedFile, DescribedFiles, describe_files};
pub use line_channel::LineSender;
pub use names::service_name;
pub use names::service_of;
pub use options::ServeOptions;
pub use prompt_files::{Call, Outcome, Progress, PromptFiles, ServedFile};
