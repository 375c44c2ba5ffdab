//! Arguments of `lmthing resume` (docs/reference/resume.md). Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCompleter;

use super::{
    approval_args::DecisionArgs,
    complete::{Models, RunIds},
    limit_args::LimitArgs,
    permission_args::PermissionArgs,
    say_args::SayArgs,
    show_args::ShowArgs,
};

/// `lmthing resume`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Limits count from here on, those in the file from the beginning of the run.\n\nExit codes: those of run; \
                  1 also when the run cannot go on, because it is under way elsewhere or a state of it could not be stored."
)]
pub(super) struct ResumeArgs {
    /// Go back: ask step N again, with everything as it was before it, in a new run
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) from: Option<String>,

    #[command(flatten)]
    pub(super) say: SayArgs,

    /// The model to take from here on: provider:model or an alias
    #[arg(short, long, value_name = "MODEL", value_parser = clap::builder::NonEmptyStringValueParser::new(),
          add = ArgValueCompleter::new(Models))]
    pub(super) model: Option<String>,

    /// Read variables from this file, before .env; may be repeated, and takes the place of those of the first command
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) env_file: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) show: ShowArgs,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) approvals: DecisionArgs,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,

    /// The journal that holds the run
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(super) journal: Option<PathBuf>,

    /// The run: its name, or the beginning of it, as `lmthing runs` lists it; last is the one that began last
    #[arg(value_name = "ID|last", add = ArgValueCompleter::new(RunIds))]
    pub(super) id: String,
}
