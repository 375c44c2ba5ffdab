//! One prompt file over many rows of data (docs/map.md): rows in, a run each in an engine of its own, results out.
//!
//! Owns: reading rows, which of them are to be run, running several at once on a few threads, limits of the whole, results and
//! their file, going on where an earlier command ended. Must not know: how a model is reached, what a terminal is.

mod bits;
mod check;
mod convert;
mod found;
mod identity;
mod options;
mod plan;
mod progress;
mod results;
mod rows;
mod summary;
mod work;

pub(crate) use options::{Elsewhere, Format, Listener, MapOptions, MaxErrors};
pub(crate) use plan::run_map;
pub(crate) use progress::{Early, Ended, Progress, Totals};
pub(crate) use rows::Source;
