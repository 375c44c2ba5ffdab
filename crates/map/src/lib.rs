//! Runs one prompt file over many rows of data (docs/reference/map.md), each row in an engine of its own.

mod batches;
mod checked_rows;
mod convert;
mod failure_summary;
mod hashes;
mod options;
mod plan;
mod progress;
mod results;
mod row_set;
mod rows;
mod validate;
mod work;

pub use batches::cancel_batches;
pub use options::{BatchOptions, Format, MapListener, MapOptions, MaxErrors, RemoteService};
pub use plan::run_map;
pub use progress::{BatchNews, BatchNewsPhase, EarlyEnd, Progress, RowEnd, Totals};
pub use results::RowError;
pub use rows::Source;
