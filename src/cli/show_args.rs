//! Options for the output of `run` and `resume`, and the format of standard output (docs/reference/events.md).
//! Doc comments are help texts.

use clap::{Args, ValueEnum};

/// What a run shows.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct ShowArgs {
    /// What standard output gets: the text, one JSON object at the end, or every event as a line of JSON
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_default_value = true)]
    pub(super) format: Format,

    /// Show only text and errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Print a line for every step and every tool call on standard error
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// What standard output gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The model's text, and what the script prints.
    #[default]
    Text,
    /// One object, at the end.
    Json,
    /// Every event, a line each.
    Events,
}

impl Format {
    /// Whether a program reads standard output, so that only the format may be written there.
    pub(super) fn is_for_programs(self) -> bool {
        self != Format::Text
    }
}
