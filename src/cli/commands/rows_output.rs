//! Progress of commands that run many rows or cells, on standard error.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use super::batch_lines::BatchLines;
use crate::cli::{
    ExitCode, Printer,
    interrupt::Interrupts,
    readers::{
        numbers::{cost, grouped, seconds, tokens},
        shortened,
    },
    status_line::StatusLine,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_map::{BatchNews, EarlyEnd, Progress, RowEnd, Totals};
use lmthing_providers::HumanDuration;

const MAX_WARNINGS: usize = 20;

/// Most kinds of errors that a summary has.
pub(super) const MAX_GROUPS: usize = 10;

/// Interval of progress lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

pub(super) struct RowsOutput<'a> {
    pub(super) printer: &'a Printer,
    /// What is counted: `rows` or `cells`.
    noun: &'static str,
    line: StatusLine,
    interrupts: Interrupts,
    signal: Option<i32>,
    warned: HashSet<String>,
    last_line_at: Instant,
    pub(super) is_quiet: bool,
    is_verbose: bool,
    batches: BatchLines,
    /// The last line without a terminal.
    last_line: String,
}

impl<'a> RowsOutput<'a> {
    pub(super) fn new(
        noun: &'static str,
        printer: &'a Printer,
        interrupts: Interrupts,
        (is_quiet, is_verbose): (bool, bool),
    ) -> Self {
        RowsOutput {
            printer,
            noun,
            line: StatusLine::new(printer),
            interrupts,
            signal: None,
            warned: HashSet::new(),
            last_line_at: Instant::now(),
            is_quiet,
            is_verbose,
            batches: BatchLines::default(),
            last_line: String::new(),
        }
    }

    /// Removes the progress line.
    pub(super) fn clear(&mut self) {
        self.line.clear();
    }

    pub(super) fn stop(&mut self) {
        self.clear();
        self.interrupts.ignore();
    }

    /// What a script has printed, in whole lines. `who` is the row, if it is one's.
    pub(super) fn printed(&self, who: Option<&str>, text: &str) {
        if self.is_quiet {
            return;
        }
        let who = who.map(|who| format!("{who} | ")).unwrap_or_default();
        let text: String = text.lines().map(|line| format!("{who}{line}\n")).collect();
        self.printer.stderr(&text);
    }

    pub(super) fn warned(&mut self, who: Option<&str>, message: &str) {
        let is_known =
            !self.is_verbose && (self.warned.len() > MAX_WARNINGS || !self.warned.insert(message.to_owned()));
        if self.is_quiet || is_known {
            return;
        }
        if self.warned.len() > MAX_WARNINGS && !self.is_verbose {
            return self.printer.stderr("Further warnings are not shown; -v shows them.\n");
        }
        let who = who.map(|who| format!("{who}: ")).unwrap_or_default();
        let message = shortened(message.strip_prefix("Warning: ").unwrap_or(message));
        self.printer.stderr(&format!("Warning: {who}{message}\n"));
    }

    pub(super) fn ended(&self, who: &str, end: &RowEnd<'_>) {
        if !self.is_verbose {
            return;
        }
        let what = match (end.failure, end.will_retry) {
            (None, _) => "done".to_owned(),
            (Some(failure), again) => {
                let message = shortened(failure.message.lines().next().unwrap_or_default());
                let again = if again { ", once more" } else { "" };
                format!("failed{again} ({}: {message})", failure.kind)
            }
        };
        let took = seconds(end.took);
        self.printer.stderr_dim(&format!("{who}: {what}, {took}, {}, {}", tokens(&end.usage), cost(end.cost)));
    }

    pub(super) fn batch(&mut self, news: &BatchNews) {
        let line = self.batches.add(news);
        if let Some(line) = line.filter(|_| self.is_verbose) {
            self.printer.stderr_dim(&line);
        }
    }

    /// `more` is added at the end of the long line.
    pub(super) fn progress(&mut self, progress: &Progress, more: &[String]) {
        if self.is_quiet {
            return;
        }
        let (noun, batches) = (self.noun, self.batches.progress());
        let batches = batches.as_deref();
        let long = || [&[line(progress, noun, batches)], more].concat().join(" · ");
        self.line.draw_at((progress.done + progress.failed, progress.rows), || {
            [long(), short_line(progress, noun, batches)]
        });
        if !self.printer.stderr_is_terminal() && self.last_line_at.elapsed() >= LINE_INTERVAL {
            let line = long();
            // A batch may take a day.
            if batches.is_none() || line != self.last_line {
                self.last_line_at = Instant::now();
                self.printer.stderr(&format!("{line}\n"));
                self.last_line = line;
            }
        }
    }

    /// The exit code at the end. Prints why it has ended early.
    pub(super) fn exit_code(&self, totals: &Totals) -> ExitCode {
        let error = |words: &str| self.printer.diagnostic(&Diagnostic::new(words));
        match &totals.early {
            Some(EarlyEnd::Interrupted(signal)) => ExitCode::Interrupted(*signal),
            Some(EarlyEnd::Limit(words)) => {
                error(words);
                ExitCode::Limit
            }
            Some(EarlyEnd::Errors(words)) => {
                error(words);
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

    pub(super) fn interrupted(&mut self) -> Option<i32> {
        if self.signal.is_none() {
            self.signal = self.interrupts.try_next();
        }
        self.signal
    }
}

/// The first line of a summary, with its line break. `noun` is the singular of what is counted.
pub(super) fn headline(totals: &Totals, noun: &str) -> String {
    let Progress { done, failed, elapsed, usage, .. } = &totals.progress;
    let mut parts = vec![format!("{} done", grouped(*done))];
    parts.extend((*failed > 0).then(|| format!("{} failed", grouped(*failed))));
    parts.extend((totals.reused > 0).then(|| format!("{} done before", grouped(totals.reused))));
    let (batched, answered) = (totals.batched_rows, totals.answered_rows);
    let left = totals.left().saturating_sub(batched + answered);
    parts.extend((batched > 0).then(|| format!("{} in batches", grouped(batched))));
    parts.extend((answered > 0).then(|| format!("{} with stored answers", grouped(answered))));
    parts.extend((left > 0).then(|| format!("{} not run", grouped(left))));
    let s = if totals.total == 1 { "" } else { "s" };
    let mut text = format!("{} {noun}{s}: {}", grouped(totals.total), parts.join(", "));
    if done + failed > 0 {
        let rate = rate(&totals.progress, &format!("{noun}s")).map(|rate| format!(" ({rate})")).unwrap_or_default();
        text.push_str(&format!("; {}{rate}", seconds(*elapsed)));
    }
    if usage.input_tokens.or(usage.output_tokens).is_some() {
        text.push_str(&format!("; {}, {}", tokens(usage), money(&totals.progress)));
    }
    text.push('\n');
    text
}

/// `batches` says how far they are. The time that is left is not known with them.
fn line(progress: &Progress, noun: &str, batches: Option<&str>) -> String {
    let mut parts = vec![format!("{} of {} {noun}", grouped(progress.done + progress.failed), grouped(progress.rows))];
    parts.push(format!("{} failed", grouped(progress.failed)));
    match batches {
        Some(batches) => parts.push(batches.to_owned()),
        None => {
            parts.extend(rate(progress, noun));
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
fn short_line(progress: &Progress, noun: &str, batches: Option<&str>) -> String {
    let Progress { done, failed, rows, usage, .. } = progress;
    let mut parts = vec![format!("{}/{}", short(done + failed), short(*rows)), format!("{} failed", short(*failed))];
    match batches {
        Some(batches) => parts.push(batches.to_owned()),
        None => {
            parts.extend(rate(progress, noun).map(|rate| rate.replace(&format!(" {noun}/s"), "/s")));
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
fn rate(progress: &Progress, noun: &str) -> Option<String> {
    let rate = per_second(progress)?;
    Some(if rate < 10.0 { format!("{rate:.1} {noun}/s") } else { format!("{rate:.0} {noun}/s") })
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
