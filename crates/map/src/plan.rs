//! Runs a map: validates the rows, skips those that have results, runs the others (docs/reference/map.md).

use std::{
    collections::HashSet,
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
    rc::Rc,
    sync::{Arc, mpsc},
};

use super::{
    checked_rows::CheckedRows,
    convert::Inputs,
    hashes::{self, stable_hash},
    options::{MapListener, MapOptions},
    progress::{EarlyEnd, Totals},
    results::{Store, Writer, result_of_line, results_of, with_suffix},
    rows::Rows,
    validate::RowValidator,
    work::{
        self, BatchPlace, CheckedFile, RemainingRows, RemoteRows, RowBatches, RowHost, Target, Targets, Work,
        forward_output,
    },
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    bindings::{ConfigOverrides, RowsFile, check_rows},
    prompt::RunError,
    session::SharedModel,
};

/// Runs the file once for each row. On an error of usage nothing was run.
pub fn run_map(options: MapOptions, listener: &mut dyn MapListener) -> Result<Totals, Rc<RunError>> {
    let usage = |problem: Box<Diagnostic>| Rc::new(RunError::Usage(problem));
    let failed = |problem: Box<Diagnostic>| Rc::new(RunError::from(*problem));
    let rows = Rows::open(&options.rows).map_err(usage)?;
    let (sender, receiver) = mpsc::channel();
    let host = RowHost::of_file(sender.clone());
    let mut validator = RowValidator::new(&rows, &options, &host, listener);
    let checked = validate(&options, &host, &mut validator);
    let RowValidator { validated, failed: wrong, converter, mut store, mut notes, interrupted, .. } = validator;
    host.end();
    forward_output(&receiver, listener);
    let fits = || if interrupted.is_some() { Ok(()) } else { validated.check(rows.name()).map_err(usage) };
    let ready = checked.and_then(|()| wrong.map_or(Ok(()), Err)).and_then(|()| fits());
    if ready.is_err() || interrupted.is_some() {
        store.into_iter().for_each(Store::discard);
        let early = interrupted.map(EarlyEnd::Interrupted);
        return ready.map(|()| Totals { total: validated.total, early, ..Totals::default() });
    }
    let Some(converter) = converter else {
        return Err(usage(Box::new(Diagnostic::new("the rows were not checked"))));
    };
    let columns: Vec<String> = converter.taken.declaration.names().map(str::to_owned).collect();
    let batches = match row_batches(&options, store.as_ref(), listener) {
        Ok(batches) => batches,
        Err(problem) => {
            store.into_iter().for_each(Store::discard);
            return Err(failed(problem));
        }
    };
    let (salt, taken) = store.as_mut().map_or_else(|| (hashes::fresh_salt(), HashSet::new()), Store::take_keys);
    let writer = writer(store, &options, columns, &mut notes).map_err(failed)?;
    notes.iter().for_each(|note| listener.warned(None, note));
    let records = rows.read().map_err(usage)?;
    let remaining = remaining(validated, options.sample);
    let MapOptions { file, shown_file, model, server, pool, .. } = options;
    let (overrides, tag) = (ConfigOverrides::default(), String::new());
    let target = Target {
        file,
        shown_file,
        model,
        overrides,
        taken: converter.taken.clone(),
        files: converter.files.clone(),
        tag,
    };
    let files = (converter.files.clone(), converter.taken.clone());
    let work = Work {
        targets: Targets::one(target),
        inputs: Box::new(Inputs { records, converter }),
        remaining,
        batches,
        remote_rows: server.map(|server| RemoteRows::new(server, salt, taken, files)),
        answers: None,
        servers: Arc::default(),
    };
    work::run(&Arc::new(pool), work, Box::new(writer), (sender, receiver), listener).map_err(failed)
}

fn writer(
    store: Option<Store>,
    options: &MapOptions,
    columns: Vec<String>,
    notes: &mut Vec<String>,
) -> Result<Writer, Box<Diagnostic>> {
    let is_ordered = !options.unordered;
    match (store, &options.out) {
        (Some(store), Some(out)) => Writer::to_file(store, (out, options.format), is_ordered, columns, notes),
        _ => Writer::to_stdout(options.format, is_ordered, columns)
            .map_err(|error| Box::new(Diagnostic::new(format!("cannot keep the results: {error}")))),
    }
}

/// Loads the file and validates all rows.
fn validate(options: &MapOptions, host: &RowHost, validator: &mut RowValidator<'_>) -> Result<(), Rc<RunError>> {
    validator.records().map_err(|problem| Rc::new(RunError::Usage(problem)))?;
    let choice = options.model.as_ref().map(SharedModel::choice);
    let file = CheckedFile { path: &options.file, variables: options.variables_of_scripts() };
    work::with_engine(&options.pool, file, host, async |engine| {
        let (runs_here, is_batched) = (options.server.is_none(), options.pool.batch.is_some());
        let overrides = &ConfigOverrides::default();
        let file = RowsFile { path: &options.file, runs_here, is_batched, may_take_none: false, overrides };
        check_rows(engine, file, choice.as_ref(), validator).await.map(drop)
    })
}

fn remaining(validated: CheckedRows, sample: Option<u64>) -> RemainingRows {
    RemainingRows {
        total: validated.total,
        reused: validated.reused,
        todo: validated.todo(sample),
        invalid: validated.invalid,
        invalid_rows: validated.invalid_rows,
        is_whole: sample.is_none(),
    }
}

fn row_batches(
    options: &MapOptions,
    store: Option<&Store>,
    listener: &mut dyn MapListener,
) -> Result<RowBatches, Box<Diagnostic>> {
    let (Some(store), Some(shown_out)) = (store, &options.out) else { return Ok(RowBatches::default()) };
    let out = &results_of(shown_out, options.format);
    let place = BatchPlace { out, shown_out, provenance: store.provenance(), is_fresh: options.fresh };
    RowBatches::open(&place, &options.pool, written_rows(out), listener)
}

/// The rows whose results are in OUT, or wait for earlier rows next to it.
fn written_rows(out: &Path) -> impl Iterator<Item = (u64, String)> {
    let files = [out.to_owned(), with_suffix(out, ".lmthing")].into_iter();
    let lines = files.filter_map(|path| File::open(path).ok()).flat_map(|file| BufReader::new(file).lines());
    lines.map_while(Result::ok).filter_map(|line| {
        let (row, input) = result_of_line(&line)?;
        Some((row, stable_hash(&input)))
    })
}
