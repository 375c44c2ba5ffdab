//! The plain text of a [`Diagnostic`], with or without colour.

use std::fmt::Write as _;

use console::Style;

use super::{Diagnostic, Location, strip_controls};

const MAX_SOURCE_LINE: usize = 160;

impl Diagnostic {
    /// `Error: message`, or `Error: TypeError: message` for another class.
    pub fn headline(&self) -> String {
        match self.name.as_str() {
            "" | "Error" => format!("Error: {}", self.message),
            name if self.message.is_empty() => format!("Error: {name}"),
            name => format!("Error: {name}: {}", self.message),
        }
    }

    /// The whole text, ending in a newline: headline, position with source line and caret, stack, causes, hint. With `colour`, all
    /// other escape sequences and control characters are removed.
    pub fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        match colour {
            true => {
                let clean = self.clone().map_texts(&|text| strip_controls(text).into_owned());
                Renderer::new(true).diagnostic(&mut out, &clean, 0);
            }
            false => Renderer::new(false).diagnostic(&mut out, self, 0),
        }
        out
    }

    /// The part of [`Diagnostic::render`] after the position: stack, causes, hint. Empty if there are none.
    pub fn render_rest(&self, colour: bool) -> String {
        let mut out = String::new();
        Renderer::new(colour).rest(&mut out, self, 0);
        out
    }
}

struct Renderer {
    error: Style,
    faint: Style,
    strong: Style,
    hint: Style,
}

impl Renderer {
    fn new(colour: bool) -> Self {
        // `console` would inspect stdout by itself; the text may be for stderr.
        let style = || Style::new().force_styling(colour);
        Self { error: style().red().bold(), faint: style().dim(), strong: style().bold(), hint: style().cyan() }
    }

    fn diagnostic(&self, out: &mut String, diagnostic: &Diagnostic, depth: usize) {
        let indent = "  ".repeat(depth);
        let headline = diagnostic.headline();
        let (label, rest) = headline.split_once(": ").unwrap_or((&headline, ""));
        // The label of a headline is `Error`; for a cause it is replaced.
        let label = if depth == 0 { label.to_owned() } else { "Caused by".to_owned() };
        let rest = rest.replace('\n', &format!("\n{indent}"));
        push_line(out, format_args!("{indent}{}: {}", self.error.apply_to(label), self.strong.apply_to(rest)));
        if let Some(location) = &diagnostic.location {
            self.location(out, location, diagnostic.source_line.as_deref(), &indent);
        }
        self.rest(out, diagnostic, depth);
    }

    fn rest(&self, out: &mut String, diagnostic: &Diagnostic, depth: usize) {
        let indent = "  ".repeat(depth);
        self.stack(out, diagnostic, &indent);
        for cause in &diagnostic.causes {
            self.diagnostic(out, cause, depth + 1);
        }
        if let Some(hint) = &diagnostic.hint {
            push_line(out, format_args!("\n{indent}{} {hint}", self.hint.apply_to("hint:")));
        }
    }

    /// The calls without the position shown above; a call that repeats (endless recursion) is shown once.
    fn stack(&self, out: &mut String, diagnostic: &Diagnostic, indent: &str) {
        let mut frames = diagnostic.stack.as_slice();
        if frames.first().is_some_and(|first| Some(&first.location) == diagnostic.location.as_ref())
            && frames.len() == 1
        {
            return;
        }
        while let Some(frame) = frames.first() {
            let repeats = frames.iter().take_while(|other| *other == frame).count();
            frames = &frames[repeats..];
            let Location { path, line, column } = &frame.location;
            let place = format!("{path}:{line}:{column}");
            let call = frame.function.as_ref().map_or(place.clone(), |function| format!("{function} ({place})"));
            let times = if repeats > 1 { format!(" (and {} more)", repeats - 1) } else { String::new() };
            push_line(out, format_args!("{indent}{}", self.faint.apply_to(format!("    at {call}{times}"))));
        }
    }

    fn location(&self, out: &mut String, location: &Location, source_line: Option<&str>, indent: &str) {
        let Location { path, line, column } = location;
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        push_line(out, format_args!("{indent}{gutter}{} {path}:{line}:{column}", self.faint.apply_to("-->")));
        let Some((text, caret)) = source_line.and_then(|text| excerpt(text, *column)) else { return };
        let bar = self.faint.apply_to("|");
        push_line(out, format_args!("{indent}{gutter} {bar}"));
        push_line(out, format_args!("{indent}{} {bar} {text}", self.faint.apply_to(&number)));
        push_line(out, format_args!("{indent}{gutter} {bar} {}", self.error.apply_to(caret)));
    }
}

fn push_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a string cannot fail");
}

/// The source line and a line with the caret. Tabs are preserved so that both line up; a long line is cut around the column.
fn excerpt(text: &str, column: u32) -> Option<(String, String)> {
    let characters: Vec<char> = text.trim_end().chars().collect();
    let column = (column.max(1) as usize - 1).min(characters.len());
    if characters.is_empty() {
        return None;
    }
    // By characters, as columns count: a cut by bytes could split one.
    let start = if characters.len() <= MAX_SOURCE_LINE { 0 } else { column.saturating_sub(MAX_SOURCE_LINE / 2) };
    let end = characters.len().min(start + MAX_SOURCE_LINE);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < characters.len() { "…" } else { "" });
    let shown: String = characters[start..end].iter().collect();
    let padding: String = before
        .chars()
        .map(|_| ' ')
        .chain(characters[start..column].iter().map(|&c| if c == '\t' { c } else { ' ' }))
        .collect();
    Some((format!("{before}{shown}{after}"), format!("{padding}^")))
}
