//! Arguments of `lmthing approve` (docs/reference/remote.md). Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint, builder::NonEmptyStringValueParser};

use lmthing_system::remote::{Address, read_address};

/// `lmthing approve`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    override_usage = "lmthing approve ID yes|no [--reason TEXT] --on URL\n       lmthing approve [--on URL] [--admin URL] [--journal PATH] [--json]",
    after_help = "Without ID it lists the calls that wait: of runs in the journal, and by the admin API of the server. \
                  --on and --journal list those of one alone.\n\n\
                  Exit codes: 0 done, 1 the server cannot be asked or refuses, or the journal cannot be read, 2 wrong usage."
)]
pub(super) struct ApproveArgs {
    /// The call: the id that the worker and the list name
    #[arg(value_name = "ID", requires = "decision", value_parser = NonEmptyStringValueParser::new())]
    pub(super) id: Option<String>,

    /// What is decided
    #[arg(value_name = "yes|no", value_enum, hide_possible_values = true)]
    pub(super) decision: Option<Decided>,

    /// With no: the reason that the model gets
    #[arg(long, value_name = "TEXT", requires = "decision")]
    pub(super) reason: Option<String>,

    /// The ingress of the Restate server; RESTATE_INGRESS_URL unless given, else http://127.0.0.1:8080
    #[arg(long, value_name = "URL", value_parser = read_address)]
    pub(super) on: Option<Address>,

    /// Its admin API; port 9070 of the same host unless given
    #[arg(long, value_name = "URL", value_parser = read_address)]
    pub(super) admin: Option<Address>,

    /// The journal, in place of LMTHING_JOURNAL and the nearest .lmthing/journal.db upwards
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, conflicts_with_all = ["id", "on", "admin"])]
    pub(super) journal: Option<PathBuf>,

    /// List as JSON
    #[arg(long, conflicts_with = "id")]
    pub(super) json: bool,
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Decided {
    /// The call is made.
    Yes,
    /// It is not.
    No,
}
