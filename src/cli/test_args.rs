//! What can be typed behind `lmthing test` (docs/testing.md). Doc comments in here are what the help shows.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, ValueEnum};

/// `lmthing test`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Exit codes: 0 all passed, 1 a failure or nothing to test, 2 wrong usage, 130 interrupted."
)]
pub(super) struct TestArgs {
    /// Test files, prompt files, and folders to search for them; the current folder when nothing is named
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// Run only tests with this in their full name
    #[arg(short, long, value_name = "TEXT")]
    pub(super) filter: Option<String>,

    /// How results are printed: for people, as TAP 14, or as the JSON document that Vitest prints
    #[arg(short, long, value_name = "REPORTER", value_enum, default_value_t, hide_default_value = true)]
    pub(super) reporter: TestReporter,

    /// Write results as JUnit XML as well
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,

    /// Begin no more tests after N failures; after the first when N is not given
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(super) bail: Option<NonZeroUsize>,

    /// Write snapshots anew that do not match, and remove those that nothing asks for
    #[arg(short, long)]
    pub(super) update: bool,

    /// Ask models for what is not in a recording yet, and write it there; keys are needed
    #[arg(long)]
    pub(super) record: bool,

    /// Ask models, and let tests reach other machines
    #[arg(long)]
    pub(super) live: bool,

    /// How long a test may take, in seconds; 0 for no limit
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<f64>,

    /// Read variables from this file, before .env; may be repeated, and the last file wins
    #[arg(long, value_name = "FILE")]
    pub(super) env_file: Vec<PathBuf>,

    /// Run so many files at once; as many as there are processors when not given
    #[arg(short, long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,

    /// Run again what a change concerns
    #[arg(long)]
    pub(super) watch: bool,

    /// Where a run that is watched tells which files it is made of
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
