//! Runs a map: validates the rows, skips those that have results, runs the others (docs/reference/map.md).

use std::{
    collections::HashSet,
    rc::Rc,
    sync::{Arc, mpsc},
};

use super::{
    convert::Inputs,
    hashes,
    options::{MapListener, MapOptions},
    progress::{EarlyEnd, Totals},
    results::{Store, Writer},
    rows::Rows,
    validate::RowValidator,
    work::{self, Message, RemainingRows, RowHost},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{bindings::check_rows, prompt::RunError, session::SharedModel};

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
            let file = (&*options.file, options.server.is_none());
            check_rows(engine, file, choice.as_ref(), &mut validator).await
        })
    });
    let RowValidator { validated, failed: wrong, converter, store, notes, interrupted, .. } = validator;
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
    let mut notes = notes;
    let columns: Vec<String> = converter.taken.declaration.names().map(str::to_owned).collect();
    let mut store = store;
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
    };
    let inputs = Inputs { records, converter };
    work::run(&options, (inputs, remaining), writer, (sender, receiver), listener).map_err(failed)
}

fn forward_output(receiver: &mpsc::Receiver<Message>, listener: &mut dyn MapListener) {
    for message in receiver.try_iter() {
        match message {
            Message::Printed { row, text } => listener.printed(row, &text),
            Message::Warned { row, message } => listener.warned(row, &message),
            Message::Ended { .. } | Message::Lost { .. } => {}
        }
    }
}
