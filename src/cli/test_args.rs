//! Arguments of `lmthing test` (docs/reference/command-line.md). Doc comments of options are help texts.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::ArgValueCompleter;

use super::{complete::PromptFiles, pool_args::count, setup_args::FileArgs};
use lmthing_base::cost::{Limits, ParseLimitError};

/// `lmthing test`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Exit codes: 0 all passed, 1 a failure or nothing to test, 2 wrong usage, 130 interrupted."
)]
pub(super) struct TestArgs {
    /// Test files, prompt files, and folders to search for them; the current folder when nothing is named
    #[arg(value_name = "PATH", add = ArgValueCompleter::new(PromptFiles))]
    pub(super) paths: Vec<PathBuf>,

    /// Run only tests with this in their full name: titles joined by ' > '
    #[arg(short = 't', long, value_name = "TEXT")]
    pub(super) filter: Option<String>,

    /// How results are printed: for people, as TAP 14, or as the JSON document that Vitest prints
    #[arg(short, long, value_name = "REPORTER", value_enum, default_value_t, hide_default_value = true)]
    pub(super) reporter: TestReporter,

    /// Write results as JUnit XML as well
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) junit: Option<PathBuf>,

    /// Begin no more tests after N failures; after the first when N is not given
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = count::<NonZeroUsize>)]
    pub(super) bail: Option<NonZeroUsize>,

    /// Write snapshots that do not match again, and remove those that nothing asks for
    #[arg(short, long)]
    pub(super) update: bool,

    /// Ask models for what is not in a recording yet, and write it there; keys are needed
    #[arg(long)]
    pub(super) record: bool,

    /// Ask models, and let tests reach other machines; with --record, record everything again
    #[arg(long)]
    pub(super) live: bool,

    /// How long a test may take, such as 30s or 500ms; a bare number is seconds, 0 is no limit
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    pub(super) timeout: Option<Duration>,

    #[command(flatten)]
    pub(super) files: FileArgs,

    /// Run so many files at once; as many as there are processors when not given
    #[arg(short, long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub(super) jobs: Option<NonZeroUsize>,

    /// Run again when a file that the tests are made of changes
    #[arg(long)]
    pub(super) watch: bool,

    /// Where a run that is watched writes which files it is made of
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) report_files: Option<PathBuf>,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TestReporter {
    /// For people.
    #[default]
    Pretty,
    /// The Test Anything Protocol, version 14.
    Tap,
    /// One JSON document.
    Json,
}

fn time(typed: &str) -> Result<Duration, ParseLimitError> {
    match typed.trim() {
        "0" => Ok(Duration::ZERO),
        other => Limits::parse_time(other),
    }
}
