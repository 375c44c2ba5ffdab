//! Runs rows on threads or on a server and collects their results.

mod attempts;
mod batched_rows;
mod blocked_rows;
mod counter;
mod host;
mod message;
mod open_batches;
mod pool;
mod remote_rows;
mod row;
mod row_threads;
mod running_row;
mod target;
mod units;
mod validation_engine;

pub(super) use host::RowHost;
pub(super) use message::forward_output;
pub use open_batches::{BatchPlace, RowBatches};
pub(super) use pool::{RemainingRows, Work, run};
pub(super) use remote_rows::RemoteRows;
pub use target::{Target, Targets};
pub use units::{FileFacts, Units, check_file, run_units};
pub(super) use validation_engine::{CheckedFile, with_engine};
