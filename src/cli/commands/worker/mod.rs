//! `lmthing worker FILES` (docs/reference/worker.md).

mod options;
mod serve;

pub(in crate::cli) use serve::run;
