//! Arguments of `lmthing worker` (docs/reference/worker.md). Doc comments of options are help texts.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::ArgValueCompleter;
use url::Url;

use super::{
    approval_args::ApprovedArgs, complete::PromptFiles, limit_args::LimitArgs, permission_args::PermissionArgs,
    pool_args::count, setup_args::SetupArgs,
};
use lmthing_base::cost::Limits;

/// `lmthing worker`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "Limits hold for each run. Calls that need approval wait for: lmthing approve ID yes|no\n\
                  A worker that is asked to end finishes the steps under way, and gives its runs back to Restate.\n\n\
                  Exit codes: 1 there is nothing to serve, the address is taken or Restate refuses the worker, 2 wrong usage, \
                  130 interrupted, 143 asked to end."
)]
pub(super) struct WorkerArgs {
    /// Prompt files, and folders to search for them; each file is a service
    #[arg(required = true, value_name = "PATH", add = ArgValueCompleter::new(PromptFiles))]
    pub(super) paths: Vec<PathBuf>,

    /// Serve at HOST:PORT, or at a port of this machine; port 0 is any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9080")]
    pub(super) listen: String,

    /// Let other machines call at ADDR without --identity-key: anyone who reaches it can run the prompt files
    #[arg(long)]
    pub(super) open: bool,

    /// Answer only requests that are signed with this key, publickeyv1_…; may be repeated
    #[arg(long, value_name = "KEY")]
    pub(super) identity_key: Vec<String>,

    /// Register at the Restate server whose admin API is there, such as http://127.0.0.1:9070, and wait for it
    #[arg(long, value_name = "URL", value_parser = address, value_hint = ValueHint::Url)]
    pub(super) register: Option<Url>,

    /// Where Restate reaches this worker; http://ADDR unless given
    #[arg(long, value_name = "URL", value_parser = address, value_hint = ValueHint::Url)]
    pub(super) advertise: Option<Url>,

    /// Run so many prompt files at once at most
    #[arg(short, long, value_name = "N", default_value = "64", value_parser = count::<NonZeroUsize>)]
    pub(super) jobs: NonZeroUsize,

    /// Keep what this machine has done in this file; .lmthing/worker.db in the nearest folder upwards with a journal unless given
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(super) journal: Option<PathBuf>,

    /// How long a run is tried again whose model does not answer, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = Limits::parse_time)]
    pub(super) retry_for: Duration,

    /// What lines on standard error look like
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) log: LogForm,

    #[command(flatten)]
    pub(super) setup: SetupArgs,

    /// Tell only of warnings and errors
    #[arg(short, long)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) approved: ApprovedArgs,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,
}

/// What lines look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum LogForm {
    /// A line to read.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

fn address(typed: &str) -> Result<Url, &'static str> {
    let expected = "expected an address such as http://127.0.0.1:9070";
    Url::parse(typed).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or(expected)
}
