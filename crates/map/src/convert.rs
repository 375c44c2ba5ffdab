//! Converts records into inputs of the prompt file.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    row_files::RowFiles,
    rows::{Fault, Records, Values},
};
use lmthing_base::{
    diagnostic::Diagnostic,
    input::{ColumnSetting, Columns, InputShape},
};

/// The input of a unit. `Ok(Err(_))` is one invalid row.
pub(super) type ReadInput = Result<Result<Map<String, Value>, InvalidRow>, EndOfRows>;

pub(super) struct Converter {
    pub(super) taken: Arc<InputShape>,
    pub(super) columns: Option<Columns>,
    pub(super) files: RowFiles,
    header: Vec<String>,
    settings: Vec<ColumnSetting>,
}

impl Converter {
    pub(super) fn new(
        taken: Arc<InputShape>,
        header: Option<&[String]>,
        settings: &[ColumnSetting],
        files: RowFiles,
    ) -> Result<Self, Box<Diagnostic>> {
        let wrong = |problem: lmthing_base::input::InputProblem| Box::new(Diagnostic::from(problem));
        let columns = match header {
            Some(header) => Some(taken.declaration.columns(header, settings).map_err(wrong)?),
            None => taken.declaration.check_settings(settings).map(|()| None).map_err(wrong)?,
        };
        let header = header.unwrap_or_default().to_vec();
        Ok(Converter { taken, columns, files, header, settings: settings.to_vec() })
    }

    /// The input of a row, with the hashes of its files.
    pub(super) fn input(&self, values: Values) -> Result<Map<String, Value>, InvalidRow> {
        let mut input = self.written_input(values)?;
        match self.files.add_hashes(&self.taken.declaration, &mut input) {
            Ok(()) => Ok(input),
            Err(problem) => Err(InvalidRow { message: problem.message().to_owned(), row: input }),
        }
    }

    fn written_input(&self, values: Values) -> Result<Map<String, Value>, InvalidRow> {
        match (values, &self.columns) {
            (Values::Cells(cells), Some(columns)) => {
                let input = columns.input(cells.iter().map(String::as_str));
                input.map_err(|problem| InvalidRow { message: problem.message().to_owned(), row: self.raw_row(cells) })
            }
            (Values::Object(object), _) if self.files.are_rows() => self.input_of_file(object),
            (Values::Object(object), _) => Ok(self.taken.declaration.of_keys(object, &self.settings)),
            (Values::Cells(cells), None) => {
                Err(InvalidRow::without_row(format!("{} cells without columns", cells.len())))
            }
        }
    }

    /// The input of a row of `--each`, whose path is the only file that the prompt takes.
    fn input_of_file(&self, object: Map<String, Value>) -> Result<Map<String, Value>, InvalidRow> {
        let declaration = &self.taken.declaration;
        let takes_text = declaration.names().any(|name| name == "text") && !self.is_set("text")
            || self.settings.iter().any(|setting| setting.column == "text");
        let path = object.get("path").cloned().unwrap_or_default();
        if takes_text && !object.contains_key("text") {
            let message = format!("{} is not UTF-8 text", path.as_str().unwrap_or_default());
            return Err(InvalidRow { message, row: object });
        }
        let mut input = declaration.of_keys(object, &self.settings);
        if let Some(file) = declaration.only_file().filter(|file| !self.is_set(file)) {
            input.insert(file.to_owned(), path);
        }
        Ok(input)
    }

    fn is_set(&self, property: &str) -> bool {
        self.settings.iter().any(|setting| setting.property == property)
    }

    fn raw_row(&self, cells: Vec<String>) -> Map<String, Value> {
        self.header.iter().cloned().zip(cells.into_iter().map(Value::String)).collect()
    }
}

#[derive(Debug)]
pub(super) struct InvalidRow {
    pub(super) message: String,
    /// The row as far as it could be read.
    pub(super) row: Map<String, Value>,
}

impl InvalidRow {
    fn without_row(message: String) -> Self {
        InvalidRow { message, row: Map::new() }
    }
}

/// Why no further row can be read.
pub(super) struct EndOfRows(pub(super) String);

pub(super) struct Inputs {
    pub(super) records: Records,
    pub(super) converter: Converter,
}

impl Iterator for Inputs {
    type Item = ReadInput;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.records.next()? {
            Ok(record) => Ok(self.converter.input(record.values)),
            Err(Fault::Row(message)) => Ok(Err(InvalidRow::without_row(message))),
            Err(Fault::End(why)) => Err(EndOfRows(why)),
        })
    }
}
