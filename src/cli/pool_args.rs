//! Options of commands that run many rows (docs/reference/map.md). Doc comments of options are help texts.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    str::FromStr,
};

use clap::{Args, ValueHint};

use lmthing_map::MaxErrors;

/// How many rows, or cells of rows, run, and how.
#[derive(Args, Debug)]
pub(super) struct PoolArgs {
    /// Write the results to this file, and go on where it ends
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Forget the results that stand in OUT
    #[arg(long)]
    pub(super) fresh: bool,

    /// Run only N of the rows, spread over all of them, and the same each time
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU64>)]
    pub(super) sample: Option<NonZeroU64>,

    /// Run so many at once at most; how many really run follows the limits of providers
    #[arg(short, long, value_name = "N", default_value = "16", value_parser = count::<NonZeroUsize>)]
    pub(super) jobs: NonZeroUsize,

    /// Run again what has failed, N times at most
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) retries: u32,

    /// Begin no more once more than N, or P% of all, have failed
    #[arg(long, value_name = "N|P%", value_parser = MaxErrors::parse)]
    pub(super) max_errors: Option<MaxErrors>,

    /// Show only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Print a line for each on standard error
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// Reads a whole number from 1 on.
pub(super) fn count<T: FromStr>(typed: &str) -> Result<T, &'static str> {
    typed.parse().map_err(|_| "expected a whole number from 1 on")
}
