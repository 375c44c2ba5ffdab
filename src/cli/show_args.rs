//! Options for the output of `run` and `resume`, and the format of standard output (docs/command-line.md, "Formats").
//! Doc comments are help texts.

use clap::Args;

use super::format::Format;

/// What a run shows.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct ShowArgs {
    /// What standard output gets: the text, one JSON object at the end, or every event as a line of JSON
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_default_value = true)]
    pub(super) format: Format,

    /// Show only text and errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Tell of every step and every tool call on standard error
    #[arg(short, long)]
    pub(super) verbose: bool,
}
