//! The text of one failure: error, diff, source, stack, causes, hint.

use std::path::PathBuf;

use annotate_snippets::Renderer;

use crate::{
    outcome::{Failure, TestOutcome},
    report::{ReportStyle, paint::Paint, safe_text},
};
use lmthing_base::diagnostic::{Diagnostic, snippet::renderer};

pub(crate) struct FailureText {
    style: ReportStyle,
    paint: Paint,
    renderer: Renderer,
}

impl FailureText {
    pub(crate) fn new(style: &ReportStyle) -> Self {
        let (paint, renderer) = (Paint::new(style.has_colours), renderer(style.has_colours, style.columns));
        FailureText { style: style.clone(), paint, renderer }
    }

    pub(crate) fn plain(folder: PathBuf) -> Self {
        FailureText::new(&ReportStyle { folder, ..ReportStyle::default() })
    }

    /// The whole text, with a line end. A failure without a location is shown at its test.
    pub(crate) fn of(&self, failure: &Failure, test: Option<&TestOutcome>) -> String {
        let original = &failure.diagnostic;
        let diagnostic = safe_text::safe_diagnostic(&self.style.folder, original);
        let mut text = self.headline(&diagnostic);
        if let Some(diff) = &failure.diff {
            text += &format!("\n{}\n", self.diff(&safe_text::visible(diff)));
        }
        let located = Diagnostic { location: safe_text::place(failure, test).cloned(), ..original.clone() };
        if let Some(location) = &located.location {
            let name = safe_text::relative_path(&self.style.folder, &location.path);
            text += &located.frame(&name, &self.renderer).unwrap_or_default();
        }
        text + &diagnostic.render_rest(self.style.has_colours, self.style.columns)
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

    /// Expected lines in green, received lines in red, the others dimmed.
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
