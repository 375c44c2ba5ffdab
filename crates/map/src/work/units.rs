//! Runs units of work that are all valid: the cells of an eval.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    rc::Rc,
    sync::{Arc, mpsc},
};

use serde_json::{Map, Value};

use super::{
    host::RowHost,
    message::forward_output,
    open_batches::RowBatches,
    pool::{self, RemainingRows, Work},
    target::Targets,
    validation_engine::{CheckedFile, with_engine},
};
use crate::{
    options::{AnswerSource, MapListener, PoolOptions},
    progress::Totals,
    results::UnitSink,
    row_set::RowSet,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    bindings::{InputRows, RowsFile, RowsModel, check_rows},
    prompt::RunError,
    session::SharedModel,
};
use lmthing_providers::Servers;

pub struct Units {
    /// Of all units, in the order of their numbers.
    pub inputs: Box<dyn Iterator<Item = Map<String, Value>>>,
    pub targets: Targets,
    pub total: u64,
    /// The numbers of those that are run.
    pub todo: BTreeSet<u64>,
    /// Whether these are the units of all rows, not of a sample.
    pub is_whole: bool,
    pub batches: RowBatches,
    /// What answers requests in place of models.
    pub answers: Option<Arc<dyn AnswerSource>>,
    /// Rate limits of providers that others may know already.
    pub servers: Arc<Servers>,
}

/// Runs units, several at once, and passes their results to the sink.
pub fn run_units(
    options: &Arc<PoolOptions>,
    units: Units,
    sink: Box<dyn UnitSink>,
    listener: &mut dyn MapListener,
) -> Result<Totals, Box<Diagnostic>> {
    let Units { inputs, targets, total, todo, is_whole, batches, answers, servers } = units;
    let mut numbers = RowSet::default();
    todo.iter().for_each(|number| numbers.insert(*number));
    let remaining = RemainingRows {
        total,
        reused: total.saturating_sub(todo.len() as u64),
        todo: numbers,
        invalid: BTreeMap::new(),
        invalid_rows: RowSet::default(),
        is_whole,
    };
    let inputs = Box::new(inputs.map(|input| Ok(Ok(input))));
    let work = Work { inputs, targets, remaining, batches, remote_rows: None, answers, servers };
    pool::run(options, work, sink, mpsc::channel(), listener)
}

/// What a file was found to be when its rows were checked.
#[derive(Clone, Debug)]
pub struct FileFacts {
    pub model: RowsModel,
    /// The file and what it imports.
    pub files: BTreeSet<PathBuf>,
}

/// Loads a prompt file as a unit would, and validates rows against its `input`. Nothing is asked.
pub fn check_file(
    options: &PoolOptions,
    file: &RowsFile<'_>,
    model: Option<&SharedModel>,
    rows: &mut dyn InputRows,
    listener: &mut dyn MapListener,
) -> Result<FileFacts, Rc<RunError>> {
    let (sender, receiver) = mpsc::channel();
    let host = RowHost::of_file(sender);
    let choice = model.map(SharedModel::choice);
    let checked = CheckedFile { path: file.path, variables: options.variables.clone() };
    let checked =
        with_engine(options, checked, &host, async |engine| check_rows(engine, *file, choice.as_ref(), rows).await);
    host.end();
    forward_output(&receiver, listener);
    let mut files = host.files();
    files.insert(file.path.to_owned());
    checked.map(|model| FileFacts { model, files })
}
