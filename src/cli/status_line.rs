//! A status line on a terminal's standard error, with or without a bar.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Printer, screen};
use lmthing_base::diagnostic::strip_controls_line;

/// Delay before the line appears: most runs are shorter.
const FIRST_DELAY: Duration = Duration::from_millis(300);

const INTERVAL: Duration = Duration::from_millis(100);

/// Draws nothing if standard error is no terminal.
pub(super) struct StatusLine {
    is_terminal: bool,
    template: &'static str,
    began: Instant,
    drawn: Option<Instant>,
    bar: Rc<RefCell<Option<ProgressBar>>>,
}

impl StatusLine {
    /// A line that is removed before other output.
    pub(super) fn new(printer: &Printer) -> Self {
        StatusLine::of(printer, "{spinner} {wide_msg:.dim}")
    }

    pub(super) fn with_bar(printer: &Printer) -> Self {
        StatusLine::of(printer, "{bar:24} {wide_msg:.dim}")
    }

    fn of(printer: &Printer, template: &'static str) -> Self {
        let bar: Rc<RefCell<Option<ProgressBar>>> = Rc::default();
        let shown = bar.clone();
        printer.before_write(Rc::new(move || hide(&shown)));
        StatusLine { is_terminal: printer.stderr_is_terminal(), template, began: Instant::now(), drawn: None, bar }
    }

    /// Draws the text of `line`, at most once an interval.
    pub(super) fn draw(&mut self, line: impl FnOnce() -> String) {
        self.draw_at((0, 0), line);
    }

    /// As [`StatusLine::draw`], with a bar at `done` of `all`.
    pub(super) fn draw_at(&mut self, (done, all): (u64, u64), line: impl FnOnce() -> String) {
        let is_recent = self.drawn.is_some_and(|drawn| drawn.elapsed() < INTERVAL);
        if !self.is_terminal || self.began.elapsed() < FIRST_DELAY || is_recent {
            return;
        }
        self.drawn = Some(Instant::now());
        screen::draw(|| {
            let mut bar = self.bar.borrow_mut();
            let bar = bar.get_or_insert_with(|| {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                match ProgressStyle::with_template(self.template) {
                    Ok(style) => bar.with_style(style),
                    Err(_) => bar,
                }
            });
            if all > 0 {
                bar.set_length(all);
                bar.set_position(done);
            }
            bar.set_message(strip_controls_line(&line()));
            bar.tick();
            true
        });
    }

    pub(super) fn clear(&self) {
        hide(&self.bar);
    }
}

fn hide(bar: &RefCell<Option<ProgressBar>>) {
    if let Some(bar) = bar.take() {
        screen::clear(|| bar.finish_and_clear());
    }
}
