//! Reports of evals, for people and for programs (docs/reference/eval.md#report).

mod baseline;
mod csv;
mod evaluated;
mod findings;
mod gates;
mod markdown;
mod page;
mod pretty;
mod reports;
mod style;
mod summary;
#[cfg(test)]
mod tests;
mod text_table;
mod types;

pub use baseline::Baseline;
pub use evaluated::Evaluated;
pub use gates::{FailUnder, FailUnderError, Gates};
pub use reports::Reports;
pub use style::Look;
pub use types::{Against, Difference, Durations, EvalReport, Group, ScoreKind, ScoreSummary, Verdict};
