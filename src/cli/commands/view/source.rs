//! Loads the run for `lmthing view` from the journal, a file or standard input.

use std::{io, path::Path};

use crate::cli::{commands::journal, env, failure::io_error_text, view_args::ViewArgs};
use lmthing_base::diagnostic::{Diagnostic, did_you_mean};
use lmthing_store::{
    journal::{Journal, JournalError, RunInfo},
    trace::page::RunLines,
};
use lmthing_system::user_file::{self, MAX_TEXT};

const ENDINGS: [&str; 3] = ["jsonl", "ndjson", "json"];

pub(super) fn read(args: &ViewArgs) -> Result<RunLines, Problem> {
    let run = &args.run;
    if args.of.is_some() {
        return of_journal(args);
    }
    if run == Path::new("-") {
        let bytes = user_file::read_all(io::stdin().lock(), MAX_TEXT);
        let bytes = bytes.map_err(|error| cannot("read", "standard input", &error))?;
        return parse_events(&bytes, "standard input");
    }
    if !is_file(run) {
        return of_journal(args);
    }
    let bytes = user_file::read(run, MAX_TEXT).map_err(|error| {
        let problem = cannot("read", &run.display().to_string(), &error);
        let near = did_you_mean(run, has_ending).filter(|_| error.kind() == io::ErrorKind::NotFound);
        near.map_or(problem.clone(), |hint| Box::new(problem.with_hint(hint)))
    })?;
    parse_events(&bytes, &run.display().to_string())
}

/// Whether the argument names a file rather than a run of the journal.
fn is_file(word: &Path) -> bool {
    word.components().count() > 1 || word.starts_with(".") || has_ending(word) || word.is_file()
}

fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

fn parse_events(bytes: &[u8], name: &str) -> Result<RunLines, Problem> {
    RunLines::of_bytes(bytes).ok_or_else(|| {
        let why = if bytes.trim_ascii().is_empty() { "it is empty" } else { "none of its lines is an event" };
        let hint = "events are what these print: lmthing run -f events FILE, lmthing runs export ID";
        problem(&format!("{name} is no run: {why}"), hint)
    })
}

/// Loads a run by its id, a prefix of it, `last`, or its file.
fn of_journal(args: &ViewArgs) -> Result<RunLines, Problem> {
    let directory = std::env::current_dir().unwrap_or_default();
    let (variables, _) = env::variables(&directory);
    let path = journal::path(args.journal.as_deref(), &variables, &directory);
    let (run, mut told) = find(&path, args).map_err(|error| {
        let is_missing = !path.exists();
        let diagnostic = Diagnostic::from(error);
        let hint = "lmthing run --journal FILE writes one; a run from a file is shown by: lmthing view FILE.jsonl";
        Box::new(if is_missing { diagnostic.with_hint(hint) } else { diagnostic })
    })?;
    if !told.has_events() {
        return Err(Box::new(Diagnostic::new(format!("nothing is known of what happened in the run {}", run.id))));
    }
    told.id = run.id;
    told.status = Some(run.status.as_str());
    Ok(told)
}

fn find(path: &Path, args: &ViewArgs) -> Result<(RunInfo, RunLines), JournalError> {
    let journal = Journal::read(path)?;
    let run = match &args.of {
        Some(file) => journal.last_run_of(file)?,
        None => journal.find(&args.run.to_string_lossy())?,
    };
    let mut told = RunLines::default();
    journal.lines_with_states(&run, |line| told.add_line(line.as_bytes()))?;
    Ok((run, told))
}

pub(super) type Problem = Box<Diagnostic>;

pub(super) fn cannot(what: &str, name: &str, error: &io::Error) -> Problem {
    Box::new(Diagnostic::new(format!("cannot {what} {name}: {}", io_error_text(error))))
}

pub(super) fn problem(message: &str, hint: &str) -> Problem {
    Box::new(Diagnostic::new(message).with_hint(hint))
}
