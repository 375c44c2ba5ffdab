//! Data with which another process resumes a run: log entries, the state restored from a log, and the storage trait.

mod entry;
mod held_calls;
mod memory;
mod progress;
mod prompt_log;
mod restored;
mod steps;
mod store;
mod waiting_call;

pub use entry::{ActiveNames, AnswerEntry, CallEnd, CallError, Entry, PlayedTurn, UserSettings, interrupted};
pub use held_calls::{HeldCall, call_label, held_calls, is_current_at, undecided};
pub use memory::{Memory, MemoryChange, StateText};
pub use progress::{LostState, Progress, StoredAnswer};
pub use prompt_log::PromptLog;
pub use restored::{CallPart, Restored, StoredStep, UnfinishedStep, is_log_before, restore};
pub use steps::{exchange_of, history_of, result_of, sent_messages, steps_of};
pub use store::{Checkpoints, NoCheckpoints, StoreError, StoredFuture};
pub use waiting_call::{CallPartName, Verdict, WaitingCall, args_value, call_digest};
