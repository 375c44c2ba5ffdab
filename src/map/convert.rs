//! Records as inputs of the file. Must not know where records come from.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::rows::{Fault, Record, Records};
use crate::{
    diagnostic::Diagnostic,
    input::{ColumnSetting, Columns, InputShape},
};

/// Makes inputs of records.
pub(super) struct Converter {
    pub(super) taken: Arc<InputShape>,
    pub(super) columns: Option<Columns>,
    header: Vec<String>,
    settings: Vec<ColumnSetting>,
}

impl Converter {
    pub(super) fn new(
        taken: Arc<InputShape>,
        header: Option<&[String]>,
        settings: &[ColumnSetting],
    ) -> Result<Self, Box<Diagnostic>> {
        let wrong = |problem: crate::input::InputProblem| Box::new(Diagnostic::from(problem));
        let columns = match header {
            Some(header) => Some(taken.declaration.columns(header, settings).map_err(wrong)?),
            None => taken.declaration.check_settings(settings).map(|()| None).map_err(wrong)?,
        };
        let header = header.unwrap_or_default().to_vec();
        Ok(Converter { taken, columns, header, settings: settings.to_vec() })
    }

    /// The input of a row.
    ///
    /// # Errors
    /// What is wrong with the row, and the row as it stands there.
    pub(super) fn input(&self, record: Record) -> Result<Map<String, Value>, Wrong> {
        match (record, &self.columns) {
            (Record::Cells(cells), Some(columns)) => {
                let input = columns.input(cells.iter().map(String::as_str));
                input.map_err(|problem| Wrong { message: problem.message().to_owned(), row: self.as_it_is(cells) })
            }
            (Record::Object(object), _) => Ok(self.taken.declaration.of_keys(object, &self.settings)),
            (Record::Cells(cells), None) => Err(Wrong::without_row(format!("{} cells without columns", cells.len()))),
        }
    }

    fn as_it_is(&self, cells: Vec<String>) -> Map<String, Value> {
        self.header.iter().cloned().zip(cells.into_iter().map(Value::String)).collect()
    }
}

/// A row that is no input.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) message: String,
    /// What stands there, as far as it could be read.
    pub(super) row: Map<String, Value>,
}

impl Wrong {
    fn without_row(message: String) -> Self {
        Wrong { message, row: Map::new() }
    }
}

/// The inputs of rows, one after the other.
pub(super) struct Inputs {
    pub(super) records: Records,
    pub(super) converter: Converter,
}

impl Iterator for Inputs {
    /// A row that is wrong, or the reason why no more can be read.
    type Item = Result<Result<Map<String, Value>, Wrong>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.records.next()? {
            Ok(record) => Ok(self.converter.input(record)),
            Err(Fault::Row(message)) => Ok(Err(Wrong::without_row(message))),
            Err(Fault::End(why)) => Err(why),
        })
    }
}
