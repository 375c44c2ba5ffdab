//! Readers of a run's events.

pub(super) mod json;
pub(super) mod numbers;
pub(super) mod summary_line;
pub(super) mod terminal;
pub(super) mod verbose;
