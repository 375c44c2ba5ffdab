//! Runs one prompt file over many rows of data (docs/reference/map.md), each row in an engine of its own. The pool also
//! runs the cells of an eval, which have several prompt files and models.

mod batches;
mod checked_rows;
mod convert;
mod failure_summary;
mod hashes;
mod options;
mod plan;
mod progress;
mod results;
mod row_files;
mod row_set;
mod rows;
mod validate;
mod work;
mod written;

pub use batches::{CancelledBatches, cancel_batches};
pub use checked_rows::is_sampled;
pub use hashes::{hash_files, hash_of, stable_hash};
pub use options::{
    AnswerSource, BatchOptions, Format, MapListener, MapOptions, MaxErrors, PoolOptions, RemoteService, Unit,
    UnitAnswers,
};
pub use plan::run_map;
pub use progress::{BatchNews, BatchNewsPhase, EarlyEnd, Progress, RowEnd, Totals};
pub use results::{Provenance, RowError, RowOutcome, Table, UnitSink, followed, free_name, lock_state, with_suffix};
pub use row_files::RowFiles;
pub use rows::{Fault, Record, Records, Rows, Source, Values};
pub use work::{BatchPlace, FileFacts, RowBatches, Target, Targets, Units, check_file, run_units};
pub use written::check_written;
