//! The first look at every row, while the file's schema is at hand: whether it fits, and whether its result stands in OUT. Must not
//! know how rows are run.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{
    convert::Converter,
    found::Found,
    identity,
    options::{Format, Listener, MapOptions},
    results::{Store, Work, named},
    rows::{Fault, Records, Rows},
    work::RowHost,
};
use crate::{diagnostic::Diagnostic, input::InputShape, prompt::RunError, script::bindings::InputRows};

/// How often is looked whether somebody wants the end, in rows.
const LOOK: u64 = 256;

/// Looks at every row, while the file's schema is at hand.
pub(super) struct Check<'a> {
    rows: &'a Rows,
    options: &'a MapOptions,
    host: &'a RowHost,
    listener: &'a mut dyn Listener,
    records: Option<Records>,
    pub(super) converter: Option<Converter>,
    pub(super) store: Option<Store>,
    pub(super) found: Found,
    /// The row that is being checked.
    input: Map<String, Value>,
    pub(super) notes: Vec<String>,
    pub(super) failed: Option<Rc<RunError>>,
    pub(super) interrupted: Option<i32>,
}

impl<'a> Check<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        options: &'a MapOptions,
        host: &'a RowHost,
        listener: &'a mut dyn Listener,
    ) -> Self {
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

    pub(super) fn records(&mut self) -> Result<(), Box<Diagnostic>> {
        self.records = Some(self.rows.read()?);
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
    fn begin(&mut self, taken: Arc<InputShape>) -> Result<(), Box<Diagnostic>> {
        let converter = Converter::new(taken, self.rows.header(), &self.options.settings)?;
        let unused = converter.columns.as_ref().map(crate::input::Columns::unused).unwrap_or_default();
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
            if self.found.total.is_multiple_of(LOOK) {
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

/// The file of results for OUT: OUT itself, unless that is a table of them.
fn results_of(out: &Path, format: Format) -> PathBuf {
    match format {
        Format::JsonLines => out.to_owned(),
        Format::Csv => named(out, ".jsonl"),
    }
}
