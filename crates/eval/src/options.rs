//! Options of an eval, and the trait that receives its progress.

use std::{
    fmt,
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
    sync::Arc,
};

use lmthing_base::{
    cost::OwnPrices,
    permission::{ApprovalRules, Permissions},
};
use lmthing_engine::session::CombinedLimits;
use lmthing_map::{BatchNews, BatchOptions, MaxErrors, Progress, RowEnd};
use lmthing_testing::Mode;

/// Options of one eval file.
pub struct EvalOptions {
    /// The eval file, absolute.
    pub file: PathBuf,
    /// As the user typed it.
    pub shown_file: String,
    /// Of `--models`; empty for the models of the prompt files.
    pub models: Vec<String>,
    /// Of `--variants`; `None` for all.
    pub variants: Option<Vec<String>>,
    pub repeat: NonZeroU32,
    pub sample: Option<u64>,
    pub jobs: NonZeroUsize,
    pub max_errors: Option<MaxErrors>,
    pub retries: u32,
    pub out: Option<PathBuf>,
    pub fresh: bool,
    /// Of the whole command, also of judges and of other eval files.
    pub limits: Arc<CombinedLimits>,
    /// How requests go into batches, if they do.
    pub batch: Option<BatchOptions>,
    /// What to do with `NAME.eval.recording.json`.
    pub recordings: Mode,
    pub own_prices: OwnPrices,
    pub variables: Vec<(String, String)>,
    pub permissions: Permissions,
    pub mcp_config: Option<PathBuf>,
    pub approve: ApprovalRules,
}

/// Which cell it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellName {
    /// From 1.
    pub row: u64,
    /// `None` if the eval file has one variant.
    pub variant: Option<String>,
    /// `None` if each variant has one model.
    pub model: Option<String>,
    /// From 1; `None` if there is one.
    pub repeat: Option<u32>,
}

/// Example: `row 3, short, openai:gpt-5, run 2`.
impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.row)?;
        self.variant.iter().chain(&self.model).try_for_each(|name| write!(f, ", {name}"))?;
        self.repeat.iter().try_for_each(|repeat| write!(f, ", run {repeat}"))
    }
}

/// Progress of an eval.
#[derive(Clone, Debug, Default)]
pub struct EvalProgress {
    /// Of the cells that this command asks, in the place of rows.
    pub cells: Progress,
    /// Cells that this command has scored.
    pub scored: u64,
    /// Cells that have or will have an answer to score.
    pub to_score: u64,
    /// US dollars of new verdicts, as far as costs are known.
    pub judge_cost: f64,
    pub is_judge_cost_unknown: bool,
}

/// Receives progress of an eval, on the thread that called it.
pub trait EvalListener {
    /// `None` for the eval file itself.
    fn printed(&mut self, cell: Option<&CellName>, text: &str);

    fn warned(&mut self, cell: Option<&CellName>, message: &str);

    /// Called at the end of each attempt of a cell.
    fn ended(&mut self, cell: &CellName, end: &RowEnd<'_>);

    /// Called when the state of a batch has changed.
    fn batch(&mut self, news: &BatchNews);

    /// Called after every event and at least every 50 ms.
    fn progress(&mut self, progress: &EvalProgress);

    /// The signal that requested the end, if one has arrived.
    fn interrupted(&mut self) -> Option<i32>;
}
