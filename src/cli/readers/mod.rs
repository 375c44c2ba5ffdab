//! Who reads the events of a run on the command line: a file each. Must not know how a run works, nor what began it.

pub(super) mod closing;
pub(super) mod figures;
pub(super) mod lines;
pub(super) mod object;
pub(super) mod terminal;
pub(super) mod verbose;
