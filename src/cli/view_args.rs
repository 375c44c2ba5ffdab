//! Arguments of `lmthing view`. Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCompleter;

use super::complete::FilesEndingIn;

/// `lmthing view`.
#[derive(Args, Debug)]
#[command(after_help = "The page shows everything that was said and done; whoever gets it can read that.")]
pub(super) struct ViewArgs {
    /// The file to write, or - for standard output; lmthing-ID.html unless given
    #[arg(short, long, value_name = "OUT.html", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Open the page in the browser (LMTHING_BROWSER, else BROWSER, else the system's)
    #[arg(long)]
    pub(super) open: bool,

    /// The journal to look in (LMTHING_JOURNAL)
    #[arg(long, value_name = "PATH", require_equals = true, value_hint = ValueHint::FilePath)]
    pub(super) journal: Option<PathBuf>,

    /// The last run of this prompt file; for the language server
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "run")]
    pub(super) of: Option<PathBuf>,

    /// The run: its ID or the beginning of it, last, a file of events (run -f events, runs export), or - for standard input
    #[arg(value_name = "RUN", default_value = "last", hide_default_value = false,
          add = ArgValueCompleter::new(FilesEndingIn(&[".jsonl"])))]
    pub(super) run: PathBuf,
}
