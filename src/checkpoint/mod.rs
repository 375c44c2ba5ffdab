//! What a run needs to go on in another process: plain entries, appended as things are done, and what a log of them comes to.
//!
//! Owns: the entries with their stored form, the memory of a prompt (states, dependencies of effects), putting a log
//! together again, and the trait that whoever keeps logs implements. Must not know: where logs are kept, JavaScript,
//! providers, the step loop.

mod entry;
mod held;
mod log;
mod memory;
mod progress;
mod restored;
mod steps;
mod store;
mod waiting;

pub(crate) use entry::{ActiveNames, Answered, CallEnd, Entry, Played, interrupted};
pub(crate) use held::{Held, held_in, is_of_step, label, undecided};
pub(crate) use log::Log;
pub(crate) use memory::{Memory, MemoryChange, StateText};
pub(crate) use progress::{LostState, Progress, Said};
pub(crate) use restored::{HalfStep, Part, Restored, is_before, restore};
pub(crate) use steps::{history_of, result_of, sent, steps_of};
pub(crate) use store::{Checkpoints, NoCheckpoints, StoreError, Stored};
pub(crate) use waiting::{PartName, Verdict, WaitingCall, asked_for, shown_args};
