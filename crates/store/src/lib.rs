//! TODO

pub mod journal;
pub mod trace;
