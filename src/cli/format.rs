//! `-f`: what standard output gets (docs/command-line.md, "Formats"). Doc comments in here are what the help shows.

use clap::ValueEnum;

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
    /// Whether a program reads it, so that nothing else may stand there.
    pub(super) fn is_for_programs(self) -> bool {
        self != Format::Text
    }
}
