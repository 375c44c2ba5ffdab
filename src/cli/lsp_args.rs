//! Arguments of `lmthing lsp`. Doc comments of options are help texts.

use std::{ffi::OsString, path::PathBuf};

use clap::Args;

/// `lmthing lsp`.
#[derive(Args, Debug)]
#[command(after_help = "An editor starts it; what each one needs to be set up is in the guide, docs/guide/editors.md.")]
pub(super) struct LspArgs {
    /// Use standard input and output, as always; editors pass it
    #[arg(long)]
    pub(super) stdio: bool,

    /// The process of the editor; the server watches the one that initialize names
    #[arg(long = "clientProcessId", value_name = "PID", hide = true)]
    pub(super) client_process: Option<u32>,
}

/// A command that runs on texts that are not saved.
#[derive(Args, Debug)]
pub(super) struct UnsavedArgs {
    /// A JSON object: paths and the texts of their files
    pub(super) table: PathBuf,

    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(super) arguments: Vec<OsString>,
}
