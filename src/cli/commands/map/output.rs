//! Output of a map: results on standard output, progress and summary on standard error.

use std::path::{Path, PathBuf};

use crate::cli::{
    ExitCode, Printer,
    commands::{
        batch_lines::under_way,
        rows_output::{MAX_GROUPS, RowsOutput, headline},
    },
    interrupt::Interrupts,
    map_args::MapArgs,
    readers::numbers::grouped,
};
use lmthing_map::{BatchNews, CancelledBatches, MapListener, Progress, RowEnd, Totals};

pub(super) struct MapOutput<'a> {
    rows: RowsOutput<'a>,
    output: Option<PathBuf>,
    is_sampled: bool,
    is_remote: bool,
    is_batched: bool,
}

impl<'a> MapOutput<'a> {
    pub(super) fn new(args: &MapArgs, printer: &'a Printer, interrupts: Interrupts) -> Self {
        MapOutput {
            rows: RowsOutput::new("rows", printer, interrupts, (args.pool.quiet, args.pool.verbose)),
            output: args.pool.output.clone(),
            is_sampled: args.pool.sample.is_some(),
            is_remote: args.remote.on.is_some(),
            is_batched: args.batch.is_given(),
        }
    }

    pub(super) fn stop(&mut self) {
        self.rows.stop();
    }

    pub(super) fn end(&mut self, totals: &Totals) -> ExitCode {
        self.stop();
        self.rows.printer.flush();
        if !self.rows.is_quiet {
            self.rows.printer.stderr_wrapped(&self.summary(totals));
        }
        self.rows.exit_code(totals)
    }

    /// Reports that batches were cancelled.
    pub(super) fn cancelled(&mut self, cancelled: &CancelledBatches, out: &Path) -> ExitCode {
        self.stop();
        let CancelledBatches { cancelled, ended, problem } = cancelled;
        let batches =
            |count: u64| if count == 1 { "1 batch".to_owned() } else { format!("{} batches", grouped(count)) };
        let (mut text, out) = (String::new(), out.display());
        if *cancelled > 0 {
            let batches = batches(*cancelled);
            text = format!(
                "{batches} of {out} cancelled. The command that submitted them takes what was answered before, and \
                 submits the rest again.\n"
            );
        }
        if *ended > 0 {
            let batches = batches(*ended);
            text.push_str(&format!(
                "{batches} of {out} had ended already. The command that submitted them takes what was answered.\n"
            ));
        }
        if text.is_empty() && problem.is_none() {
            text = format!("No batch of {out} is under way.\n");
        }
        if !self.rows.is_quiet {
            self.rows.printer.stderr_wrapped(&text);
        }
        let Some(problem) = problem else { return ExitCode::Done };
        self.rows.printer.diagnostic(problem);
        ExitCode::File
    }

    fn summary(&self, totals: &Totals) -> String {
        let mut text = headline(totals, "row");
        let groups = totals.errors.groups();
        for group in groups.iter().take(MAX_GROUPS) {
            let place = if group.count == 1 { "row" } else { "first row" };
            let line = group.line.map(|line| format!(", line {line}")).unwrap_or_default();
            text.push_str(&format!(
                "  {} × {}: {} ({place} {}{line})\n",
                grouped(group.count),
                group.kind,
                group.message,
                group.row
            ));
        }
        let others = groups.iter().skip(MAX_GROUPS).map(|group| group.count).sum::<u64>() + totals.errors.others();
        if others > 0 {
            text.push_str(&format!("  {} × other errors\n", grouped(others)));
        }
        text.push_str(&self.advice(totals));
        text
    }

    fn advice(&self, totals: &Totals) -> String {
        let (failed, remaining) = (totals.progress.failed, totals.left());
        if failed + remaining == 0 || (remaining == 0 && self.is_sampled && failed == 0) {
            return String::new();
        }
        let Some(out) = &self.output else {
            return match remaining {
                0 => String::new(),
                _ => "Nothing keeps the results: with -o OUT.jsonl the same command would go on.\n".to_owned(),
            };
        };
        if totals.batches > 0 {
            return under_way(totals, "row", out, self.is_batched);
        }
        let rows = match (failed, remaining) {
            (0, _) => "the rest",
            (_, 0) => "the rows that failed",
            _ => "the rest, and the rows that failed",
        };
        let there = match self.is_remote && remaining > 0 {
            true => "takes what has been run at the server by then, and ",
            false => "",
        };
        format!("The results are in {}. The same command again {there}runs {rows}.\n", out.display())
    }
}

impl MapListener for MapOutput<'_> {
    fn result(&mut self, line: &str) {
        self.rows.printer.text(line);
        self.rows.printer.flush();
    }

    fn printed(&mut self, row: Option<u64>, text: &str) {
        self.rows.printed(name(row).as_deref(), text);
    }

    fn warned(&mut self, row: Option<u64>, message: &str) {
        self.rows.warned(name(row).as_deref(), message);
    }

    fn ended(&mut self, row: &RowEnd<'_>) {
        self.rows.ended(&format!("row {}", row.row), row);
    }

    fn batch(&mut self, news: &BatchNews) {
        self.rows.batch(news);
    }

    fn progress(&mut self, progress: &Progress) {
        self.rows.progress(progress, &[]);
    }

    fn interrupted(&mut self) -> Option<i32> {
        self.rows.interrupted()
    }

    fn is_unread(&self) -> bool {
        self.rows.printer.is_broken()
    }
}

fn name(row: Option<u64>) -> Option<String> {
    row.map(|row| format!("row {row}"))
}
