//! Output of a map: results on standard output, progress and summary on standard error.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::batch_lines::{BatchLines, under_way};
use crate::cli::{
    ExitCode, Printer,
    interrupt::Interrupts,
    map_args::MapArgs,
    readers::{
        numbers::{cost, grouped, seconds, tokens},
        shortened,
    },
    status_line::StatusLine,
};
use lmthing_map::{BatchNews, EarlyEnd, MapListener, Progress, RowEnd, Totals};
use lmthing_providers::HumanDuration;

const MAX_WARNINGS: usize = 20;

/// Interval of progress lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

const MAX_GROUPS: usize = 10;

pub(super) struct MapOutput<'a> {
    printer: &'a Printer,
    line: StatusLine,
    interrupts: Interrupts,
    signal: Option<i32>,
    warned: HashSet<String>,
    last_line_at: Instant,
    output: Option<PathBuf>,
    is_quiet: bool,
    is_verbose: bool,
    is_sampled: bool,
    is_remote: bool,
    is_batched: bool,
    batches: BatchLines,
    /// The last line without a terminal.
    last_line: String,
}

impl<'a> MapOutput<'a> {
    pub(super) fn new(args: &MapArgs, printer: &'a Printer, interrupts: Interrupts) -> Self {
        MapOutput {
            printer,
            line: StatusLine::new(printer),
            interrupts,
            signal: None,
            warned: HashSet::new(),
            last_line_at: Instant::now(),
            output: args.output.clone(),
            is_quiet: args.quiet,
            is_verbose: args.verbose,
            is_sampled: args.sample.is_some(),
            is_remote: args.remote.on.is_some(),
            is_batched: args.batch.is_given(),
            batches: BatchLines::default(),
            last_line: String::new(),
        }
    }

    pub(super) fn stop(&mut self) {
        self.line.clear();
        self.interrupts.ignore();
    }

    pub(super) fn end(&mut self, totals: &Totals) -> ExitCode {
        self.stop();
        self.printer.flush();
        if !self.is_quiet {
            self.printer.stderr_wrapped(&self.summary(totals));
        }
        match &totals.early {
            Some(EarlyEnd::Interrupted(signal)) => ExitCode::Interrupted(*signal),
            Some(EarlyEnd::Limit(words)) => {
                self.error(words);
                ExitCode::Limit
            }
            Some(EarlyEnd::Errors(words)) => {
                self.error(words);
                ExitCode::File
            }
            Some(EarlyEnd::Batches(problem)) => {
                self.printer.diagnostic(problem);
                ExitCode::File
            }
            Some(EarlyEnd::Unread) => ExitCode::Done,
            Some(EarlyEnd::Lost(error)) => {
                self.printer.diagnostic(&error.clone().into());
                if error.is_usage { ExitCode::Usage } else { ExitCode::File }
            }
            Some(EarlyEnd::UnderWay) | None if totals.progress.failed > 0 => ExitCode::File,
            Some(EarlyEnd::UnderWay) | None => ExitCode::Done,
        }
    }

    /// Reports that batches were cancelled.
    pub(super) fn cancelled(&mut self, count: u64, out: &Path) {
        self.stop();
        let text = match count {
            0 => format!("No batch of {} is under way.\n", out.display()),
            count => {
                let batches = if count == 1 { "batch" } else { "batches" };
                let (count, out) = (grouped(count), out.display());
                format!(
                    "{count} {batches} of {out} cancelled. The command that submitted them takes what was answered \
                     before, and submits the rest again.\n"
                )
            }
        };
        if !self.is_quiet {
            self.printer.stderr_wrapped(&text);
        }
    }

    fn error(&self, words: &str) {
        self.printer.diagnostic(&lmthing_base::diagnostic::Diagnostic::new(words));
    }

    fn summary(&self, totals: &Totals) -> String {
        let Progress { done, failed, elapsed, usage, .. } = &totals.progress;
        let mut parts = vec![format!("{} done", grouped(*done))];
        parts.extend((*failed > 0).then(|| format!("{} failed", grouped(*failed))));
        parts.extend((totals.reused > 0).then(|| format!("{} done before", grouped(totals.reused))));
        let (batched, left) = (totals.batched_rows, totals.left().saturating_sub(totals.batched_rows));
        parts.extend((batched > 0).then(|| format!("{} in batches", grouped(batched))));
        parts.extend((left > 0).then(|| format!("{} not run", grouped(left))));
        let rows = if totals.total == 1 { "row" } else { "rows" };
        let mut text = format!("{} {rows}: {}", grouped(totals.total), parts.join(", "));
        if done + failed > 0 {
            let rate = rate(&totals.progress).map(|rate| format!(" ({rate})")).unwrap_or_default();
            text.push_str(&format!("; {}{rate}", seconds(*elapsed)));
        }
        if usage.input_tokens.or(usage.output_tokens).is_some() {
            text.push_str(&format!("; {}, {}", tokens(usage), money(&totals.progress)));
        }
        text.push('\n');
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
            return under_way(totals, &out.display().to_string(), self.is_batched);
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

    /// `batches` says how far they are. The time that is left is not known with them.
    fn line(progress: &Progress, batches: Option<&str>) -> String {
        let mut parts =
            vec![format!("{} of {} rows", grouped(progress.done + progress.failed), grouped(progress.rows))];
        parts.push(format!("{} failed", grouped(progress.failed)));
        match batches {
            Some(batches) => parts.push(batches.to_owned()),
            None => {
                parts.extend(rate(progress));
                parts.extend(remaining(progress).map(|remaining| format!("{} left", HumanDuration(remaining))));
            }
        }
        if progress.usage.input_tokens.or(progress.usage.output_tokens).is_some() {
            parts.push(tokens(&progress.usage));
            parts.push(money(progress));
        }
        parts.join(" · ")
    }

    /// The same figures for a narrow terminal.
    fn short_line(progress: &Progress, batches: Option<&str>) -> String {
        let Progress { done, failed, rows, usage, .. } = progress;
        let mut parts =
            vec![format!("{}/{}", short(done + failed), short(*rows)), format!("{} failed", short(*failed))];
        match batches {
            Some(batches) => parts.push(batches.to_owned()),
            None => {
                parts.extend(rate(progress).map(|rate| rate.replace(" rows/s", "/s")));
                parts.extend(remaining(progress).map(|remaining| format!("{} left", HumanDuration(remaining))));
            }
        }
        if usage.input_tokens.or(usage.output_tokens).is_some() {
            let tokens = usage.input_tokens.unwrap_or(0).saturating_add(usage.output_tokens.unwrap_or(0));
            parts.push(format!("{} tokens", short(tokens)));
            parts.push(money(progress));
        }
        parts.join(" · ")
    }
}

impl MapListener for MapOutput<'_> {
    fn result(&mut self, line: &str) {
        self.printer.text(line);
        self.printer.flush();
    }

    fn printed(&mut self, row: Option<u64>, text: &str) {
        if self.is_quiet {
            return;
        }
        let who = row.map(|row| format!("row {row} | ")).unwrap_or_default();
        let text: String = text.lines().map(|line| format!("{who}{line}\n")).collect();
        self.printer.stderr(&text);
    }

    fn warned(&mut self, row: Option<u64>, message: &str) {
        let is_known =
            !self.is_verbose && (self.warned.len() > MAX_WARNINGS || !self.warned.insert(message.to_owned()));
        if self.is_quiet || is_known {
            return;
        }
        if self.warned.len() > MAX_WARNINGS && !self.is_verbose {
            return self.printer.stderr("Further warnings are not shown; -v shows them.\n");
        }
        let who = row.map(|row| format!("row {row}: ")).unwrap_or_default();
        let message = shortened(message.strip_prefix("Warning: ").unwrap_or(message));
        self.printer.stderr(&format!("Warning: {who}{message}\n"));
    }

    fn ended(&mut self, row: &RowEnd<'_>) {
        if !self.is_verbose {
            return;
        }
        let what = match (row.failure, row.will_retry) {
            (None, _) => "done".to_owned(),
            (Some(failure), again) => {
                let message = shortened(failure.message.lines().next().unwrap_or_default());
                let again = if again { ", once more" } else { "" };
                format!("failed{again} ({}: {message})", failure.kind)
            }
        };
        let (number, took) = (row.row, seconds(row.took));
        self.printer.stderr_dim(&format!("row {number}: {what}, {took}, {}, {}", tokens(&row.usage), cost(row.cost)));
    }

    fn batch(&mut self, news: &BatchNews) {
        let line = self.batches.add(news);
        if let Some(line) = line.filter(|_| self.is_verbose) {
            self.printer.stderr_dim(&line);
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if self.is_quiet {
            return;
        }
        let (done, batches) = (progress.done + progress.failed, self.batches.progress());
        let batches = batches.as_deref();
        self.line
            .draw_at((done, progress.rows), || [Self::line(progress, batches), Self::short_line(progress, batches)]);
        if !self.printer.stderr_is_terminal() && self.last_line_at.elapsed() >= LINE_INTERVAL {
            let line = Self::line(progress, batches);
            // A batch may take a day.
            if batches.is_none() || line != self.last_line {
                self.last_line_at = Instant::now();
                self.printer.stderr(&format!("{line}\n"));
                self.last_line = line;
            }
        }
    }

    fn interrupted(&mut self) -> Option<i32> {
        if self.signal.is_none() {
            self.signal = self.interrupts.try_next();
        }
        self.signal
    }

    fn is_unread(&self) -> bool {
        self.printer.is_broken()
    }
}

fn money(progress: &Progress) -> String {
    let known = cost(Some(progress.known_cost));
    match (progress.is_cost_unknown, progress.known_cost > 0.0) {
        (false, _) => known,
        (true, true) => format!("{known} and unknown costs"),
        (true, false) => cost(None),
    }
}

/// Example: `9,870`, `12k`, `34M`.
fn short(count: u64) -> String {
    match count {
        0..10_000 => grouped(count),
        10_000..10_000_000 => format!("{}k", grouped(count / 1_000)),
        _ => format!("{}M", grouped(count / 1_000_000)),
    }
}

/// Example: `12.5 rows/s`.
fn rate(progress: &Progress) -> Option<String> {
    let rate = per_second(progress)?;
    Some(if rate < 10.0 { format!("{rate:.1} rows/s") } else { format!("{rate:.0} rows/s") })
}

/// Estimated time for the remaining rows.
fn remaining(progress: &Progress) -> Option<Duration> {
    let rest = progress.rows.saturating_sub(progress.done + progress.failed);
    #[allow(clippy::cast_precision_loss)]
    let seconds = rest as f64 / per_second(progress)?;
    Duration::try_from_secs_f64(seconds.ceil()).ok().filter(|remaining| !remaining.is_zero())
}

fn per_second(progress: &Progress) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)]
    let done = (progress.done + progress.failed) as f64;
    let seconds = progress.elapsed.as_secs_f64();
    (done > 0.0 && seconds > 0.0).then(|| done / seconds)
}
