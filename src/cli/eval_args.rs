//! Arguments of `lmthing eval` (docs/reference/eval.md). Doc comments of options are help texts.

use std::{num::NonZeroU32, path::PathBuf};

use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;

use super::{
    approval_args::ApprovedArgs,
    batch_args::BatchArgs,
    complete::{FilesEndingIn, Models},
    limit_args::LimitArgs,
    pool_args::{PoolArgs, count},
    setup_args::FileArgs,
};
use lmthing_eval::report::FailUnder;

const EVAL_FILES: FilesEndingIn = FilesEndingIn(&[".eval.lmt.mjs", ".eval.lmt.js", ".eval.lmt.ts", ".eval.lmt.mts"]);

const RESULTS: FilesEndingIn = FilesEndingIn(&[".jsonl"]);

/// `lmthing eval`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Limits hold for all cells and judges together. A cell is a row, a variant, a model and a repetition.\n\
                  The same command again goes on: answers that stand in OUT are not asked for again, and are scored again.\n\n\
                  Exit codes: 0 done, 1 below --fail-under, a regression, a cell or score failed, or the file is missing or wrong, \
                  2 wrong usage, 4 a limit ended it, 130 interrupted."
)]
pub(super) struct EvalArgs {
    /// Eval files (.eval.lmt.mjs, .eval.lmt.js, .eval.lmt.ts or .eval.lmt.mts), and folders to search for them; the current
    /// folder when nothing is named
    #[arg(value_name = "PATH", add = ArgValueCompleter::new(EVAL_FILES))]
    pub(super) paths: Vec<PathBuf>,

    /// Compare these models, in place of config.model; a variant's own model stays
    #[arg(short, long, visible_alias = "model", value_name = "MODEL", value_delimiter = ',',
          value_parser = name, add = ArgValueCompleter::new(Models))]
    pub(super) models: Vec<String>,

    /// Run only these variants of the file
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = name)]
    pub(super) variants: Vec<String>,

    /// Ask for each answer N times
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = count::<NonZeroU32>)]
    pub(super) repeat: NonZeroU32,

    /// Compare with an earlier OUT
    #[arg(long, value_name = "OUT", add = ArgValueCompleter::new(RESULTS))]
    pub(super) baseline: Option<PathBuf>,

    /// Fail if the mean of a score is below a number, such as right=0.9; may be repeated
    #[arg(long, value_name = "SCORE=NUMBER", value_delimiter = ',', value_parser = clap::value_parser!(FailUnder))]
    pub(super) fail_under: Vec<FailUnder>,

    /// Fail if a score is worse than in the baseline; without one, than with the first variant
    #[arg(long)]
    pub(super) fail_on_regression: bool,

    /// What the report looks like, which goes to standard output
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) format: EvalFormat,

    /// Ask models for what is not in NAME.eval.recording.json yet, and write it there
    #[arg(long)]
    pub(super) record: bool,

    /// Ask models even if there is a NAME.eval.recording.json; with --record, record everything again
    #[arg(long)]
    pub(super) live: bool,

    #[command(flatten)]
    pub(super) pool: PoolArgs,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    #[command(flatten)]
    pub(super) files: FileArgs,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) approvals: ApprovedArgs,
}

/// What the report looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalFormat {
    /// Tables for people.
    #[default]
    Pretty,
    /// One JSON document.
    Json,
    /// Tables of Markdown, for a pull request.
    Markdown,
    /// A line a cell, for spreadsheets.
    Csv,
    /// One HTML page that loads nothing.
    Html,
}

/// One of a list, which may have spaces after its commas.
fn name(typed: &str) -> Result<String, &'static str> {
    let name = typed.trim();
    (!name.is_empty()).then(|| name.to_owned()).ok_or("expected a name")
}
