//! Results: a line for each row, the file they stand in, what stands there from earlier, a table of them. Must not know how rows
//! are run.
//!
//! - `line` – a result as a line of JSON, and what of it is read again
//! - `earlier` – results of earlier commands, found by their inputs
//! - `store` – the file of results, and the one beside it that says what they are results of
//! - `writer` – results in the order of rows, however they finish
//! - `table` – all results as CSV

mod earlier;
mod line;
mod store;
mod table;
mod writer;

pub(crate) use line::RowError;
pub(super) use line::{Outcome, Place, to_line};
pub(super) use store::{Store, Work, named};
pub(super) use writer::Writer;
