//! Arguments of `lmthing chat` (docs/reference/chat.md). Doc comments of options are help texts.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueHint};
use clap_complete::ArgValueCompleter;

use super::{
    approval_args::ApprovalArgs,
    complete::{AtFile, FileAndInput, JSON_FILES, RunIds},
    limit_args::LimitArgs,
    permission_args::PermissionArgs,
    setup_args::SetupArgs,
    show_args::ShowArgs,
};

/// `lmthing chat`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    override_usage = "lmthing chat [OPTIONS] FILE [INPUT]...\n       lmthing chat [OPTIONS] --resume [ID|last]",
    after_help = "Not on a terminal, each line of standard input is a message. Limits count for this process.\n\nExit codes: \
                  those of run."
)]
pub(super) struct ChatArgs {
    /// Go on with a conversation of the journal: its name, the beginning of it, or last. Its file is known from there
    #[arg(long, value_name = "ID|last", num_args = 0..=1, default_missing_value = "last",
          conflicts_with = "file_and_words", add = ArgValueCompleter::new(RunIds))]
    pub(super) resume: Option<String>,

    /// The whole input of the file as a JSON object, or @FILE
    #[arg(long, value_name = "JSON", conflicts_with = "resume", add = ArgValueCompleter::new(AtFile))]
    pub(super) input: Option<String>,

    #[command(flatten)]
    pub(super) setup: SetupArgs,

    #[command(flatten)]
    pub(super) show: ShowArgs,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) approvals: ApprovalArgs,

    /// With --resume: deny the call of this id, which the conversation waits for; the model gets the reason. May be
    /// repeated
    #[arg(long, value_name = "CALL[=REASON]", requires = "resume")]
    pub(super) deny: Vec<String>,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,

    /// The journal to write to or to look in, when it is not the one that is found
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(super) journal: Option<PathBuf>,

    /// Write every exchange with a model to this file, without secrets, when the chat has ended well
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "resume"], add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) record: Option<PathBuf>,

    /// Answer from a file that --record wrote, without network or keys
    #[arg(long, value_name = "FILE", conflicts_with = "resume", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) replay: Option<PathBuf>,

    /// The prompt file (.lmt.mjs, .lmt.js, .lmt.ts or .lmt.mts) and its input
    #[arg(required_unless_present = "resume", trailing_var_arg = true, value_name = "FILE",
          add = ArgValueCompleter::new(FileAndInput))]
    pub(super) file_and_words: Vec<OsString>,
}
