//! From options to totals: the rows are checked, those are found that need no run, the others are run (docs/map.md). Must not know
//! threads.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, mpsc},
};

use serde_json::{Map, Value};

use super::{
    bits::Bits,
    identity,
    options::{Format, Listener, MapModel, MapOptions},
    progress::{Early, Totals},
    results::{Store, Work, Writer},
    rows::{Fault, Record, Records, Rows},
    work::{self, Message, Rest, RowHost},
};
use crate::{
    diagnostic::Diagnostic,
    input::{Columns, Declaration, Setting},
    prompt::RunError,
    script::bindings::{InputRows, check_rows},
};

/// Messages for wrong rows that are kept at most; further ones are told in general words.
const MAX_WRONG: usize = 10_000;

/// How often is looked whether somebody wants the end, in rows.
const LOOK: u64 = 256;

/// Runs the file once for each row.
///
/// # Errors
/// Nothing was run: what is wrong with the file, the rows, or where results go.
pub(crate) fn run_map(options: MapOptions, listener: &mut dyn Listener) -> Result<Totals, Rc<RunError>> {
    let usage = |problem: Box<Diagnostic>| Rc::new(RunError::Usage(problem));
    let rows = Rows::open(&options.rows).map_err(usage)?;
    let options = Arc::new(options);
    let (sender, receiver) = mpsc::channel();
    let host = RowHost::of_file(sender.clone());
    let mut check = Check::new(&rows, &options, &host, listener);
    let checked = check.records().map_err(usage).and_then(|()| {
        let choice = options.model.as_ref().map(MapModel::choice);
        work::in_engine(&options, &host, async |engine| {
            check_rows(engine, &options.file, choice.as_ref(), &mut check).await
        })
    });
    let Check { found, failed, converter, store, notes, interrupted, .. } = check;
    host.end();
    tell(&receiver, listener);
    checked?;
    if let Some(problem) = failed {
        return Err(problem);
    }
    let Some(converter) = converter else {
        return Err(usage(Box::new(Diagnostic::new("the rows were not checked"))));
    };
    if let Some(signal) = interrupted {
        let early = Some(Early::Interrupted(signal));
        return Ok(Totals { total: found.total, early, ..Totals::default() });
    }
    found.check(rows.name()).map_err(usage)?;
    let mut notes = notes;
    let columns: Vec<String> = converter.declaration.names().map(str::to_owned).collect();
    let writer = match (store, &options.out) {
        (Some(store), Some(out)) => {
            Writer::to_file(store, (out, options.format), !options.unordered, columns, &mut notes).map_err(usage)?
        }
        _ => Writer::to_stdout(options.format, !options.unordered, columns)
            .map_err(|error| usage(Box::new(Diagnostic::new(format!("cannot keep the results: {error}")))))?,
    };
    notes.iter().for_each(|note| listener.warned(None, note));
    let todo = found.todo(options.sample);
    let records = rows.read().map_err(|error| usage(read_problem(&rows, &error)))?;
    let rest = Rest { total: found.total, kept: found.kept, todo, wrong: found.wrong, wrong_rows: found.wrong_rows };
    let inputs = Inputs { records, converter };
    work::run(&options, (inputs, rest), writer, (sender, receiver), listener).map_err(usage)
}

/// Tells what was printed while the file was loaded.
fn tell(receiver: &mpsc::Receiver<Message>, listener: &mut dyn Listener) {
    for message in receiver.try_iter() {
        match message {
            Message::Printed { row, text } => listener.printed(row, &text),
            Message::Warned { row, message } => listener.warned(row, &message),
            Message::Ended { .. } => {}
        }
    }
}

fn read_problem(rows: &Rows, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot read {}: {}", rows.name(), crate::files::words(error))))
}

/// The file of results for OUT: OUT itself, unless that is a table of them.
fn results_of(out: &Path, format: Format) -> PathBuf {
    match format {
        Format::JsonLines => out.to_owned(),
        Format::Csv => {
            let mut name = out.as_os_str().to_owned();
            name.push(".jsonl");
            name.into()
        }
    }
}

/// Makes inputs of records.
pub(super) struct Converter {
    declaration: Declaration,
    columns: Option<Columns>,
    header: Vec<String>,
    settings: Vec<Setting>,
}

impl Converter {
    fn new(
        declaration: &Declaration,
        header: Option<&[String]>,
        settings: &[Setting],
    ) -> Result<Self, Box<Diagnostic>> {
        let wrong = |problem: crate::input::Problem| Box::new(Diagnostic::from(problem));
        let columns = match header {
            Some(header) => Some(declaration.columns(header, settings).map_err(wrong)?),
            None => declaration.check_settings(settings).map(|()| None).map_err(wrong)?,
        };
        let header = header.unwrap_or_default().to_vec();
        Ok(Converter { declaration: declaration.clone(), columns, header, settings: settings.to_vec() })
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
            (Record::Object(object), _) => Ok(self.declaration.of_keys(object, &self.settings)),
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
    records: Records,
    converter: Converter,
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

/// What is known of the rows once all were looked at.
#[derive(Default)]
struct Found {
    total: u64,
    /// Rows whose results stand in OUT.
    kept: u64,
    done: Bits,
    wrong: BTreeMap<u64, String>,
    wrong_rows: Bits,
}

impl Found {
    fn is_wrong(&mut self, row: u64, message: String) {
        self.wrong_rows.insert(row);
        if self.wrong.len() < MAX_WRONG {
            self.wrong.insert(row, message);
        }
    }

    /// Whether there is any row that fits.
    fn check(&self, name: &str) -> Result<(), Box<Diagnostic>> {
        if self.total == 0 || self.wrong_rows.count() < self.total {
            return Ok(());
        }
        let first = self.wrong.first_key_value().map(|(row, message)| format!(": row {row}: {message}"));
        let first = first.unwrap_or_default();
        let what = if self.total == 1 { "the only row".to_owned() } else { format!("none of the {} rows", self.total) };
        let fits = if self.total == 1 { "does not fit" } else { "fits" };
        Err(Box::new(Diagnostic::new(format!("{what} of {name} {fits} what the file takes{first}"))))
    }

    /// Which rows are to be run.
    fn todo(&self, sample: Option<u64>) -> Bits {
        let mut todo = Bits::default();
        let total = u128::from(self.total);
        for row in 1..=self.total {
            // Spread over all rows, the first among them, and the same each time.
            let is_sampled = sample.is_none_or(|sample| {
                sample >= self.total || is_first_of_its_part(u128::from(row - 1), u128::from(sample), total)
            });
            if is_sampled && !self.done.contains(row) {
                todo.insert(row);
            }
        }
        todo
    }
}

/// Whether a row, counted from 0, is the first one of one of `sample` parts of about the same size.
fn is_first_of_its_part(row: u128, sample: u128, total: u128) -> bool {
    let part = |row: u128| row * sample / total;
    row == 0 && sample > 0 || row > 0 && part(row) != part(row - 1)
}

/// Looks at every row, while the file's schema is at hand.
struct Check<'a> {
    rows: &'a Rows,
    options: &'a MapOptions,
    host: &'a RowHost,
    listener: &'a mut dyn Listener,
    records: Option<Records>,
    converter: Option<Converter>,
    store: Option<Store>,
    found: Found,
    /// The row that is being checked.
    input: Map<String, Value>,
    notes: Vec<String>,
    failed: Option<Rc<RunError>>,
    interrupted: Option<i32>,
}

impl<'a> Check<'a> {
    fn new(rows: &'a Rows, options: &'a MapOptions, host: &'a RowHost, listener: &'a mut dyn Listener) -> Self {
        Check {
            rows,
            options,
            host,
            listener,
            records: None,
            converter: None,
            store: None,
            found: Found::default(),
            input: Map::new(),
            notes: Vec::new(),
            failed: None,
            interrupted: None,
        }
    }

    fn records(&mut self) -> Result<(), Box<Diagnostic>> {
        self.records = Some(self.rows.read().map_err(|error| read_problem(self.rows, &error))?);
        Ok(())
    }

    /// What the results are results of.
    fn work(&self) -> Work {
        let mut files: BTreeSet<PathBuf> = self.host.files();
        files.insert(self.options.file.clone());
        Work {
            file: self.options.shown_file.clone(),
            hash: identity::of_files(&files),
            model: self.options.model.as_ref().map(|model| model.name().to_owned()),
        }
    }

    fn fail(&mut self, problem: Diagnostic) -> Option<Map<String, Value>> {
        self.failed = Some(Rc::new(RunError::Usage(Box::new(problem))));
        None
    }
}

impl InputRows for Check<'_> {
    fn begin(&mut self, declaration: &Declaration) -> Result<(), Box<Diagnostic>> {
        let converter = Converter::new(declaration, self.rows.header(), &self.options.settings)?;
        let unused = converter.columns.as_ref().map(Columns::unused).unwrap_or_default();
        let unused: Vec<&str> = unused.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        if !unused.is_empty() {
            let s = if unused.len() == 1 { "" } else { "s" };
            self.notes.push(format!("the file takes nothing from the column{s} {}", unused.join(", ")));
        }
        self.converter = Some(converter);
        if let Some(out) = &self.options.out {
            let (out, work) = (results_of(out, self.options.format), self.work());
            self.store = Some(Store::open(&out, work, self.options.fresh, &mut self.notes)?);
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Map<String, Value>> {
        loop {
            if self.found.total % LOOK == 0 {
                self.interrupted = self.interrupted.or(self.listener.interrupted());
            }
            if self.interrupted.is_some() {
                return None;
            }
            let record = self.records.as_mut()?.next()?;
            let row = self.found.total + 1;
            let input = match record {
                Ok(record) => self.converter.as_ref()?.input(record).map_err(|wrong| wrong.message),
                Err(Fault::Row(message)) => Err(message),
                Err(Fault::End(why)) => {
                    return self.fail(Diagnostic::new(format!("cannot read {}: {why}", self.rows.name())));
                }
            };
            self.found.total = row;
            match input {
                Ok(input) => {
                    self.input.clone_from(&input);
                    return Some(input);
                }
                Err(message) => self.found.is_wrong(row, message),
            }
        }
    }

    fn checked(&mut self, wrong: Option<String>) {
        let row = self.found.total;
        if let Some(message) = wrong {
            return self.found.is_wrong(row, message);
        }
        match self.store.as_mut().map_or(Ok(false), |store| store.keep(row, &self.input)) {
            Ok(true) => {
                self.found.kept += 1;
                self.found.done.insert(row);
            }
            Ok(false) => {}
            Err(error) => {
                self.fail(Diagnostic::new(format!("cannot read the earlier results: {error}")));
                self.records = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all_rows() {
        let todo = |total, sample| {
            let todo = Found { total, ..Found::default() }.todo(sample);
            (1..=total).filter(|row| todo.contains(*row)).collect::<Vec<_>>()
        };
        assert_eq!(todo(10, Some(3)), [1, 5, 8]);
        assert_eq!(todo(3, Some(5)), [1, 2, 3]);
        assert_eq!(todo(2, None), [1, 2]);
        assert_eq!(todo(1000, Some(100)).len(), 100);
    }
}
