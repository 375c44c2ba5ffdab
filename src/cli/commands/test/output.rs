//! Output of a test run: reports on standard output, output of tests on standard error, JUnit XML in a file.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::console::Console;
use crate::cli::{
    ExitCode, Printer, env,
    failure::{WrongUsage, io_error_text},
    interrupt::Interrupts,
    status_line::StatusLine,
    test_args::{TestArgs, TestReporter},
};
use lmthing_testing::{
    FileOutcome, Listener, Progress, Totals,
    report::{Annotations, End, JUnit, Json, Live, Output, Pretty, ReportStyle, Reporter, Tap},
};

pub(super) struct TestOutput<'a> {
    printer: &'a Printer,
    reporters: Vec<Box<dyn Reporter>>,
    junit: Option<(PathBuf, JUnit)>,
    line: StatusLine,
    console: Console<'a>,
    interrupts: Interrupts,
    signal: Option<i32>,
    /// Whether a `--watch` process will start the next run, so that partial results are not printed.
    is_watched: bool,
    is_for_people: bool,
    is_empty: bool,
}

impl<'a> TestOutput<'a> {
    /// Fails if the file of `--junit` cannot be written.
    pub(super) fn new(
        args: &TestArgs,
        printer: &'a Printer,
        interrupts: Interrupts,
        variables: &[(String, String)],
    ) -> Result<Self, WrongUsage> {
        let folder = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
        let look = ReportStyle {
            has_colours: printer.stdout_has_colours(),
            columns: printer.columns().filter(|_| printer.stdout_is_terminal()),
            folder: folder.clone(),
        };
        let mut reporters: Vec<Box<dyn Reporter>> = match args.reporter {
            TestReporter::Pretty => vec![Box::new(Pretty::new(&look))],
            TestReporter::Tap => vec![Box::new(Tap::new(folder.clone()))],
            TestReporter::Json => vec![Box::new(Json::new(folder.clone()))],
        };
        if env::is_set(variables, "GITHUB_ACTIONS") {
            let workspace = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
            reporters.push(Box::new(Annotations::new(folder.clone(), workspace)));
        }
        let junit = match &args.junit {
            Some(path) => {
                writable(path).map_err(|error| cannot_write(path, &error))?;
                Some((path.clone(), JUnit::new(folder)))
            }
            None => None,
        };
        let (line, is_watched) = (StatusLine::new(printer), args.report_files.is_some());
        let (is_for_people, is_empty) = (args.reporter == TestReporter::Pretty, false);
        Ok(TestOutput {
            printer,
            reporters,
            junit,
            line,
            console: Console::new(printer, false),
            interrupts,
            signal: None,
            is_watched,
            is_for_people,
            is_empty,
        })
    }

    pub(super) fn begin(&mut self, files: usize, jobs: usize) {
        let at = SystemTime::now();
        self.is_empty = files == 0;
        self.console = Console::new(self.printer, files.min(jobs) <= 1);
        if let Some((_, junit)) = &mut self.junit {
            junit.begin(files, at);
        }
        self.report(|reporter| reporter.begin(files, at));
    }

    /// Prints the end of the reports and returns the exit code. `problems` belong to no file.
    pub(super) fn end(mut self, totals: &Totals, notes: Vec<String>, problems: Vec<String>) -> ExitCode {
        self.line.clear();
        let is_ok = totals.failed + totals.errors == 0 && problems.is_empty() && self.signal.is_none();
        let end = End { totals, is_ok, notes: &notes };
        // Without test files, the error message is enough for people.
        let is_said = self.is_empty && self.is_for_people;
        if !is_said && (self.signal.is_none() || !self.is_watched) {
            self.report(|reporter| reporter.end(&end));
        }
        let mut problems = problems;
        if let Some((path, junit)) = &mut self.junit
            && let Err(error) = fs::write(&*path, junit.end(&end).stdout)
        {
            problems.push(format!("--junit {}: {}", path.display(), io_error_text(&error)));
        }
        for problem in &problems {
            self.printer.stderr(&format!("Error: {problem}\n"));
        }
        match self.signal {
            Some(signal) => ExitCode::Interrupted(signal),
            None if is_ok && problems.is_empty() => ExitCode::Done,
            None => ExitCode::File,
        }
    }

    fn report(&mut self, call: impl Fn(&mut dyn Reporter) -> Output) {
        let outputs: Vec<Output> = self.reporters.iter_mut().map(|reporter| call(&mut **reporter)).collect();
        for Output { stdout, stderr } in outputs {
            if stdout.is_empty() && stderr.is_empty() {
                continue;
            }
            self.console.end_line();
            self.printer.styled(&stdout);
            self.printer.flush();
            if !stderr.is_empty() {
                self.printer.stderr(&stderr);
            }
        }
    }
}

impl Listener for TestOutput<'_> {
    fn printed(&mut self, file: &Path, test: &str, text: &str) {
        self.console.printed(file, test, text);
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        let names: Vec<String> = progress.running.iter().map(|file| file.display().to_string()).collect();
        let live = Live {
            done: progress.done,
            files: progress.files,
            passed: progress.passed,
            failed: progress.failed,
            running: names.iter().map(String::as_str).collect(),
        };
        // Not below an unfinished line.
        if !self.console.is_line_begun() {
            self.line.draw(|| live.line());
        }
    }

    fn file(&mut self, file: &FileOutcome) {
        self.console.show(&file.file);
        if let Some((_, junit)) = &mut self.junit {
            junit.file(file);
        }
        self.report(|reporter| reporter.file(file));
    }

    fn is_interrupted(&mut self) -> bool {
        self.signal = self.signal.or_else(|| self.interrupts.try_next());
        self.signal.is_some()
    }
}

/// Checks that a file can be written, without changing it.
fn writable(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().append(true).create(true).open(path).map(drop)
}

fn cannot_write(path: &Path, error: &io::Error) -> WrongUsage {
    let hint = "expected a path for a report, such as reports/junit.xml";
    WrongUsage::new(format!("--junit {}: cannot write the file: {}", path.display(), io_error_text(error)), hint)
}
