//! Runs a map: validates the rows, skips those that have results, runs the others (docs/reference/map.md).

use std::{
    collections::HashSet,
    rc::Rc,
    sync::{Arc, mpsc},
};

use super::{
    batches::{BatchState, EarlierBatches, cancel_all, read_earlier},
    convert::Inputs,
    hashes,
    options::{MapListener, MapOptions},
    progress::{EarlyEnd, Totals},
    results::{Store, Writer, results_of},
    rows::Rows,
    validate::RowValidator,
    work::{self, Message, RemainingRows, RowBatches, RowHost},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    bindings::{RowsFile, check_rows},
    prompt::RunError,
    session::SharedModel,
};

/// Runs the file once for each row. On an error of usage nothing was run.
pub fn run_map(options: MapOptions, listener: &mut dyn MapListener) -> Result<Totals, Rc<RunError>> {
    let usage = |problem: Box<Diagnostic>| Rc::new(RunError::Usage(problem));
    let failed = |problem: Box<Diagnostic>| Rc::new(RunError::from(*problem));
    let rows = Rows::open(&options.rows).map_err(usage)?;
    let options = Arc::new(options);
    let (sender, receiver) = mpsc::channel();
    let host = RowHost::of_file(sender.clone());
    let mut validator = RowValidator::new(&rows, &options, &host, listener);
    let checked = validator.records().map_err(usage).and_then(|()| {
        let choice = options.model.as_ref().map(SharedModel::choice);
        work::with_engine(&options, &host, async |engine| {
            let (runs_here, is_batched) = (options.server.is_none(), options.batch.is_some());
            let file = RowsFile { path: &options.file, runs_here, is_batched };
            check_rows(engine, file, choice.as_ref(), &mut validator).await
        })
    });
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
    let keys = store.as_mut().map_or_else(|| (hashes::fresh_salt(), HashSet::new()), Store::take_keys);
    let writer = match (store, &options.out) {
        (Some(store), Some(out)) => {
            Writer::to_file(store, (out, options.format), !options.unordered, columns, &mut notes).map_err(failed)?
        }
        _ => Writer::to_stdout(options.format, !options.unordered, columns)
            .map_err(|error| failed(Box::new(Diagnostic::new(format!("cannot keep the results: {error}")))))?,
    };
    notes.iter().for_each(|note| listener.warned(None, note));
    let todo = validated.todo(options.sample);
    let records = rows.read().map_err(usage)?;
    let remaining = RemainingRows {
        total: validated.total,
        reused: validated.reused,
        todo,
        invalid: validated.invalid,
        invalid_rows: validated.invalid_rows,
        keys,
        batches,
    };
    let inputs = Inputs { records, converter };
    work::run(&options, (inputs, remaining), writer, (sender, receiver), listener).map_err(failed)
}

/// Opens the state of batches. What an earlier command has left is cancelled with `--fresh`.
fn row_batches(
    options: &MapOptions,
    store: Option<&Store>,
    listener: &mut dyn MapListener,
) -> Result<RowBatches, Box<Diagnostic>> {
    let (Some(store), Some(out)) = (store, &options.out) else { return Ok(RowBatches::None) };
    let out = results_of(out, options.format);
    let mut earlier = read_earlier(&out)?;
    let is_changed = earlier.as_ref().is_some_and(|earlier| earlier.is_changed(store.provenance()));
    if let Some(known) = earlier.take_if(|_| options.fresh || is_changed) {
        if !options.fresh {
            known.check(store.provenance(), options.out.as_deref().unwrap_or(&out))?;
        }
        let cancelled = cancel_all(&known.state, &options.variables, listener, true);
        // Nothing is under way any more without `--fresh`, so that only files may be left at the provider.
        let cancelled = if options.fresh { cancelled? } else { 0 };
        if cancelled > 0 {
            let were =
                if cancelled == 1 { "batch of an earlier command was" } else { "batches of an earlier command were" };
            listener.warned(None, &format!("{cancelled} {were} cancelled"));
        }
        known.state.remove();
    }
    if let Some(earlier) = &earlier {
        earlier.state.resume()?;
    }
    Ok(match (earlier, options.batch.clone()) {
        (Some(EarlierBatches { state, under_way }), None) => RowBatches::Left { state, batches: under_way },
        (None, None) => RowBatches::None,
        (Some(EarlierBatches { state, .. }), Some(options)) => RowBatches::Used { state, has_earlier: true, options },
        (None, Some(options)) => {
            let state = BatchState::create(&out, store.provenance().clone())?;
            RowBatches::Used { state, has_earlier: false, options }
        }
    })
}

fn forward_output(receiver: &mpsc::Receiver<Message>, listener: &mut dyn MapListener) {
    for message in receiver.try_iter() {
        match message {
            Message::Printed { row, text } => listener.printed(row, &text),
            Message::Warned { row, message } => listener.warned(row, &message),
            Message::Ended { .. }
            | Message::Lost { .. }
            | Message::Suspended { .. }
            | Message::Entry { .. }
            | Message::Batch(_) => {}
        }
    }
}
