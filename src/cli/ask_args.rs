//! Arguments of `lmthing ask` (docs/reference/ask.md). Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, ValueHint, builder::NonEmptyStringValueParser};
use clap_complete::ArgValueCompleter;

use super::{
    complete::{JSON_FILES, Models},
    limit_args::LimitArgs,
    show_args::ShowArgs,
};

/// `lmthing ask`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Examples:\n  lmthing ask What is a monad?\n  git diff | lmthing ask -s 'You review code.' Find mistakes.\n  \
                  lmthing ask -a invoice.pdf --schema 'number, total float, due: as YYYY-MM-DD' Read this invoice.\n\n\
                  Exit codes: those of run."
)]
pub(super) struct AskArgs {
    /// The model: provider:model or an alias. Without it LMTHING_MODEL, else the provider with a key, else local
    #[arg(short, long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new(),
          add = ArgValueCompleter::new(Models))]
    pub(super) model: Option<String>,

    /// The system prompt
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) system: Option<String>,

    /// Send this file as well: a picture, PDF, audio or text; may be repeated
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) attach: Vec<PathBuf>,

    /// Answer with JSON of this shape: a file with a JSON Schema, or fields as in 'name, age int, born: as YYYY-MM-DD'
    #[arg(long, value_name = "FILE|FIELDS", value_hint = ValueHint::FilePath)]
    pub(super) schema: Option<String>,

    #[command(flatten)]
    pub(super) show: ShowArgs,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    /// Read variables from this file, before .env; may be repeated, and the last file wins
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) env_file: Vec<PathBuf>,

    /// Answer from the mock items in this JSON file
    #[arg(long, value_name = "FILE", conflicts_with = "model", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) mock: Option<PathBuf>,

    /// The question; its words are joined by spaces. Standard input is added, unless it is a terminal
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,
}
