//! Runs rows on threads or on a server and collects their results.

mod counter;
mod host;
mod load;
mod message;
mod pool;
mod remote_rows;
mod row;
mod row_threads;
mod running_row;

pub(super) use host::RowHost;
pub(super) use load::in_engine;
pub(super) use message::Message;
pub(super) use pool::{RemainingRows, run};
