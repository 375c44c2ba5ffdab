//! Readers of a run's events.

pub(super) mod closing;
pub(super) mod figures;
pub(super) mod lines;
pub(super) mod object;
pub(super) mod terminal;
pub(super) mod verbose;
