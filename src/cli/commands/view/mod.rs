//! `lmthing view` (docs/reference/view.md): writes a run as an HTML page.

mod source;

use std::{
    fs,
    path::{Path, PathBuf},
};

use self::source::{Problem, cannot, problem};
use super::prompt_file::is_prompt_file;
use crate::cli::{ExitCode, Printer, browser, view_args::ViewArgs};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_store::trace::page::{self, RunLines};

const MAX_DAMAGED: usize = 5;

pub(in crate::cli) fn run(args: &ViewArgs, printer: &Printer) -> ExitCode {
    let target = match Target::of(args) {
        Ok(target) => target,
        Err(problem) => {
            printer.diagnostic(&problem);
            return ExitCode::Usage;
        }
    };
    let shown = show(args, &target, printer);
    match shown.and_then(|path| path.filter(|_| args.open).map_or(Ok(()), |path| open(&path))) {
        Ok(()) => ExitCode::Done,
        Err(problem) => {
            printer.diagnostic(&problem);
            ExitCode::File
        }
    }
}

/// Writes the page of a run and opens it in a browser, if there is one.
pub(super) fn open_run(run: &str, journal: &Path, printer: &Printer) -> Result<(), Problem> {
    let journal = Some(journal.to_owned());
    let args = ViewArgs { output: None, open: true, journal, of: None, run: run.into() };
    if let Some(path) = show(&args, &Target::Default, printer)?
        && let Err(why) = browser::open(&path)
    {
        printer.stderr(&format!("It could not be opened: {why}\n"));
    }
    Ok(())
}

enum Target {
    Stdout,
    /// A file, or a folder for it.
    Path(PathBuf),
    Default,
}

impl Target {
    fn of(args: &ViewArgs) -> Result<Self, Problem> {
        let Some(path) = &args.output else { return Ok(Target::Default) };
        if path == Path::new("-") {
            return match args.open {
                false => Ok(Target::Stdout),
                true => Err(problem("a browser cannot open what goes to standard output", "leave out -o -, or --open")),
            };
        }
        let is_input = fs::canonicalize(path).is_ok_and(|out| fs::canonicalize(&args.run).is_ok_and(|run| run == out));
        if is_input || is_prompt_file(path) {
            let what = if is_input { "the run that is to be shown" } else { "a prompt file" };
            let message = format!("{} is {what}, and would be written over", path.display());
            return Err(problem(&message, "name a file for the page: -o run.html"));
        }
        Ok(Target::Path(path.clone()))
    }

    fn path(&self, told: &RunLines) -> Option<PathBuf> {
        match self {
            Target::Stdout => None,
            Target::Path(path) if path.is_dir() => Some(path.join(default_name(told))),
            Target::Path(path) => Some(path.clone()),
            Target::Default => Some(PathBuf::from(default_name(told))),
        }
    }
}

/// `lmthing-ID.html`. The id is sanitized, as it comes from the file of events.
fn default_name(told: &RunLines) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
    let id: String = told.id.chars().filter(is_plain).take(64).collect();
    format!("lmthing-{}.html", if id.is_empty() { "run" } else { &id })
}

/// Returns the path of the page, unless it went to standard output.
fn show(args: &ViewArgs, target: &Target, printer: &Printer) -> Result<Option<PathBuf>, Problem> {
    let told = source::read(args)?;
    for note in notes(&told) {
        printer.stderr(&format!("Warning: {note}\n"));
    }
    let page = page::write(lmthing_runtime::VIEW, &told)
        .map_err(|error| Diagnostic::new(format!("cannot make the page: {error}")))?;
    let Some(path) = target.path(&told) else {
        printer.text(&page);
        printer.flush();
        return Ok(None);
    };
    write(&path, &page)?;
    printer.stderr(&format!("Wrote {}.\n", path.display()));
    Ok(Some(path))
}

fn notes(told: &RunLines) -> Vec<String> {
    let mut notes = Vec::new();
    if let [first, rest @ ..] = &told.damaged[..] {
        let shown: Vec<String> = told.damaged.iter().take(MAX_DAMAGED).map(usize::to_string).collect();
        let more = told.damaged.len().saturating_sub(MAX_DAMAGED);
        notes.push(match (rest.len(), more) {
            (0, _) => format!("line {first} is damaged and left out"),
            (_, 0) => format!("lines {} are damaged and left out", shown.join(", ")),
            (_, more) => format!("lines {} and {more} more are damaged and left out", shown.join(", ")),
        });
    }
    match told.others {
        0 => {}
        1 => notes.push(format!("there are two runs in it; this is the page of the last one, {}", told.id)),
        others => {
            notes.push(format!("there are {} runs in it; this is the page of the last one, {}", others + 1, told.id))
        }
    }
    notes
}

fn write(path: &Path, page: &str) -> Result<(), Problem> {
    fs::write(path, page).map_err(|error| {
        let problem = cannot("write", &path.display().to_string(), &error);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        folder.map_or(problem.clone(), |folder| {
            Box::new(problem.with_hint(format!("make the folder {} first", folder.display())))
        })
    })
}

fn open(path: &Path) -> Result<(), Problem> {
    browser::open(path).map_err(|why| {
        let message = format!("cannot open {} in a browser: {why}", path.display());
        problem(&message, "the page is written; open it by hand, or name a browser in LMTHING_BROWSER")
    })
}
