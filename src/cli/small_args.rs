//! Arguments of commands with few options. Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::ArgValueCompleter;

use super::{complete::Topics, templates::Template};

/// `lmthing completions`.
#[derive(Args, Debug)]
#[command(after_help = "For bash, put this into ~/.bashrc:  source <(lmthing completions bash)
For zsh, into ~/.zshrc behind compinit:  source <(lmthing completions zsh)
For fish, into ~/.config/fish/config.fish:  lmthing completions fish | source
For PowerShell, into $PROFILE:  lmthing completions powershell | Out-String | Invoke-Expression")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(super) shell: Shell,
}

/// A shell whose completion is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Shell {
    /// GNU bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
    /// PowerShell.
    Powershell,
}

/// `lmthing new`.
#[derive(Args, Debug)]
pub(super) struct NewArgs {
    /// What the file shows
    #[arg(short, long, value_name = "TEMPLATE", value_enum, default_value_t)]
    pub(super) template: Template,

    /// Write TypeScript
    #[arg(long)]
    pub(super) ts: bool,

    /// The file, folders in front of it or not; .lmt.mjs may be left out
    #[arg(value_name = "NAME")]
    pub(super) name: String,
}

/// `lmthing types`.
#[derive(Args, Debug)]
pub(super) struct TypesArgs {
    /// The folder of the project; the current one unless given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) folder: Option<PathBuf>,
}

/// `lmthing docs`.
#[derive(Args, Debug)]
pub(super) struct DocsArgs {
    /// A page (tools, reference/tools), a heading (exit codes) or a name (defTool, --max-cost); without it, all pages are
    /// listed
    #[arg(value_name = "TOPIC", allow_hyphen_values = true, add = ArgValueCompleter::new(Topics))]
    pub(super) topic: Vec<String>,
}

/// `lmthing models`.
#[derive(Args, Debug)]
pub(super) struct ModelsArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    /// List the models of the servers on this machine
    #[arg(long, conflicts_with = "prices")]
    pub(super) local: bool,

    /// List what models cost, your own prices (LMTHING_PRICES) first
    #[arg(long)]
    pub(super) prices: bool,

    /// With --prices: only models with these words in provider:model
    #[arg(value_name = "WORD", requires = "prices")]
    pub(super) words: Vec<String>,
}
