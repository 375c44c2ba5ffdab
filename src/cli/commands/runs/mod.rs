//! `lmthing runs` (docs/reference/runs.md): lists, shows, exports and deletes runs of a journal.

mod as_test;
mod details;
mod json;
mod table;

use std::path::Path;

use super::journal::path;
use crate::cli::{
    ExitCode, Printer, env,
    runs_args::{PruneArgs, RunsArgs, RunsCommand, ShowArgs},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_store::journal::{Journal, JournalError};

const LINES_PER_FLUSH: usize = 500;

pub(in crate::cli) fn run(args: &RunsArgs, printer: &Printer) -> ExitCode {
    let directory = std::env::current_dir().unwrap_or_default();
    let (variables, _) = env::variables(&directory);
    let path = path(args.journal.as_deref(), &variables, &directory);
    let boxed = |error: JournalError| Box::new(Diagnostic::from(error));
    let done = match &args.command {
        None => list(args.json, &path, printer).map_err(boxed),
        // `runs --json show ID` is accepted, too.
        Some(RunsCommand::Show(show)) => self::show(show, args.json || show.json, &path, printer).map_err(boxed),
        Some(RunsCommand::Export(export)) if export.as_test => as_test::export(&export.id, &path, variables, printer),
        Some(RunsCommand::Export(export)) => self::export(&export.id, &path, printer).map_err(boxed),
        Some(RunsCommand::Prune(prune)) => forget(prune, &path, printer).map_err(boxed),
    };
    printer.flush();
    match done {
        Ok(()) => ExitCode::Done,
        Err(problem) => {
            printer.diagnostic(&problem);
            ExitCode::File
        }
    }
}

fn list(is_json: bool, path: &Path, printer: &Printer) -> Result<(), JournalError> {
    let runs = Journal::read(path)?.runs()?;
    if is_json {
        let list: Vec<_> = runs.iter().map(json::of_run).collect();
        printer.text(&format!("{:#}\n", serde_json::Value::from(list)));
    } else if runs.is_empty() {
        printer.stderr(&format!("The journal {} holds no runs.\n", path.display()));
    } else {
        printer.styled(&table::of_runs(&runs, printer));
    }
    Ok(())
}

fn show(args: &ShowArgs, is_json: bool, path: &Path, printer: &Printer) -> Result<(), JournalError> {
    let journal = Journal::read(path)?;
    let run = journal.find(&args.id)?;
    let start = journal.start(&run)?;
    if is_json {
        printer.text(&format!("{:#}\n", json::of_start(&run, &start)));
        return Ok(());
    }
    printer.text(&details::of_run(&run, &start, printer));
    let mut steps = details::Steps::new(printer);
    journal.lines(&run, |line| {
        printer.text(&steps.line(line));
        true
    })?;
    printer.text(&steps.answer());
    Ok(())
}

fn export(id: &str, path: &Path, printer: &Printer) -> Result<(), JournalError> {
    let journal = Journal::read(path)?;
    let run = journal.find(id)?;
    let mut count = 0;
    journal.lines(&run, |line| {
        printer.text(line);
        printer.text("\n");
        count += 1;
        if count % LINES_PER_FLUSH == 0 {
            printer.flush();
        }
        true
    })
}

fn forget(args: &PruneArgs, path: &Path, printer: &Printer) -> Result<(), JournalError> {
    let journal = if args.dry_run { Journal::read(path)? } else { Journal::open(path)? };
    let runs = journal.older_than(args.older_than.milliseconds)?;
    if runs.is_empty() {
        printer.stderr(&format!("Nothing to forget: every run was written to in the last {}.\n", args.older_than.text));
        return Ok(());
    }
    let count = if runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", runs.len()) };
    if args.dry_run {
        printer.styled(&table::of_runs(&runs, printer));
        printer.stderr(&format!("{count} would be forgotten.\n"));
        return Ok(());
    }
    journal.forget(&runs)?;
    printer.stderr(&format!("{count} forgotten.\n"));
    Ok(())
}
