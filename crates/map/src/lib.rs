//! Runs one prompt file over many rows of data (docs/reference/map.md), each row in an engine of its own.

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

pub use options::{Format, MapListener, MapOptions, MaxErrors, RemoteService};
pub use plan::run_map;
pub use progress::{EarlyEnd, Progress, RowEnd, Totals};
pub use rows::Source;
