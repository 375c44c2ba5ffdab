//! A status line on a terminal's standard error, with or without a bar.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use console::measure_text_width;

use super::{Printer, screen};
use lmthing_base::diagnostic::strip_controls_line;

/// Delay before the line appears: most runs are shorter.
const FIRST_DELAY: Duration = Duration::from_millis(300);

const INTERVAL: Duration = Duration::from_millis(100);

/// Widths of the bar in columns. It takes what the text leaves of the line, and is left out below the first.
const BAR_WIDTHS: (usize, usize) = (6, 24);

/// Draws nothing if standard error is no terminal. The line is removed before other output.
pub(super) struct StatusLine {
    is_terminal: bool,
    began: Instant,
    drawn: Option<Instant>,
    is_shown: Rc<Cell<bool>>,
}

impl StatusLine {
    pub(super) fn new(printer: &Printer) -> Self {
        let is_shown: Rc<Cell<bool>> = Rc::default();
        let shown = is_shown.clone();
        printer.before_write(Rc::new(move || hide(&shown)));
        StatusLine { is_terminal: printer.stderr_is_terminal(), began: Instant::now(), drawn: None, is_shown }
    }

    /// Draws the text of `line`, at most once an interval.
    pub(super) fn draw(&mut self, line: impl FnOnce() -> String) {
        let elapsed = self.began.elapsed();
        self.draw_after(|_| screen::spinner(elapsed).to_string(), line);
    }

    /// As [`StatusLine::draw`], with a bar at `done` of `all`, and the longest of the texts that fits the line.
    pub(super) fn draw_at(&mut self, (done, all): (u64, u64), texts: impl FnOnce() -> [String; 2]) {
        let width = screen::line_width();
        self.draw_after(
            |text| bar(width.saturating_sub(measure_text_width(text) + 1), done, all),
            || longest_that_fits(texts(), width),
        );
    }

    fn draw_after(&mut self, mark: impl FnOnce(&str) -> String, line: impl FnOnce() -> String) {
        let is_recent = self.drawn.is_some_and(|drawn| drawn.elapsed() < INTERVAL);
        if !self.is_terminal || self.began.elapsed() < FIRST_DELAY || is_recent {
            return;
        }
        self.drawn = Some(Instant::now());
        let text = strip_controls_line(&line());
        screen::draw("", &mark(&text), &text);
        self.is_shown.set(true);
    }

    pub(super) fn clear(&self) {
        hide(&self.is_shown);
    }
}

fn hide(is_shown: &Cell<bool>) {
    if is_shown.take() {
        screen::clear("");
    }
}

fn longest_that_fits([long, short]: [String; 2], width: usize) -> String {
    if measure_text_width(&long) <= width { long } else { short }
}

/// A bar of at most `room` columns.
fn bar(room: usize, done: u64, all: u64) -> String {
    let width = room.min(BAR_WIDTHS.1);
    if width < BAR_WIDTHS.0 || all == 0 {
        return String::new();
    }
    let filled = (u128::from(done.min(all)) * width as u128 / u128::from(all)) as usize;
    format!("{}{}", "█".repeat(filled), "░".repeat(width - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_takes_what_the_text_leaves() {
        assert_eq!(bar(80, 1, 2), format!("{}{}", "█".repeat(12), "░".repeat(12)));
        assert_eq!([bar(8, 3, 4), bar(5, 3, 4), bar(80, 0, 0)], ["██████░░", "", ""]);
        assert_eq!(bar(6, u64::MAX, u64::MAX), "██████");
    }
}
