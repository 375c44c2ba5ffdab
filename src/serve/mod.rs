//! Serves prompt files to other programs: finds, names and describes them, watches for changes, and runs calls.
//!
//! Descriptions and calls run in processes of their own, so that a crash, an endless loop or `process.chdir` in one
//! file does not affect another.

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
