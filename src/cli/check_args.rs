//! Arguments of `lmthing check` (docs/reference/check.md). Doc comments of options are help texts.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, ValueEnum};

use super::pool_args::count;

/// `lmthing check`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Exit codes: 0 no errors, 1 errors or no prompt file, 2 wrong usage, 130 interrupted."
)]
pub(super) struct CheckArgs {
    /// Prompt files, and folders to search for them; the current folder when nothing is named
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// How findings are printed: for people, as one JSON object, or as annotations of GitHub Actions
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_default_value = true)]
    pub(super) format: CheckFormat,

    /// Show what the model would get first, and about how many tokens that is
    #[arg(long)]
    pub(super) print: bool,

    /// Render each file in two engines, then a second step, and show what differs: no provider's cache keeps it
    #[arg(long)]
    pub(super) cache: bool,

    /// Do not call the prompt function
    #[arg(long, conflicts_with_all = ["print", "cache", "input"])]
    pub(super) no_render: bool,

    /// The whole input of the files as a JSON object, @FILE or - for standard input
    #[arg(long, value_name = "JSON")]
    pub(super) input: Option<String>,

    /// Read variables from this file, before .env; may be repeated, and the last file wins
    #[arg(long, value_name = "FILE")]
    pub(super) env_file: Vec<PathBuf>,

    /// Count warnings as errors
    #[arg(long)]
    pub(super) strict: bool,

    /// Show only what counts as an error
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Check so many files at once; as many as there are processors when not given
    #[arg(short, long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub(super) jobs: Option<NonZeroUsize>,

    /// Check again when a file, or something it imports, changes
    #[arg(long)]
    pub(super) watch: bool,

    /// File for the paths that the check has read, for `--watch`
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) report_files: Option<PathBuf>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// For people: with the source and a mark under what is meant.
    #[default]
    Pretty,
    /// One JSON object.
    Json,
    /// Workflow commands of GitHub Actions, which make annotations of them.
    Github,
}
