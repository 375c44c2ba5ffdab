//! The state next to OUT, `OUT.lmthing`: answers, stored before they are scored, and verdicts of judges. A process that
//! ends at any moment loses nothing that was paid.

mod database;
mod shared;

pub(crate) use database::{KnownCell, NewCell, Source, State, StateResult};
pub(crate) use shared::SharedState;
