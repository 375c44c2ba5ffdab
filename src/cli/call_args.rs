//! Options of `run` that servers take and pass on to every call (docs/reference/mcp-client.md). Doc comments of
//! options are help texts.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueHint};

use super::{limit_args::LimitArgs, permission_args::PermissionArgs, setup_args::SetupArgs};

/// How every call is run.
#[derive(Args, Debug, Default)]
pub(super) struct CallArgs {
    #[command(flatten)]
    pub(super) setup: SetupArgs,

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
    /// The options as arguments of `run`.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words = self.description_words();
        words.extend(self.setup.mcp_config.iter().map(|path| option("--mcp-config", path)));
        words.extend(self.limits.words().into_iter().map(OsString::from));
        words.extend(self.journal.iter().map(|path| match path {
            Some(path) => option("--journal", path),
            None => "--journal".into(),
        }));
        words
    }

    /// The options that affect the exports of a file.
    pub(super) fn description_words(&self) -> Vec<OsString> {
        let model = self.setup.model.iter().map(|model| option("--model", model));
        let files = self.setup.mock.iter().map(|path| option("--mock", path));
        let files = files.chain(self.setup.env_file.iter().map(|path| option("--env-file", path)));
        model.chain(files).chain(self.permissions.words().into_iter().map(OsString::from)).collect()
    }
}

/// One argument, as the value may begin with dashes.
fn option(name: &str, value: impl AsRef<std::ffi::OsStr>) -> OsString {
    let mut word = OsString::from(name);
    word.push("=");
    word.push(value);
    word
}
