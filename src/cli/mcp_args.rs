//! Arguments of `lmthing mcp` (docs/reference/mcp.md). Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, builder::NonEmptyStringValueParser};
use clap_complete::ArgValueCompleter;

use super::{call_args::CallArgs, complete::PromptFiles};

/// `lmthing mcp`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    after_help = "A client takes it in with an entry among its servers:
  {\"mcpServers\": {\"prompts\": {\"command\": \"lmthing\", \"args\": [\"mcp\", \"/path/to/prompts\"]}}}

Exit codes: 0 the client is gone, 1 there is nothing to serve, 2 wrong usage, 130 interrupted, 143 asked to end."
)]
pub(super) struct McpArgs {
    /// Prompt files, and folders to search for them; each file is a tool
    #[arg(required = true, value_name = "PATH", add = ArgValueCompleter::new(PromptFiles))]
    pub(super) paths: Vec<PathBuf>,

    /// Serve over HTTP at HOST:PORT, or at a port of this machine, and not over standard input and output
    #[arg(long, value_name = "ADDR")]
    pub(super) http: Option<String>,

    /// With --http: let in only who sends the bearer token in this variable
    #[arg(long, value_name = "NAME", requires = "http", value_parser = NonEmptyStringValueParser::new())]
    pub(super) token_env: Option<String>,

    #[command(flatten)]
    pub(super) calls: CallArgs,

    /// Show only errors, here and of calls
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Print a line for every step and every tool call of every call on standard error
    #[arg(short, long)]
    pub(super) verbose: bool,
}
