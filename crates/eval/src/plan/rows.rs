//! Reads the rows of an eval file.

use std::{collections::BTreeSet, path::Path};

use serde_json::{Map, Value};

use crate::eval_file::{EvalFile, EvalRows};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_map::{Fault, RowFiles, Rows, Source, Values};
use lmthing_system::files::io_error_text;

/// What rows of an array are called, in place of their file.
const ROWS: &str = "rows";

/// All rows as they are given.
pub(crate) struct RawRows {
    /// What messages call them.
    pub(crate) name: String,
    /// The columns of a table.
    pub(crate) header: Option<Vec<String>>,
    pub(crate) rows: Vec<RawRow>,
    /// Where paths in rows count from: the folder of the rows, or of the eval file that has them.
    pub(crate) files: RowFiles,
}

pub(crate) struct RawRow {
    /// Where it begins in its file, from 1.
    pub(crate) line: Option<u64>,
    pub(crate) values: Values,
}

impl RawRows {
    pub(crate) fn read(file: &EvalFile) -> Result<RawRows, Box<Diagnostic>> {
        let rows = match &file.rows {
            EvalRows::File(path) => of_file(path)?,
            EvalRows::Objects(objects) => {
                let row = |object: &_| RawRow { line: None, values: Values::Object(Clone::clone(object)) };
                RawRows {
                    name: ROWS.to_owned(),
                    header: None,
                    rows: objects.iter().map(row).collect(),
                    files: RowFiles::within(file.path.parent().unwrap_or(Path::new(""))),
                }
            }
        };
        if rows.rows.is_empty() {
            let file = &file.shown_path;
            let message = match rows.name.as_str() {
                ROWS => format!("{file} has no rows"),
                name => format!("{file}: {name} has no rows"),
            };
            return Err(Box::new(Diagnostic::new(message).with_hint("an eval needs at least one row")));
        }
        Ok(rows)
    }

    /// The names of the columns of rows that are objects.
    pub(crate) fn property_names(&self) -> BTreeSet<&str> {
        let objects = self.rows.iter().filter_map(|row| match &row.values {
            Values::Object(object) => Some(object),
            Values::Cells(_) => None,
        });
        objects.flat_map(|object| object.keys().map(String::as_str)).collect()
    }

    /// The index of the row that has these columns, the `nth` of equal ones.
    pub(crate) fn position(&self, columns: &Map<String, Value>, nth: usize) -> Option<usize> {
        let has = |row: &RawRow, name: &str, value: &Value| match &row.values {
            Values::Object(object) => object.get(name) == Some(value),
            Values::Cells(cells) => {
                let column = self.header.iter().flatten().position(|known| known == name);
                let cell = column.and_then(|column| cells.get(column));
                cell.is_some_and(|cell| value.as_str().map_or_else(|| value.to_string(), str::to_owned) == *cell)
            }
        };
        let rows = self.rows.iter().enumerate();
        let mut equal = rows.filter(|(_, row)| columns.iter().all(|(name, value)| has(row, name, value)));
        Some(equal.nth(nth)?.0)
    }

    /// What messages call a row, by its index.
    pub(crate) fn name_of(&self, index: usize) -> String {
        let line = self.rows.get(index).and_then(|row| row.line);
        let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
        match self.header.is_none() && line.is_empty() {
            true => format!("row {}", index + 1),
            false => format!("row {} of {}{line}", index + 1, self.name),
        }
    }
}

fn of_file(path: &Path) -> Result<RawRows, Box<Diagnostic>> {
    let folder = std::env::current_dir().unwrap_or_default();
    let shown = path.strip_prefix(&folder).unwrap_or(path);
    let name = shown.display().to_string();
    if let Err(error) = std::fs::metadata(path) {
        let message = format!("rows: cannot read {name}: {}", io_error_text(&error));
        return Err(Box::new(Diagnostic::new(message).with_hint("the path counts from the eval file")));
    }
    let source = Rows::open(&Source::File(shown.to_owned()))?;
    let mut rows = Vec::new();
    for record in source.read()? {
        match record {
            Ok(record) => rows.push(RawRow { line: record.line, values: record.values }),
            Err(Fault::Row(why)) => {
                let message = format!("row {} of {name}: {why}", rows.len() + 1);
                return Err(Box::new(Diagnostic::new(message)));
            }
            Err(Fault::End(why)) => return Err(Box::new(Diagnostic::new(format!("cannot read {name}: {why}")))),
        }
    }
    let files = RowFiles::within(path.parent().unwrap_or(Path::new("")));
    Ok(RawRows { name, header: source.header().map(<[String]>::to_vec), rows, files })
}
