//! Prompt files as something that other programs call: which files there are, what each is called and takes, one call of one.
//!
//! Owns: finding the files, naming them, describing each in a process of its own, noticing changes, and calls: each is a run of
//! the file in a process of its own, so that nothing a prompt does (a crash, an endless loop, `process.chdir`) reaches another.
//!
//! Must not know: JavaScript, the step loop, how results are shown, nor, outside `protocol`, who calls.

mod address;
mod catalog;
mod child;
mod closing;
mod describing;
mod event;
mod files;
mod finding;
mod listing;
mod naming;
mod options;
pub(crate) mod protocol;
mod running;
#[cfg(feature = "worker")]
mod survey;
mod told;
mod upkeep;
mod watch_thread;

#[cfg(feature = "worker")]
pub(crate) use address::{
    are_here, cannot_bind, host_and_port, is_loopback, reachable_by_others, resolve as resolve_address,
};
pub(crate) use catalog::Catalog;
pub(crate) use files::{Call, Outcome, Progress, PromptFiles, ServedFile};
#[cfg(feature = "worker")]
pub(crate) use naming::service_name;
pub(crate) use naming::service_of;
pub(crate) use options::ServeOptions;
#[cfg(feature = "worker")]
pub(crate) use survey::{Offer, Survey, survey};
pub(crate) use told::Told;
