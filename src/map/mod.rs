//! Runs one prompt file over many rows of data (docs/map.md), each row in an engine of its own.

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
