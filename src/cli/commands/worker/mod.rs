//! `lmthing worker FILES` (docs/reference/worker.md), in builds with the feature.

mod options;
mod serve;

pub(in crate::cli) use serve::run;
