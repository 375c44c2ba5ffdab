//! Runs as a table that fits the terminal.

use std::path::Path;

use console::{measure_text_width, pad_str, style, truncate_str};
use jiff::tz::TimeZone;

use super::json::{timestamp, tokens};
use crate::cli::{
    Printer,
    readers::numbers::{cost, grouped},
};
use lmthing_store::journal::{RunInfo, RunStatus};

const HEAD: [&str; 7] = ["ID", "FILE", "STATUS", "STARTED", "STEPS", "TOKENS", "COST"];

/// Indexes of the columns that are shortened if necessary.
const ID: usize = 0;
const FILE: usize = 1;
const STARTED: usize = 3;

const SHORTEST_ID: usize = 8;
const SHORTEST_FILE: usize = 12;

const GAP: &str = "  ";

pub(super) fn of_runs(runs: &[RunInfo], printer: &Printer) -> String {
    let directory = std::env::current_dir().unwrap_or_default();
    let mut rows: Vec<[String; 7]> = vec![HEAD.map(str::to_owned)];
    rows.extend(runs.iter().map(|run| row(run, (&directory, printer), "%F %R")));
    let columns = printer.columns().map(usize::from);
    if let Some(columns) = columns {
        fit(&mut rows, runs, (&directory, printer), columns);
    }
    let widths = widths(&rows);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let status = index.checked_sub(1).and_then(|index| runs.get(index)).map(|run| run.status);
        let line = line(row, &widths, status.filter(|_| printer.stdout_has_colours()));
        text += columns.map_or(line.as_str().into(), |columns| truncate_str(&line, columns, "…")).trim_end();
        text.push('\n');
    }
    text
}

fn row(run: &RunInfo, (directory, printer): (&Path, &Printer), time: &str) -> [String; 7] {
    let file = run.file.strip_prefix(directory).unwrap_or(&run.file).display().to_string();
    let started = timestamp(run.started).to_zoned(TimeZone::system()).strftime(time).to_string();
    let tokens = tokens(&run.sums.usage).map_or_else(|| "?".to_owned(), grouped);
    let cost = run.cost().map_or_else(|| "?".to_owned(), |dollars| cost(Some(dollars)));
    let steps = run.sums.steps.to_string();
    [run.id.clone(), without_controls(&file, printer), run.status.as_str().to_owned(), started, steps, tokens, cost]
}

pub(super) fn without_controls(text: &str, printer: &Printer) -> String {
    printer.stdout_part(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Shortens times, then ids, then paths, until the table fits.
fn fit(rows: &mut [[String; 7]], runs: &[RunInfo], place: (&Path, &Printer), columns: usize) {
    if missing(rows, columns) > 0 {
        for (cells, run) in rows.iter_mut().skip(1).zip(runs) {
            let short = row(run, place, "%m-%d %R");
            cells[STARTED].clone_from(&short[STARTED]);
        }
    }
    if missing(rows, columns) > 0 {
        let length = unique_length(runs);
        rows.iter_mut().skip(1).for_each(|cells| cells[ID].truncate(length));
    }
    let missing = missing(rows, columns);
    if missing > 0 {
        let width = widths(rows)[FILE].saturating_sub(missing).max(SHORTEST_FILE);
        rows.iter_mut().skip(1).for_each(|cells| cells[FILE] = end_of(&cells[FILE], width));
    }
}

fn missing(rows: &[[String; 7]], columns: usize) -> usize {
    (widths(rows).iter().sum::<usize>() + GAP.len() * (HEAD.len() - 1)).saturating_sub(columns)
}

fn widths(rows: &[[String; 7]]) -> [usize; 7] {
    let mut widths = [0; 7];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(measure_text_width(cell));
        }
    }
    widths
}

/// Length of id prefixes that are unique.
fn unique_length(runs: &[RunInfo]) -> usize {
    let mut ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    ids.sort_unstable();
    let common = |pair: &[&str]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
    // One character more than necessary, as another run may start before the user types the id.
    ids.windows(2).map(common).max().map_or(SHORTEST_ID, |common| (common + 2).max(SHORTEST_ID))
}

/// The end of a path, which is more specific than its beginning.
fn end_of(path: &str, width: usize) -> String {
    if measure_text_width(path) <= width {
        return path.to_owned();
    }
    let mut end = String::new();
    for character in path.chars().rev() {
        end.insert(0, character);
        if measure_text_width(&end) + 1 > width {
            end.remove(0);
            break;
        }
    }
    format!("…{end}")
}

/// Text is aligned to the left, numbers to the right. `status` selects the colour.
fn line(row: &[String; 7], widths: &[usize; 7], status: Option<RunStatus>) -> String {
    let cells = row.iter().zip(widths).enumerate().map(|(place, (cell, width))| {
        let alignment = if place > STARTED { console::Alignment::Right } else { console::Alignment::Left };
        let padded = pad_str(cell, *width, alignment, None).into_owned();
        match status.filter(|status| cell == status.as_str()) {
            Some(RunStatus::Done) => style(padded).green().force_styling(true).to_string(),
            Some(RunStatus::Failed) => style(padded).red().force_styling(true).to_string(),
            Some(RunStatus::Running) => style(padded).cyan().force_styling(true).to_string(),
            Some(RunStatus::Limit | RunStatus::Waiting | RunStatus::Interrupted) => {
                style(padded).yellow().force_styling(true).to_string()
            }
            None => padded,
        }
    });
    cells.collect::<Vec<_>>().join(GAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_keep_their_end() {
        assert_eq!(end_of("prompts/weather.lmt.mjs", 15), "…eather.lmt.mjs");
        assert_eq!(end_of("a.lmt.mjs", 15), "a.lmt.mjs");
        assert_eq!(measure_text_width(&end_of("weather/天気/天気.lmt.mjs", 14)), 14);
    }
}
