//! Results of rows: the lines, the file that holds them, and a CSV table of them.

mod earlier_results;
mod line;
mod sink;
mod store;
mod table;
mod writer;

pub(super) use line::{RemoteAttempt, result_of_line};
pub use line::{RowError, RowOutcome};
pub use sink::UnitSink;
pub use store::{Provenance, followed, free_name, lock_state, with_suffix};
pub(super) use store::{Store, results_of};
pub use table::Table;
pub(super) use writer::Writer;
