//! The options of `run` that whoever serves prompt files takes and hands on to every call (docs/mcp.md). Doc comments in here are
//! what the help shows.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueHint};
use clap_complete::ArgValueCompleter;

use super::{
    complete::{JSON_FILES, Models},
    limit_args::LimitArgs,
    permission_args::PermissionArgs,
};

/// How every call is run.
#[derive(Args, Debug, Default)]
pub(super) struct CallArgs {
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

    /// Look up the MCP servers that the files name in this file, an mcp.json
    #[arg(long, value_name = "FILE", add = ArgValueCompleter::new(JSON_FILES))]
    mcp_config: Option<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,

    /// Write every call down in the journal: .lmthing/journal.db in the nearest folder upwards that has one, or the file of
    /// --journal=PATH
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(super) journal: Option<Option<PathBuf>>,
}

impl CallArgs {
    /// What a call is started with, as words of `run`.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words = self.description_words();
        words.extend(self.mcp_config.iter().map(|path| option("--mcp-config", path)));
        words.extend(self.limits.words().into_iter().map(OsString::from));
        words.extend(self.journal.iter().map(|path| match path {
            Some(path) => option("--journal", path),
            None => "--journal".into(),
        }));
        words
    }

    /// Those among them that make a difference to what a file exports.
    pub(super) fn description_words(&self) -> Vec<OsString> {
        let model = self.model.iter().map(|model| option("--model", model));
        let files = self.mock.iter().map(|path| option("--mock", path));
        let files = files.chain(self.env_file.iter().map(|path| option("--env-file", path)));
        model.chain(files).chain(self.permissions.words().into_iter().map(OsString::from)).collect()
    }
}

/// In one word: a value may begin with dashes.
fn option(name: &str, value: impl AsRef<std::ffi::OsStr>) -> OsString {
    let mut word = OsString::from(name);
    word.push("=");
    word.push(value);
    word
}
