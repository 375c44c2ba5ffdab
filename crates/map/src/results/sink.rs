//! What the results of a pool go to: the writer of a map, or the answers of an eval.

use serde_json::{Map, Value};

use super::line::RowOutcome;
use lmthing_base::diagnostic::Diagnostic;

/// Keeps the results of units.
pub trait UnitSink {
    /// Called for each unit that is to be run, in the order of their numbers.
    fn begin(&mut self, number: u64);

    /// `print` writes a line to standard output.
    fn keep(
        &mut self,
        number: u64,
        input: &Map<String, Value>,
        outcome: RowOutcome,
        print: &mut dyn FnMut(&str),
    ) -> Result<(), Box<Diagnostic>>;

    /// Called when no further unit runs.
    fn finish(&mut self, print: &mut dyn FnMut(&str)) -> Result<(), Box<Diagnostic>>;

    /// Writes what was kept to the disk.
    fn sync(&self) -> Result<(), Box<Diagnostic>>;
}
