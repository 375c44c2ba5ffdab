//! Results of rows: the lines, the file that holds them, and a CSV table of them.

mod earlier;
mod line;
mod store;
mod table;
mod writer;

pub(crate) use line::RowError;
pub(super) use line::{Outcome, Place, to_line};
pub(super) use store::{Store, Work, named};
pub(super) use writer::Writer;
