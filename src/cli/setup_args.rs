//! Options of everything that runs prompt files. Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCompleter;

use super::complete::{JSON_FILES, Models};

/// What many prompt files are run with.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct FileArgs {
    /// Read variables from this file, before .env; may be repeated, and the last file wins
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) env_file: Vec<PathBuf>,

    /// Look up the MCP servers that prompt files name in this file, an mcp.json
    #[arg(long, value_name = "FILE", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) mcp_config: Option<PathBuf>,
}

/// What a prompt file is run with.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct SetupArgs {
    /// The model to take in place of config.model: provider:model or an alias
    #[arg(short, long, value_name = "MODEL", value_parser = clap::builder::NonEmptyStringValueParser::new(),
          add = ArgValueCompleter::new(Models))]
    pub(super) model: Option<String>,

    /// Answer from the mock items in this JSON file, in place of config.model
    #[arg(long, value_name = "FILE", conflicts_with = "model", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) mock: Option<PathBuf>,

    /// Read variables from this file, before .env; may be repeated, and the last file wins
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) env_file: Vec<PathBuf>,

    /// Look up the MCP servers that the file names in this file, an mcp.json
    #[arg(long, value_name = "FILE", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) mcp_config: Option<PathBuf>,
}

impl SetupArgs {
    /// The options that were given and only work where the file runs.
    pub(super) fn local_options(&self) -> [(bool, &'static str); 3] {
        [
            (self.model.is_some(), "-m, --model"),
            (self.mock.is_some(), "--mock"),
            (self.mcp_config.is_some(), "--mcp-config"),
        ]
    }
}
