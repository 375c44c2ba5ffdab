//! Results of rows: the lines, the file that holds them, and a CSV table of them.

mod earlier_results;
mod line;
mod store;
mod table;
mod writer;

pub use line::RowError;
pub(super) use line::{RemoteAttempt, RowOutcome, result_of_line, to_line};
pub(super) use store::{Provenance, Store, lock_state, results_of, with_suffix};
pub(super) use writer::Writer;
