//! Rows as they are read.

use serde_json::{Map, Value};

#[derive(Debug, PartialEq)]
pub(crate) enum Record {
    Cells(Vec<String>),
    Object(Map<String, Value>),
}

#[derive(Debug)]
pub(crate) enum Fault {
    /// Message about an invalid row; later rows can still be read.
    Row(String),
    /// Message about a read error, after which no row can be read.
    End(String),
}

pub(crate) type Records = Box<dyn Iterator<Item = Result<Record, Fault>>>;
