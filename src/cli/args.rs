//! What can be typed (docs/reference.md, "The command line"). Doc comments in here are what the help shows.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, builder::StyledStr};

/// Run scripted LLM prompts.
#[derive(Debug, Parser)]
#[command(name = "lmthing", version, about, disable_help_subcommand = true, propagate_version = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a prompt file; the model's text streams to standard output
    Run(RunArgs),
    /// List providers and aliases, and whether each is configured
    Models(ModelsArgs),
}

/// `lmthing models`.
#[derive(Args, Debug)]
pub(super) struct ModelsArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `lmthing run`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 done, 1 the file is missing, wrong or its code threw, 2 wrong usage, 3 the model or \
                        provider failed, 4 a limit ended the run, 130 interrupted."
)]
pub(super) struct RunArgs {
    /// The prompt file: .lmt.mjs, .lmt.js, .lmt.ts or .lmt.mts
    pub(super) file: PathBuf,

    /// Write every exchange with a model to this file, without secrets, when the run has ended well
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(super) record: Option<PathBuf>,

    /// Answer from a file that --record wrote, without network or keys
    #[arg(long, value_name = "FILE")]
    pub(super) replay: Option<PathBuf>,

    // Everything behind the file is the file's own, dashes or not.
    /// Arguments for the prompt file, in process.argv from the third place on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) arguments: Vec<String>,
}

/// The help text, for a call without arguments.
pub(super) fn usage() -> StyledStr {
    Cli::command().render_help()
}
