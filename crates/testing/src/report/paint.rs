//! The colours of reports, the same as Vitest's.

use std::fmt::Display;

use console::Style;

#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    has_colours: bool,
}

impl Paint {
    pub(super) fn new(has_colours: bool) -> Self {
        Paint { has_colours }
    }

    pub(super) fn red(self, text: impl Display) -> String {
        self.with(Style::red, text)
    }

    pub(super) fn green(self, text: impl Display) -> String {
        self.with(Style::green, text)
    }

    pub(super) fn yellow(self, text: impl Display) -> String {
        self.with(Style::yellow, text)
    }

    pub(super) fn dim(self, text: impl Display) -> String {
        self.with(Style::dim, text)
    }

    pub(super) fn bold(self, text: impl Display) -> String {
        self.with(Style::bold, text)
    }

    pub(super) fn badge(self, text: impl Display) -> String {
        self.with(|style| style.bold().white().on_red(), text)
    }

    fn with(self, style: impl FnOnce(Style) -> Style, text: impl Display) -> String {
        // Without this `console` decides by inspecting stdout.
        style(Style::new().force_styling(self.has_colours)).apply_to(text).to_string()
    }
}
