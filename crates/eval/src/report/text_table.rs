//! Tables for a terminal, of a width that they keep to.

use console::{Alignment, measure_text_width, pad_str, truncate_str};

use super::style::Style;

const GAP: &str = "  ";

const INDENT: &str = "  ";

/// The narrowest that a first column becomes before cells are put below each other.
const SHORTEST_LABEL: usize = 10;

#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub text: String,
    pub style: Style,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Cell { text: text.into(), style }
    }
}

/// Rows with a label and other cells. Empty cells are left out where rows are put below each other.
#[derive(Debug, Default)]
pub(super) struct TextTable {
    pub head: Vec<String>,
    pub rows: Vec<(String, Vec<Cell>)>,
}

impl TextTable {
    pub(super) fn lines(&self, columns: usize, has_colours: bool) -> Vec<String> {
        let widths = self.widths();
        let others: usize = widths[1..].iter().map(|width| width + GAP.len()).sum();
        let room = columns.saturating_sub(others + INDENT.len());
        if room < widths[0].min(SHORTEST_LABEL) {
            return self.stacked(columns, has_colours);
        }
        let label = widths[0].min(room);
        let head = (!self.head.is_empty()).then(|| {
            let cells: Vec<Cell> = self.head[1..].iter().map(|text| Cell::new(text, Style::Dim)).collect();
            line(
                &Style::Dim.paint(&pad(&self.head[0], label, Alignment::Left), has_colours),
                &cells,
                &widths,
                has_colours,
            )
        });
        let rows = self.rows.iter().map(|(name, cells)| {
            line(&pad(&shortened(name, label), label, Alignment::Left), cells, &widths, has_colours)
        });
        head.into_iter().chain(rows).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; 1 + self.rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or_default()];
        let rows = self.rows.iter().map(|(name, cells)| {
            let texts: Vec<&str> =
                std::iter::once(name.as_str()).chain(cells.iter().map(|cell| &cell.text[..])).collect();
            texts
        });
        for texts in rows.chain([self.head.iter().map(String::as_str).collect()]) {
            for (width, text) in widths.iter_mut().zip(texts) {
                *width = (*width).max(measure_text_width(text));
            }
        }
        widths
    }

    fn stacked(&self, columns: usize, has_colours: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, cells) in &self.rows {
            lines.push(format!("{INDENT}{}", shortened(name, columns.saturating_sub(INDENT.len()))));
            let heads = self.head.iter().skip(1).map(String::as_str).chain(std::iter::repeat(""));
            let mut line = String::new();
            for (cell, head) in cells.iter().zip(heads).filter(|(cell, _)| !cell.text.is_empty()) {
                let head = if head.is_empty() { String::new() } else { format!("{head} ") };
                let text = format!("{head}{}", cell.text.trim());
                let room = columns.saturating_sub(2 * INDENT.len());
                if !line.is_empty() && measure_text_width(&line) + GAP.len() + measure_text_width(&text) > room {
                    lines.push(format!("{INDENT}{INDENT}{line}"));
                    line.clear();
                }
                let gap = if line.is_empty() { "" } else { GAP };
                line.push_str(gap);
                line.push_str(&cell.style.paint(&truncate_str(&text, room, "…"), has_colours));
            }
            lines.push(format!("{INDENT}{INDENT}{line}"));
        }
        lines
    }
}

/// Figures are aligned to the right, the last cell is not.
fn line(label: &str, cells: &[Cell], widths: &[usize], has_colours: bool) -> String {
    let mut text = format!("{INDENT}{label}");
    for (place, (cell, width)) in cells.iter().zip(&widths[1..]).enumerate() {
        let is_last = place + 2 == widths.len();
        let alignment = if is_last { Alignment::Left } else { Alignment::Right };
        text.push_str(GAP);
        let padded = pad(&cell.text, *width, alignment);
        text.push_str(&cell.style.paint(if is_last { padded.trim_end() } else { &padded }, has_colours));
    }
    text.trim_end().to_owned()
}

fn pad(text: &str, width: usize, alignment: Alignment) -> String {
    pad_str(text, width, alignment, None).into_owned()
}

/// Without its middle: names of models often differ at their ends, and those of variants at their beginnings.
fn shortened(name: &str, width: usize) -> String {
    if measure_text_width(name) <= width {
        return name.to_owned();
    }
    let start = truncate_str(name, width / 3, "").into_owned();
    let room = width.saturating_sub(measure_text_width(&start) + 1);
    let mut end = String::new();
    for character in name.chars().rev() {
        end.insert(0, character);
        if measure_text_width(&end) > room {
            end.remove(0);
            break;
        }
    }
    format!("{start}…{end}")
}
