//! One failure in words: what was thrown, the difference, the source, the calls that led there, causes, hint. Must not know which
//! test it belongs to.

use std::path::PathBuf;

use annotate_snippets::Renderer;

use crate::{
    diagnostic::{Diagnostic, snippet::renderer},
    testing::{
        outcome::{Failure, TestOutcome},
        report::{Look, shown, style::Paint},
    },
};

/// Writes failures.
pub(in crate::testing::report) struct FailureText {
    look: Look,
    paint: Paint,
    renderer: Renderer,
}

impl FailureText {
    pub(in crate::testing::report) fn new(look: &Look) -> Self {
        let (paint, renderer) = (Paint::new(look.has_colours), renderer(look.has_colours, look.columns));
        FailureText { look: look.clone(), paint, renderer }
    }

    /// For people who read files: no colours.
    pub(in crate::testing::report) fn plain(folder: PathBuf) -> Self {
        FailureText::new(&Look { folder, ..Look::default() })
    }

    /// The whole text, ending in a newline. A failure without a place is shown at its test.
    pub(in crate::testing::report) fn of(&self, failure: &Failure, test: Option<&TestOutcome>) -> String {
        let original = &failure.diagnostic;
        let diagnostic = shown::of_diagnostic(&self.look.folder, original);
        let mut text = self.headline(&diagnostic);
        if let Some(diff) = &failure.diff {
            text += &format!("\n{}\n", self.diff(&shown::visible(diff)));
        }
        let located = Diagnostic { location: shown::place(failure, test).cloned(), ..original.clone() };
        if let Some(location) = &located.location {
            let name = shown::from(&self.look.folder, &location.path);
            text += &located.frame(&name, &self.renderer).unwrap_or_default();
        }
        text + &diagnostic.render_rest(self.look.has_colours)
    }

    fn headline(&self, diagnostic: &Diagnostic) -> String {
        let name = match diagnostic.name.as_str() {
            "" => String::new(),
            name if diagnostic.message.is_empty() => self.paint.red(self.paint.bold(name)),
            name => format!("{}: ", self.paint.red(self.paint.bold(name))),
        };
        let lines: Vec<String> = diagnostic.message.lines().map(|line| self.paint.red(line)).collect();
        format!("{name}{}\n", lines.join("\n"))
    }

    /// What was expected in green, what came in red, the rest faint.
    fn diff(&self, diff: &str) -> String {
        let colour = |line: &str| {
            if let Some(value) = line.strip_prefix("Expected: ") {
                return format!("Expected: {}\n", self.paint.green(value));
            }
            if let Some(value) = line.strip_prefix("Received: ") {
                return format!("Received: {}\n", self.paint.red(value));
            }
            let line = match line.chars().next() {
                Some('-') => self.paint.green(line),
                Some('+') => self.paint.red(line),
                Some(_) => self.paint.dim(line),
                None => String::new(),
            };
            line + "\n"
        };
        diff.trim_end().lines().map(colour).collect()
    }
}
