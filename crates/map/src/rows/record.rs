//! Rows as they are read.

use serde_json::{Map, Value};

#[derive(Debug, PartialEq)]
pub struct Record {
    /// Where it begins in its file, from 1; `None` if the row is a file.
    pub line: Option<u64>,
    pub values: Values,
}

#[derive(Debug, PartialEq)]
pub enum Values {
    Cells(Vec<String>),
    Object(Map<String, Value>),
}

#[derive(Debug)]
pub enum Fault {
    /// Message about an invalid row; later rows can still be read.
    Row(String),
    /// Message about a read error, after which no row can be read.
    End(String),
}

pub type Records = Box<dyn Iterator<Item = Result<Record, Fault>>>;
