//! Rows at work: which is run when, on which thread, and what becomes of its result. Must not know where rows come from, nor how
//! results are written.
//!
//! - `message` – what goes to threads and comes from them
//! - `host`, `row` – a run of the file for one row
//! - `elsewhere` – a row that a worker at a server runs
//! - `drivers` – the threads that rows are on
//! - `running` – a row from its first attempt to its end
//! - `load` – an engine in which the file is looked at
//! - `tally` – what rows came to, and whether that is too much
//! - `pool` – all rows

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
