//! `lmthing worker FILES` (docs/scale.md), in builds with the feature.

mod options;
mod serve;

pub(in crate::cli) use serve::run;
