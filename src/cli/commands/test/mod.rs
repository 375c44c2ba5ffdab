//! `lmthing test [PATH]…` (docs/testing.md): from arguments to results on standard output.

use std::{num::NonZeroUsize, path::Path, thread, time::Duration};

use crate::{
    check::is_test_file,
    cli::{ExitCode, Printer, env, test_args::TestArgs},
    testing::{
        FileOutcome, Kind, Listener, Mode, Progress, SMOKE_TIMEOUT, Shelf, Subject, TEST_TIMEOUT, TestOptions,
        run_tests,
    },
};

/// Runs the tests and prints what came of them.
pub(in crate::cli) fn run(args: &TestArgs, printer: &Printer) -> ExitCode {
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.env_file);
    let mut subjects = Vec::new();
    let here = [".".into()];
    for path in if args.paths.is_empty() { &here[..] } else { &args.paths[..] } {
        for entry in ignore::WalkBuilder::new(path).build().flatten().filter(|entry| is_test_file(entry.path())) {
            subjects.push(Subject { file: entry.into_path(), kind: Kind::Tests });
        }
    }
    subjects.sort_by(|one, other| one.file.cmp(&other.file));
    let is_ci = environment.variables.iter().any(|(name, value)| name == "CI" && value != "" && value != "false");
    let mode = match (args.record, args.live) {
        (true, true) => Mode::RecordAll,
        (true, false) => Mode::Record,
        (false, true) => Mode::Live,
        (false, false) => Mode::Replay,
    };
    let options = TestOptions {
        variables: environment.variables,
        own_prices: Default::default(),
        shelf: Shelf::new(mode),
        is_live: args.live,
        is_ci,
        update: args.update,
        filter: args.filter.clone(),
        bail: args.bail,
        jobs: args.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        timeout: args.timeout.map_or(TEST_TIMEOUT, Duration::from_secs_f64),
        smoke_timeout: args.timeout.map_or(SMOKE_TIMEOUT, Duration::from_secs_f64),
    };
    let totals = run_tests(&subjects, &options, &mut Plain(printer));
    printer.text(&format!("{totals:#?}\n"));
    printer.flush();
    if totals.failed + totals.errors == 0 && totals.passed > 0 { ExitCode::Done } else { ExitCode::File }
}

struct Plain<'a>(&'a Printer);

impl Listener for Plain<'_> {
    fn printed(&mut self, file: &Path, test: &str, text: &str) {
        self.0.stderr(&format!("{} > {test}\n{text}", file.display()));
    }

    fn progress(&mut self, _: &Progress<'_>) {}

    fn file(&mut self, file: &FileOutcome) {
        self.0.text(&format!("{file:#?}\n"));
    }
}
