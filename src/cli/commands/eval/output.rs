//! Progress and summary of an eval on standard error.

use std::path::PathBuf;

use crate::cli::{
    ExitCode, Printer,
    commands::{
        batch_lines::under_way,
        rows_output::{MAX_GROUPS, RowsOutput, headline},
    },
    eval_args::EvalArgs,
    interrupt::Interrupts,
    readers::numbers::{cost, grouped},
};
use lmthing_eval::{CellName, EvalListener, EvalOutcome, EvalProgress};
use lmthing_map::{BatchNews, RowEnd};

pub(super) struct EvalOutput<'a> {
    rows: RowsOutput<'a>,
    output: Option<PathBuf>,
    is_recorded: bool,
    is_batched: bool,
}

impl<'a> EvalOutput<'a> {
    pub(super) fn new(args: &EvalArgs, printer: &'a Printer, interrupts: Interrupts) -> Self {
        EvalOutput {
            rows: RowsOutput::new("cells", printer, interrupts, (args.pool.quiet, args.pool.verbose)),
            output: args.pool.output.clone(),
            is_recorded: args.record,
            is_batched: args.batch.is_given(),
        }
    }

    pub(super) fn stop(&mut self) {
        self.rows.stop();
    }

    /// The exit code of a command that was interrupted before anything was asked.
    pub(super) fn interrupted_early(&mut self) -> ExitCode {
        let signal = self.rows.interrupted();
        self.stop();
        signal.map_or(ExitCode::File, ExitCode::Interrupted)
    }

    /// Prints the summary of a file. Returns the exit code so far.
    pub(super) fn file_ended(&mut self, outcome: &EvalOutcome) -> ExitCode {
        self.rows.clear();
        if !self.rows.is_quiet {
            self.rows.printer.stderr_wrapped(&self.summary(outcome));
        }
        self.rows.exit_code(&outcome.totals)
    }

    fn summary(&self, outcome: &EvalOutcome) -> String {
        let EvalOutcome { totals, failures, judge_cost, is_judge_cost_unknown, notes, .. } = outcome;
        let mut text = headline(totals, "cell");
        if outcome.unscored() > 0 {
            text.push_str(&format!("  {} answered and not scored in full\n", grouped(outcome.unscored() as u64)));
        }
        if *judge_cost > 0.0 || *is_judge_cost_unknown {
            text.push_str(&format!("  judges: {}\n", judges(*judge_cost, *is_judge_cost_unknown)));
        }
        for failure in failures.iter().take(MAX_GROUPS) {
            let first = if failure.count == 1 { "" } else { "first " };
            let (count, kind, message, cell) = (grouped(failure.count), &failure.kind, &failure.message, &failure.cell);
            text.push_str(&format!("  {count} × {kind}: {message} ({first}{cell})\n"));
            failure.hint.iter().for_each(|hint| text.push_str(&format!("    hint: {hint}\n")));
        }
        let others: u64 = failures.iter().skip(MAX_GROUPS).map(|failure| failure.count).sum();
        if others > 0 {
            text.push_str(&format!("  {} × other errors\n", grouped(others)));
        }
        notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
        text.push_str(&self.advice(outcome));
        text
    }

    fn advice(&self, outcome: &EvalOutcome) -> String {
        let totals = &outcome.totals;
        let (failed, left, unscored) = (totals.progress.failed, totals.left(), outcome.unscored());
        if failed + left == 0 && unscored == 0 {
            return String::new();
        }
        let place = match &self.output {
            Some(out) if totals.batches > 0 => return under_way(totals, "cell", out, self.is_batched),
            Some(out) => out.display().to_string(),
            None if self.is_recorded => "the recording".to_owned(),
            None if left == 0 && unscored == 0 => return String::new(),
            None => return "Nothing keeps the answers: with -o OUT.jsonl the same command would go on.\n".to_owned(),
        };
        let again = match (failed, left) {
            (0, 0) => "scores the rest",
            (0, _) => "runs the rest",
            (_, 0) => "runs the cells that failed",
            _ => "runs the rest, and the cells that failed",
        };
        format!("The answers are in {place}. The same command again {again}.\n")
    }
}

impl EvalListener for EvalOutput<'_> {
    fn printed(&mut self, cell: Option<&CellName>, text: &str) {
        self.rows.printed(name(cell).as_deref(), text);
    }

    fn warned(&mut self, cell: Option<&CellName>, message: &str) {
        self.rows.warned(name(cell).as_deref(), message);
    }

    fn ended(&mut self, cell: &CellName, end: &RowEnd<'_>) {
        self.rows.ended(&cell.to_string(), end);
    }

    fn batch(&mut self, news: &BatchNews) {
        self.rows.batch(news);
    }

    fn progress(&mut self, progress: &EvalProgress) {
        let EvalProgress { cells, scored, to_score, judge_cost, is_judge_cost_unknown } = progress;
        let mut more = vec![format!("{} of {} scored", grouped(*scored), grouped(*to_score))];
        if *judge_cost > 0.0 || *is_judge_cost_unknown {
            more.push(format!("judges {}", judges(*judge_cost, *is_judge_cost_unknown)));
        }
        self.rows.progress(cells, &more);
    }

    fn interrupted(&mut self) -> Option<i32> {
        self.rows.interrupted()
    }
}

fn judges(known: f64, is_unknown: bool) -> String {
    match (is_unknown, known > 0.0) {
        (false, _) => cost(Some(known)),
        (true, true) => format!("{} and unknown costs", cost(Some(known))),
        (true, false) => cost(None),
    }
}

fn name(cell: Option<&CellName>) -> Option<String> {
    cell.map(CellName::to_string)
}
