//! `-f`: the format of standard output (docs/command-line.md, "Formats"). Doc comments of variants are help texts.

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
    /// Whether a program reads standard output, so that only the format may be written there.
    pub(super) fn is_for_programs(self) -> bool {
        self != Format::Text
    }
}
