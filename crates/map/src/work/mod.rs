//! Runs rows on threads or on a server and collects their results.

mod attempts;
mod batched_rows;
mod blocked_rows;
mod counter;
mod host;
mod message;
mod pool;
mod remote_rows;
mod row;
mod row_threads;
mod running_row;
mod validation_engine;

pub(super) use host::RowHost;
pub(super) use message::Message;
pub(super) use pool::{RemainingRows, RowBatches, run};
pub(super) use validation_engine::with_engine;
