//! What an eval file exports.

use std::path::PathBuf;

pub use lmthing_engine::bindings::eval::{EvalRows, Variant};

/// The exports of an eval file, checked.
#[derive(Clone, Debug)]
pub struct EvalFile {
    /// The eval file, absolute.
    pub path: PathBuf,
    /// As the user typed it.
    pub shown_path: String,
    pub rows: EvalRows,
    /// In the order of the file; one named `default` if the file exports none. Not empty.
    pub variants: Vec<Variant>,
    /// Names of the scores, in the order of the file. Not empty.
    pub scores: Vec<String>,
}
