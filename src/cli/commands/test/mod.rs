//! `lmthing test [PATH]…` (docs/reference/test.md).

mod console;
mod discover;
mod output;

use std::{num::NonZeroUsize, path::Path, sync::Arc, thread, time::Duration};

use self::{
    discover::{Discovered, discover},
    output::TestOutput,
};
use super::{prices::own_prices, prompt_file::ENDINGS, watch::WatchLoop};
use crate::cli::{
    ExitCode, Printer,
    env::{self, Environment},
    failure::{WrongUsage, io_error_text},
    interrupt::Interrupts,
    test_args::TestArgs,
};
use lmthing_system::{
    files::{FileReporter, absolute},
    process::exit_with_parent,
};
use lmthing_testing::{Mode, RecordingStore, SMOKE_TIMEOUT, TEST_TIMEOUT, TestOptions, Totals, Watcher, run_tests};

pub(in crate::cli) fn run(args: &TestArgs, printer: &Printer) -> ExitCode {
    if args.watch && args.report_files.is_none() {
        return watch(args).run_until_signal(printer);
    }
    if args.report_files.is_some() {
        exit_with_parent();
    }
    match test(args, printer) {
        Ok(code) => code,
        Err(wrong) => {
            printer.diagnostic(&wrong.into());
            ExitCode::Usage
        }
    }
}

fn watch(args: &TestArgs) -> WatchLoop {
    // Folders are reported by the run, as it knows which of their files matter.
    let files = args
        .files
        .env_file
        .iter()
        .chain(&args.files.mcp_config)
        .chain(&args.paths)
        .filter(|path| !path.is_dir())
        .cloned()
        .collect();
    WatchLoop { command: "test", run: "the test run", again: "testing again", files, is_quiet: false }
}

fn test(args: &TestArgs, printer: &Printer) -> Result<ExitCode, WrongUsage> {
    // First, so that an early interrupt still prints a summary.
    let interrupts = Interrupts::listen();
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.files.env_file);
    if let Some(wrong) = environment.wrong {
        return Err(wrong);
    }
    let reporter = FileReporter::to(args.report_files.as_deref())
        .map_err(|error| WrongUsage::plain(format!("--report-files: {}", io_error_text(&error))))?;
    let Discovered { subjects, looked_at, searched, problems } =
        discover(&args.paths).map_err(|wrong| advise(args, wrong))?;
    looked_at.iter().for_each(|path| reporter.note_read(path));
    searched.iter().for_each(|folder| reporter.searched(folder));
    for problem in environment.problems.iter().chain(&problems) {
        printer.stderr(&format!("Warning: {problem}\n"));
    }
    let options = options(args, &environment, &reporter)?;
    let mut output = TestOutput::new(args, printer, interrupts, &environment.variables)?;
    output.begin(subjects.len(), options.jobs.get());
    let totals = run_tests(&subjects, &options, &mut output);
    let finished = options.recordings.finish();
    options.watch_recordings();
    let problems = missing(args, subjects.len(), &totals).into_iter().chain(finished.errors).collect();
    Ok(output.end(&totals, finished.notes, problems))
}

fn options(args: &TestArgs, environment: &Environment, reporter: &FileReporter) -> Result<TestOptions, WrongUsage> {
    let mode = match (args.record, args.live) {
        (true, true) => Mode::RecordAll,
        (true, false) => Mode::Record,
        (false, true) => Mode::Live,
        (false, false) => Mode::Replay,
    };
    let limit = |usual: Duration| args.timeout.unwrap_or(usual);
    Ok(TestOptions {
        variables: environment.variables.clone(),
        mcp_config: args.files.mcp_config.as_deref().map(absolute),
        own_prices: own_prices(&environment.variables, reporter)?,
        recordings: RecordingStore::new(mode),
        is_live: args.live,
        is_ci: env::is_set(&environment.variables, "CI"),
        update: args.update,
        filter: args.filter.clone(),
        bail: args.bail,
        jobs: args.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        timeout: limit(TEST_TIMEOUT),
        smoke_timeout: limit(SMOKE_TIMEOUT),
        watcher: reporter.is_watched().then(|| Arc::new(ReportingWatcher(reporter.clone())) as Arc<dyn Watcher>),
    })
}

/// Adds a hint for `--bail N`, whose number was parsed as a path.
fn advise(args: &TestArgs, wrong: WrongUsage) -> WrongUsage {
    let number = args.paths.iter().filter_map(|path| path.to_str()).find(|path| path.parse::<usize>().is_ok());
    match number.filter(|number| args.bail.is_some() && !Path::new(number).exists()) {
        Some(number) => WrongUsage::new(
            format!("there is no file or folder {number}"),
            format!("a number of failures is --bail={number}"),
        ),
        None => wrong,
    }
}

fn missing(args: &TestArgs, files: usize, totals: &Totals) -> Option<String> {
    if files == 0 {
        let places: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
        let place = if places.is_empty() { String::new() } else { format!(" in {}", places.join(", ")) };
        let endings: Vec<String> = ENDINGS.iter().map(|ending| format!("*.test{ending}")).collect();
        return Some(format!(
            "no test was found{place}: neither a test file ({}) nor a prompt file with a mock or a recording",
            endings.join(", ")
        ));
    }
    let filter = args.filter.as_ref()?;
    let has_run = totals.passed + totals.failed + totals.errors > 0;
    let skipped = totals.skipped - totals.filtered;
    match (has_run, skipped, totals.todo) {
        (true, ..) => None,
        (_, 0, 0) => Some(format!("no test has {filter:?} in its name")),
        (_, skipped, todo) => {
            let counts = [(skipped, "skipped"), (todo, "still to be written")];
            let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
            let counts = counts.collect::<Vec<_>>().join(", ");
            Some(format!("no test with {filter:?} in its name was run: {counts}"))
        }
    }
}

struct ReportingWatcher(FileReporter);

impl Watcher for ReportingWatcher {
    fn note_read(&self, file: &Path) {
        self.0.note_read(file);
    }

    fn wrote(&self, file: &Path) {
        self.0.wrote(file);
    }
}
