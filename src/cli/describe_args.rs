//! Arguments of `lmthing __describe`, which only [`lmthing_serve`] calls.

use std::path::PathBuf;

use clap::Args;

use super::{permission_args::PermissionArgs, setup_args::SetupArgs};
use lmthing_base::cost::Limits;

/// `lmthing __describe`.
#[derive(Args, Debug)]
pub(super) struct DescribeArgs {
    #[command(flatten)]
    pub(super) setup: SetupArgs,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,

    /// How long the file may take to load
    #[arg(long, value_parser = Limits::parse_time)]
    pub(super) limit: std::time::Duration,

    /// File for the paths that were read, for `--watch`
    #[arg(long)]
    pub(super) report_files: Option<PathBuf>,

    /// The process to end with
    #[arg(long)]
    pub(super) served_by: Option<u32>,

    pub(super) file: PathBuf,
}
