//! What a map is asked to do, and who hears of it. Must not know how it is done.

use std::{num::NonZeroUsize, path::PathBuf, rc::Rc};

use super::{
    progress::{Ended, Progress},
    rows::Source,
};
use crate::{
    cost::{Limits, OwnPrices},
    input::ColumnSetting,
    permission::{ApprovalRules, Permissions},
    remote::{Address, TOKEN_VARIABLE},
    session::SharedModel,
};

/// Everything a map is asked to do.
pub(crate) struct MapOptions {
    /// The prompt file, absolute.
    pub(crate) file: PathBuf,
    /// The same as it was typed.
    pub(crate) shown_file: String,
    /// Where rows come from.
    pub(crate) rows: Source,
    /// Columns for properties.
    pub(crate) settings: Vec<ColumnSetting>,
    /// Where results go; standard output when there is none.
    pub(crate) out: Option<PathBuf>,
    /// What results look like.
    pub(crate) format: Format,
    /// Whether results come as rows finish.
    pub(crate) unordered: bool,
    /// Rows at once, at most.
    pub(crate) jobs: NonZeroUsize,
    /// How many rows may fail.
    pub(crate) max_errors: Option<MaxErrors>,
    /// How many rows are run, spread over all of them.
    pub(crate) sample: Option<u64>,
    /// How often a row that fails is run again.
    pub(crate) retries: u32,
    /// Whether earlier results are forgotten.
    pub(crate) fresh: bool,
    /// What all rows together may use.
    pub(crate) limits: Limits,
    /// What models cost.
    pub(crate) own_prices: OwnPrices,
    /// The environment of each row.
    pub(crate) variables: Vec<(String, String)>,
    /// What the file may reach.
    pub(crate) permissions: Permissions,
    /// The file that names servers.
    pub(crate) mcp_config: Option<PathBuf>,
    /// The model in place of the file's own.
    pub(crate) model: Option<SharedModel>,
    /// Calls that are approved.
    pub(crate) approve: ApprovalRules,
    /// The server that has the rows run, if it is not this process.
    pub(crate) elsewhere: Option<Elsewhere>,
}

impl MapOptions {
    /// What scripts see of the variables: the token for the server that has rows run is nothing to them.
    pub(super) fn variables_of_scripts(&self) -> Vec<(String, String)> {
        let is_seen = |name: &str| self.elsewhere.is_none() || name != TOKEN_VARIABLE;
        self.variables.iter().filter(|(name, _)| is_seen(name)).cloned().collect()
    }
}

/// A server at which workers run the rows.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    /// Its ingress.
    pub(crate) address: Address,
    /// What the file is called there.
    pub(crate) service: String,
}

/// What results look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// A line of JSON for each row.
    #[default]
    JsonLines,
    /// A table for spreadsheets.
    Csv,
}

/// How many rows may fail before no more are begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MaxErrors {
    /// So many.
    Count(u64),
    /// So many of a hundred rows.
    Percent(f64),
}

impl MaxErrors {
    /// Reads the value of `--max-errors`.
    ///
    /// # Errors
    /// What is expected.
    pub(crate) fn parse(typed: &str) -> Result<Self, String> {
        let expected = || "expected a whole number of rows such as 10, or a share of them such as 5%".to_owned();
        match typed.trim().strip_suffix('%') {
            Some(share) => {
                let share: f64 = share.trim().parse().map_err(|_| expected())?;
                (0.0..=100.0).contains(&share).then_some(MaxErrors::Percent(share)).ok_or_else(expected)
            }
            None => typed.trim().parse().map(MaxErrors::Count).map_err(|_| expected()),
        }
    }

    /// Whether so many failures of `rows` are too many.
    pub(super) fn are_passed(self, failed: u64, rows: u64) -> bool {
        // Counts of rows are far below what a float holds.
        #[allow(clippy::cast_precision_loss)]
        match self {
            MaxErrors::Count(most) => failed > most,
            MaxErrors::Percent(share) => failed as f64 > rows as f64 * share / 100.0,
        }
    }
}

/// Hears how a map goes.
pub(crate) trait Listener {
    /// A result for standard output, with its line break.
    fn result(&mut self, line: &str);

    /// A row, or the file while it is loaded, has printed something.
    fn printed(&mut self, row: Option<u64>, text: &str);

    /// Something a person should know, of a row or of all.
    fn warned(&mut self, row: Option<u64>, message: &str);

    /// A row is over.
    fn ended(&mut self, row: &Ended<'_>);

    /// Something has happened, or some time gone by.
    fn progress(&mut self, progress: &Progress);

    /// The signal that asks for the end, once it has come.
    fn interrupted(&mut self) -> Option<i32>;

    /// Whether nobody reads results any more.
    fn is_unread(&self) -> bool;
}

/// What the rows' engines take from the options, for a thread.
pub(super) fn approval_advice() -> &'static str {
    "lmthing map --approve {name} approves it, or --yes"
}

/// The folder of servers as runs want it.
pub(super) fn mcp_config(options: &MapOptions) -> Option<Rc<std::path::Path>> {
    options.mcp_config.as_deref().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_or_weighed() {
        assert_eq!(MaxErrors::parse("3"), Ok(MaxErrors::Count(3)));
        assert_eq!(MaxErrors::parse(" 2.5 %"), Ok(MaxErrors::Percent(2.5)));
        for typed in ["", "-1", "101%", "x%", "NaN%", "1.5"] {
            assert!(MaxErrors::parse(typed).is_err(), "{typed}");
        }
        assert!(MaxErrors::Count(0).are_passed(1, 100) && !MaxErrors::Percent(5.0).are_passed(5, 100));
        assert!(MaxErrors::Percent(5.0).are_passed(6, 100));
    }
}
