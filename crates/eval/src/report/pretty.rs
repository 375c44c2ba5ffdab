//! A report for people in a terminal.

use std::fmt::Write as _;

use console::truncate_str;
use serde_json::Value;

use super::{
    evaluated::Evaluated,
    style::{Look, Style, counted, label, money, number, one_line, signed, time, tokens},
    text_table::{Cell, TextTable},
    types::{Against, Difference, EvalReport},
};

/// Without a terminal.
const COLUMNS: usize = 120;

const NARROWEST: usize = 40;

const MAX_ROWS: usize = 5;

const MAX_ERRORS: usize = 10;

pub(super) struct Pretty<'a> {
    report: &'a EvalReport,
    eval: &'a Evaluated<'a>,
    columns: usize,
    has_colours: bool,
    text: String,
}

impl<'a> Pretty<'a> {
    pub(super) fn new(report: &'a EvalReport, eval: &'a Evaluated<'a>, look: Look) -> Self {
        let columns = look.columns.map_or(COLUMNS, usize::from).max(NARROWEST);
        Pretty { report, eval, columns, has_colours: look.has_colours, text: String::new() }
    }

    pub(super) fn text(mut self) -> String {
        self.heading();
        for score in &self.eval.file.scores {
            self.score(score);
        }
        if let Some(baseline) = self.eval.baseline {
            self.baseline(&baseline.shown_path);
        }
        self.runs();
        self.disagreements();
        self.errors();
        self.text
    }

    fn line(&mut self, text: &str, style: Style) {
        let text = truncate_str(text, self.columns, "…");
        self.text.push_str(&style.paint(&text, self.has_colours));
        self.text.push('\n');
    }

    fn table(&mut self, table: &TextTable) {
        for line in table.lines(self.columns, self.has_colours) {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    fn section(&mut self, title: &str) {
        self.text.push('\n');
        self.line(title, Style::Bold);
    }

    fn heading(&mut self) {
        let EvalReport { file, rows, cells, groups, .. } = self.report;
        self.line(&one_line(file), Style::Bold);
        let mut line = format!("{}, {}", counted(*rows, "row"), counted(*cells, "cell"));
        if let Some(first) = groups.first() {
            let is_same_model = groups.iter().all(|group| group.model == first.model);
            let _ = if is_same_model { write!(line, ", {}", one_line(&first.model)) } else { Ok(()) };
        }
        self.line(&(line + "; means with 95 % intervals"), Style::Dim);
    }

    /// The means of a score, and its differences from the first group.
    fn score(&mut self, score: &str) {
        let report = self.report;
        let mut table = TextTable::default();
        for group in &report.groups {
            let Some(summary) = group.scores.get(score) else { continue };
            let first = report.differences.iter().find(|difference| {
                difference.against == Against::First
                    && (&difference.score, &difference.variant, &difference.model)
                        == (&score.to_owned(), &group.variant, &group.model)
            });
            let mut cells = match (summary.mean, summary.low, summary.high) {
                (Some(mean), Some(low), Some(high)) => vec![
                    Cell::new(number(mean), Style::Bold),
                    Cell::new(format!("{}…{}", number(low), number(high)), Style::Dim),
                ],
                _ => vec![Cell::new("–", Style::Dim), Cell::new("no row has it", Style::Dim)],
            };
            cells.extend(
                first.map(|first| difference_cells(first, report.rows)).unwrap_or_else(|| vec![Cell::default(); 3]),
            );
            table.rows.push((label(&report.groups, &group.variant, &group.model), cells));
        }
        let against: Vec<&Difference> =
            report.differences.iter().filter(|difference| difference.against == Against::First).collect();
        let title = match against.first() {
            None => {
                table.rows.iter_mut().for_each(|(_, cells)| cells.truncate(2));
                one_line(score)
            }
            Some(first) => {
                let is_same = against.iter().all(|difference| difference.other == first.other);
                let (variant, model) = (&first.other.0, &first.other.1);
                match is_same {
                    true => format!("{}, against {}", one_line(score), label(&report.groups, variant, model)),
                    false => format!("{}, against {}", one_line(score), one_line(variant)),
                }
            }
        };
        self.section(&title);
        self.table(&table);
    }

    fn baseline(&mut self, path: &str) {
        let report = self.report;
        let of_baseline = report.differences.iter().filter(|difference| difference.against == Against::Baseline);
        let mut table = TextTable::default();
        for difference in of_baseline {
            let label = label(&report.groups, &difference.variant, &difference.model);
            let model = match difference.other.1 == difference.model {
                true => String::new(),
                false => format!(", there {}", one_line(&difference.other.1)),
            };
            table.rows.push((
                format!("{} · {label}{model}", one_line(&difference.score)),
                difference_cells(difference, report.rows),
            ));
        }
        self.section(&format!("Against {}", one_line(path)));
        if table.rows.is_empty() {
            self.line("  It has no cell with a score, a variant and a row of this eval.", Style::Plain);
        }
        self.table(&table);
    }

    fn runs(&mut self) {
        let has_judges = self.eval.cells.iter().any(|cell| !cell.verdicts.is_empty());
        let judges = has_judges.then_some("judges");
        let head = ["", "cells", "errors", "cost"].into_iter().chain(judges).chain(["tokens", "p50", "p95"]);
        let mut table = TextTable { head: head.map(str::to_owned).collect(), rows: Vec::new() };
        for group in &self.report.groups {
            let errors = if group.errors > 0 { Style::Red } else { Style::Plain };
            let plain = |text: String| Cell::new(text, Style::Plain);
            let mut cells = vec![plain(group.cells.to_string()), Cell::new(group.errors.to_string(), errors)];
            cells.push(plain(money(group.cost)));
            cells.extend(has_judges.then(|| plain(money(group.judge_cost))));
            cells.extend([tokens(group), time(group.duration_ms.p50), time(group.duration_ms.p95)].map(plain));
            table.rows.push((label(&self.report.groups, &group.variant, &group.model), cells));
        }
        self.section("Runs");
        self.table(&table);
    }

    fn disagreements(&mut self) {
        let found = self.eval.disagreements();
        if found.is_empty() {
            return;
        }
        let count = counted(found.len() as u64, "row");
        let verb = if found.len() == 1 { "gets" } else { "get" };
        self.section(&format!("{count} {verb} different scores"));
        for row in found.iter().take(MAX_ROWS) {
            let input = one_line(&Value::Object(row.input.clone()).to_string());
            self.line(&format!("  row {}  {input}", row.row), Style::Plain);
            let means = row.means.iter().map(|((variant, model), mean)| {
                format!("{} {}", label(&self.report.groups, variant, model), short(*mean))
            });
            let line = format!("    {}: {}", one_line(row.score), means.collect::<Vec<_>>().join(", "));
            self.line(&line, Style::Dim);
        }
        self.more(found.len(), MAX_ROWS);
    }

    fn errors(&mut self) {
        let groups = self.eval.error_groups();
        if groups.is_empty() {
            return;
        }
        self.section("Errors");
        for group in groups.iter().take(MAX_ERRORS) {
            let options = textwrap::Options::new(self.columns).initial_indent("  ").subsequent_indent("    ");
            for line in textwrap::wrap(&group.line(), options) {
                self.line(&line, Style::Red);
            }
        }
        self.more(groups.len(), MAX_ERRORS);
    }

    fn more(&mut self, count: usize, shown: usize) {
        if count > shown {
            self.line(&format!("  and {} more; --format html shows all", count - shown), Style::Dim);
        }
    }
}

/// `rows` is what the eval has; where fewer are compared, their number is shown.
fn difference_cells(difference: &Difference, rows: u64) -> Vec<Cell> {
    let Difference { mean, low, high, verdict, n, .. } = difference;
    let rows = if *n == rows { String::new() } else { format!(", {}", counted(*n, "row")) };
    vec![
        Cell::new(signed(*mean), Style::Plain),
        Cell::new(format!("{}…{}", signed(*low), signed(*high)), Style::Dim),
        Cell::new(format!("{}{rows}", verdict.as_str()), Style::of(*verdict)),
    ]
}

/// Without digits that say nothing.
fn short(mean: f64) -> String {
    let text = number(mean);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
