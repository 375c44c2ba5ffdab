//! A row as it stands where it comes from, and why there is none.

use serde_json::{Map, Value};

/// A row as it stands there.
#[derive(Debug, PartialEq)]
pub(in crate::map) enum Record {
    /// The cells of a table.
    Cells(Vec<String>),
    /// An object.
    Object(Map<String, Value>),
}

/// Why there is no row.
#[derive(Debug)]
pub(in crate::map) enum Fault {
    /// This row is wrong.
    Row(String),
    /// Nothing more can be read.
    End(String),
}

/// The rows, one after the other.
pub(in crate::map) type Records = Box<dyn Iterator<Item = Result<Record, Fault>>>;
