//! Arguments of `lmthing runs` (docs/reference/runs.md). Doc comments of options are help texts.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use clap_complete::ArgValueCompleter;
use jiff::{Span, SpanRelativeTo};

use super::complete::RunIds;

/// `lmthing runs`.
#[derive(Args, Debug)]
#[command(
    args_override_self = true,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 done, 1 there is no such run or the journal cannot be read, 2 wrong usage."
)]
pub(super) struct RunsArgs {
    #[command(subcommand)]
    pub(super) command: Option<RunsCommand>,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    /// The journal, in place of LMTHING_JOURNAL and the nearest .lmthing/journal.db upwards
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, global = true)]
    pub(super) journal: Option<PathBuf>,
}

/// What is done with runs besides listing them.
#[derive(Debug, Subcommand)]
pub(super) enum RunsCommand {
    /// Tell how a run was started, what it did and what that used
    Show(ShowArgs),
    /// Print the events of a run, a line of JSON each, or make a test of it
    Export(ExportArgs),
    /// Forget runs of which nothing was written for a while
    Prune(PruneArgs),
}

/// `lmthing runs show`.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub(super) struct ShowArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,

    /// The run: its id, the beginning of one that no other has, or last
    #[arg(value_name = "ID|last", add = ArgValueCompleter::new(RunIds))]
    pub(super) id: String,
}

/// `lmthing runs export`.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub(super) struct ExportArgs {
    /// Write a test with its recording next to the prompt file, and print their paths
    #[arg(long)]
    pub(super) as_test: bool,

    /// The run: its id, the beginning of one that no other has, or last
    #[arg(value_name = "ID|last", add = ArgValueCompleter::new(RunIds))]
    pub(super) id: String,
}

/// `lmthing runs prune`.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub(super) struct PruneArgs {
    /// Of which nothing was written for so long: 30d, 2w, 12h
    #[arg(long, value_name = "TIME", required = true, value_parser = parse_age, allow_hyphen_values = true)]
    pub(super) older_than: Age,

    /// Only tell which runs these are
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Age {
    /// As the user typed it.
    pub(super) text: String,
    pub(super) milliseconds: u64,
}

/// Parses ages such as `30d`. A day has 24 hours, a week 7 days.
fn parse_age(text: &str) -> Result<Age, &'static str> {
    let span: Option<Span> = text.trim().parse().ok();
    let duration = span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
    let milliseconds = duration.and_then(|duration| u64::try_from(duration.as_millis()).ok());
    let age = milliseconds.map(|milliseconds| Age { text: text.trim().to_owned(), milliseconds });
    age.ok_or("expected a time such as 30d, 2w, 12h or 90m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        const HOUR: u64 = 3_600_000;
        for (text, hours) in [("30d", 720), ("2w", 336), ("12h", 12), ("1d12h", 36), ("120m", 2), ("0s", 0)] {
            assert_eq!(parse_age(text).map(|age| age.milliseconds), Ok(hours * HOUR), "{text}");
        }
        for text in ["30", "", "d", "-1d", "3 d ago", "1y", "soon", "999999999999999999d"] {
            assert!(parse_age(text).is_err(), "{text}");
        }
    }
}
