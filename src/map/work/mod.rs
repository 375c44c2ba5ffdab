//! Runs rows on threads or on a server and collects their results.

mod drivers;
mod elsewhere;
mod host;
mod load;
mod message;
mod pool;
mod row;
mod running;
mod tally;

pub(super) use host::RowHost;
pub(super) use load::in_engine;
pub(super) use message::Message;
pub(super) use pool::{Rest, run};
