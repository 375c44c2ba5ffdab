//! Validates every row against the file's input schema and finds those that already have a result in OUT.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{
    checked_rows::{CheckedRows, InvalidRowFault},
    convert::Converter,
    hashes,
    options::{MapListener, MapOptions},
    results::{Provenance, Store, results_of, with_suffix},
    row_files::RowFiles,
    rows::{Fault, Record, Records, Rows},
    work::RowHost,
    written::check_written,
};
use lmthing_base::{
    diagnostic::Diagnostic,
    input::{InputShape, lacks_file},
};
use lmthing_engine::{bindings::InputRows, prompt::RunError};

const INTERRUPT_CHECK_INTERVAL: u64 = 256;

pub(super) struct RowValidator<'a> {
    rows: &'a Rows,
    options: &'a MapOptions,
    host: &'a RowHost,
    listener: &'a mut dyn MapListener,
    records: Option<Records>,
    pub(super) converter: Option<Converter>,
    pub(super) store: Option<Store>,
    pub(super) validated: CheckedRows,
    /// Line and input of the current row.
    line: Option<u64>,
    input: Map<String, Value>,
    pub(super) notes: Vec<String>,
    pub(super) failed: Option<Rc<RunError>>,
    pub(super) interrupted: Option<i32>,
}

impl<'a> RowValidator<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        options: &'a MapOptions,
        host: &'a RowHost,
        listener: &'a mut dyn MapListener,
    ) -> Self {
        RowValidator {
            rows,
            options,
            host,
            listener,
            records: None,
            converter: None,
            store: None,
            validated: CheckedRows::default(),
            line: None,
            input: Map::new(),
            notes: Vec::new(),
            failed: None,
            interrupted: None,
        }
    }

    pub(super) fn records(&mut self) -> Result<(), Box<Diagnostic>> {
        self.records = Some(self.rows.read()?);
        Ok(())
    }

    /// The prompt file and what it imports.
    fn files(&self) -> BTreeSet<PathBuf> {
        let mut files: BTreeSet<PathBuf> = self.host.files();
        files.insert(self.options.file.clone());
        files
    }

    /// Fails if a file that is read would be written.
    fn check_out(&self, out: &Path) -> Result<(), Box<Diagnostic>> {
        let results = results_of(out, self.options.format);
        let written = [out.to_owned(), with_suffix(&results, ".lmthing"), with_suffix(&results, ".new"), results];
        let files = self.files();
        let read = files.iter().map(PathBuf::as_path).chain(self.rows.files(&self.options.rows));
        let read = read.chain(self.options.pool.mcp_config.as_deref());
        check_written(out, &written, read, |file| self.rows.has_name(file))
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            file: self.options.shown_file.clone(),
            hash: hashes::hash_files(&self.files()),
            model: self.options.model.as_ref().map(|model| model.name().to_owned()),
        }
    }

    /// Whether a row has an earlier result, which is then its result.
    fn is_reused(&mut self, row: u64, input: &Map<String, Value>) -> bool {
        match self.store.as_mut().map_or(Ok(false), |store| store.reuse(row, input)) {
            Ok(false) => false,
            Ok(true) => {
                self.validated.reused += 1;
                self.validated.done.insert(row);
                true
            }
            Err(error) => {
                self.fail(Diagnostic::new(format!("cannot read the earlier results: {error}")));
                self.records = None;
                false
            }
        }
    }

    fn fail(&mut self, problem: Diagnostic) -> Option<Map<String, Value>> {
        self.failed = Some(Rc::new(RunError::Usage(Box::new(problem))));
        None
    }
}

impl InputRows for RowValidator<'_> {
    fn begin(&mut self, taken: Arc<InputShape>) -> Result<(), Box<Diagnostic>> {
        let converter =
            Converter::new(taken, self.rows.header(), &self.options.settings, RowFiles::of(&self.options.rows))?;
        let unused = converter.columns.as_ref().map(lmthing_base::input::Columns::unused).unwrap_or_default();
        let unused: Vec<&str> = unused.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        if !unused.is_empty() {
            let s = if unused.len() == 1 { "" } else { "s" };
            self.notes.push(format!("the file takes nothing from the column{s} {}", unused.join(", ")));
        }
        self.converter = Some(converter);
        if let Some(out) = &self.options.out {
            self.check_out(out)?;
            let (out, provenance) = (results_of(out, self.options.format), self.provenance());
            self.store = Some(Store::open(&out, provenance, self.options.fresh, &mut self.notes)?);
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Map<String, Value>> {
        loop {
            if self.validated.total.is_multiple_of(INTERRUPT_CHECK_INTERVAL) {
                self.interrupted = self.interrupted.or(self.listener.interrupted());
            }
            if self.interrupted.is_some() {
                return None;
            }
            let record = self.records.as_mut()?.next()?;
            let row = self.validated.total + 1;
            let input = match record {
                Ok(Record { line, values }) => {
                    self.line = line;
                    let Converter { taken, files, .. } = self.converter.as_ref()?;
                    match self.converter.as_ref()?.input(values) {
                        Ok(input) => match files.load(&taken.declaration, &input) {
                            Ok(loaded) => Ok((input, loaded)),
                            Err(why) => Err(why.to_string()),
                        },
                        Err(wrong) if lacks_file(&wrong.row) && self.is_reused(row, &wrong.row) => {
                            self.notes.push(format!("row {row}: {}; its answer is kept", wrong.message));
                            self.validated.total = row;
                            continue;
                        }
                        Err(wrong) => Err(wrong.message),
                    }
                }
                // Its message has the line.
                Err(Fault::Row(message)) => {
                    self.line = None;
                    Err(message)
                }
                Err(Fault::End(why)) => {
                    return self.fail(Diagnostic::new(format!("cannot read {}: {why}", self.rows.name())));
                }
            };
            self.validated.total = row;
            match input {
                Ok((input, loaded)) => {
                    self.input = input;
                    return Some(loaded);
                }
                Err(message) => self.validated.add_invalid(row, InvalidRowFault { message, line: self.line }),
            }
        }
    }

    fn checked(&mut self, wrong: Option<String>) {
        let row = self.validated.total;
        if let Some(message) = wrong {
            return self.validated.add_invalid(row, InvalidRowFault { message, line: self.line });
        }
        let input = std::mem::take(&mut self.input);
        self.is_reused(row, &input);
    }
}
