//! Arguments of `lmthing map` (docs/reference/map.md). Doc comments of options are help texts.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::ArgValueCompleter;

use super::{
    approval_args::ApprovedArgs,
    batch_args::BatchArgs,
    complete::{FilesEndingIn, PromptFiles},
    limit_args::LimitArgs,
    permission_args::PermissionArgs,
    pool_args::PoolArgs,
    remote_args::RemoteArgs,
    setup_args::SetupArgs,
};
use lmthing_base::input::ColumnSetting;

const ROWS: FilesEndingIn = FilesEndingIn(&[".jsonl", ".ndjson", ".csv", ".tsv"]);

/// `lmthing map`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    override_usage = "lmthing map [OPTIONS] FILE --input ROWS [-o OUT]\n       lmthing map --cancel OUT",
    after_help = "Limits hold for all rows together; config.limits of the file holds for each row.\n\
                  The same command again goes on: rows whose results stand in OUT are not run again.\n\n\
                  Exit codes: 0 every row is done, or submitted with --no-wait, 1 rows failed, or the file is missing or wrong, \
                  2 wrong usage, 4 a limit ended it, 130 interrupted."
)]
pub(super) struct MapArgs {
    /// The prompt file (.lmt.mjs, .lmt.js, .lmt.ts or .lmt.mts); its input says what a row is
    #[arg(value_name = "FILE", required_unless_present = "cancel", add = ArgValueCompleter::new(PromptFiles))]
    pub(super) file: Option<PathBuf>,

    /// The rows: a file of JSON Lines, CSV or TSV, or - for standard input
    #[arg(long, value_name = "ROWS", required_unless_present_any = ["each", "cancel"], conflicts_with = "each",
          add = ArgValueCompleter::new(ROWS))]
    pub(super) input: Option<PathBuf>,

    /// A row {path, text} for each file with such a name, such as 'docs/**/*.md'
    #[arg(long, value_name = "GLOB")]
    pub(super) each: Option<String>,

    /// Take a property of the input from a column of another name; may be repeated
    #[arg(long, value_name = "PROPERTY=COLUMN", value_parser = setting)]
    pub(super) set: Vec<ColumnSetting>,

    /// What results look like: a line of JSON for each row, or a table for spreadsheets
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) format: MapFormat,

    /// Write results as rows finish, not in the order of the rows
    #[arg(long)]
    pub(super) unordered: bool,

    #[command(flatten)]
    pub(super) pool: PoolArgs,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    /// Cancel the batches that a map with this output has under way
    #[arg(long, value_name = "OUT", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["file", "input", "each", "output", "batch", "fresh", "on"])]
    pub(super) cancel: Option<PathBuf>,

    #[command(flatten)]
    pub(super) remote: RemoteArgs,

    #[command(flatten)]
    pub(super) setup: SetupArgs,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) approvals: ApprovedArgs,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,
}

impl MapArgs {
    /// The prompt file; empty with `--cancel`.
    pub(super) fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }
}

/// What results look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum MapFormat {
    /// A line of JSON for each row.
    #[default]
    Jsonl,
    /// A table for spreadsheets.
    Csv,
}

fn setting(typed: &str) -> Result<ColumnSetting, &'static str> {
    match typed.split_once('=').map(|(property, column)| (property.trim(), column.trim())) {
        Some((property, column)) if !property.is_empty() && !column.is_empty() => {
            Ok(ColumnSetting { property: property.to_owned(), column: column.to_owned() })
        }
        _ => Err("expected PROPERTY=COLUMN, such as city=town"),
    }
}
