//! The plain text of a [`Diagnostic`], with or without colour.

use std::fmt::Write as _;

use console::{Style, measure_text_width};

use super::{Diagnostic, Location, strip_controls};

const MAX_SOURCE_LINE: usize = 160;

/// Shortest excerpt of a source line, however narrow the terminal is.
const MIN_SOURCE_LINE: usize = 20;

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
    /// other escape sequences and control characters are removed. Source lines are cut to the `columns` of a terminal.
    pub fn render(&self, colour: bool, columns: Option<u16>) -> String {
        let mut out = String::new();
        match colour {
            true => {
                let clean = self.clone().map_texts(&|text| strip_controls(text).into_owned());
                Renderer::new(true, columns).diagnostic(&mut out, &clean, 0);
            }
            false => Renderer::new(false, columns).diagnostic(&mut out, self, 0),
        }
        out
    }

    /// The part of [`Diagnostic::render`] after the position: stack, causes, hint. Empty if there are none.
    pub fn render_rest(&self, colour: bool, columns: Option<u16>) -> String {
        let mut out = String::new();
        Renderer::new(colour, columns).rest(&mut out, self, 0);
        out
    }
}

struct Renderer {
    error: Style,
    faint: Style,
    strong: Style,
    hint: Style,
    columns: usize,
}

impl Renderer {
    fn new(colour: bool, columns: Option<u16>) -> Self {
        // `console` would inspect stdout by itself; the text may be for stderr.
        let style = || Style::new().force_styling(colour);
        let columns = columns.map_or(usize::MAX, usize::from);
        Self {
            error: style().red().bold(),
            faint: style().dim(),
            strong: style().bold(),
            hint: style().cyan(),
            columns,
        }
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
        let room = self.columns.saturating_sub(indent.len() + gutter.len() + " | ".len());
        let room = room.clamp(MIN_SOURCE_LINE, MAX_SOURCE_LINE);
        let Some((text, caret)) = source_line.and_then(|text| excerpt(text, *column, room)) else { return };
        let bar = self.faint.apply_to("|");
        push_line(out, format_args!("{indent}{gutter} {bar}"));
        push_line(out, format_args!("{indent}{} {bar} {text}", self.faint.apply_to(&number)));
        push_line(out, format_args!("{indent}{gutter} {bar} {}", self.error.apply_to(caret)));
    }
}

fn push_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a string cannot fail");
}

/// The source line and a line with the caret. Both line up: tabs are preserved, and a wide character takes two spaces. A
/// line that is wider than `room` is cut around the column.
fn excerpt(text: &str, column: u32, room: usize) -> Option<(String, String)> {
    let characters: Vec<char> = text.trim_end().chars().collect();
    let column = (column.max(1) as usize - 1).min(characters.len());
    if characters.is_empty() {
        return None;
    }
    // By characters, as columns count: a cut by bytes could split one.
    let (start, end) = shown_range(&characters, column, room);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < characters.len() { "…" } else { "" });
    let shown: String = characters[start..end].iter().collect();
    let ahead: String = before.chars().chain(characters[start..column].iter().copied()).collect();
    let padding: Vec<String> = ahead.split('\t').map(|text| " ".repeat(measure_text_width(text))).collect();
    let padding = padding.join("\t");
    Some((format!("{before}{shown}{after}"), format!("{padding}^")))
}

/// The characters of a line that fit into `room`, about half of them before `column`.
fn shown_range(characters: &[char], column: usize, room: usize) -> (usize, usize) {
    let widths: Vec<usize> = characters.iter().map(|c| width(*c)).collect();
    if widths.iter().sum::<usize>() <= room {
        return (0, characters.len());
    }
    // A column each for the marks of what is cut off.
    let room = room - 2;
    let mut start = column;
    let mut used = 0;
    while start > 0 && used + widths[start - 1] <= room / 2 {
        start -= 1;
        used += widths[start];
    }
    let mut end = column;
    while end < widths.len() && used + widths[end] <= room {
        used += widths[end];
        end += 1;
    }
    (start, end)
}

fn width(character: char) -> usize {
    // A tab moves the cursor by up to eight columns.
    if character == '\t' { 8 } else { measure_text_width(character.encode_utf8(&mut [0; 4])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_column() {
        let drawn = |text, column, room| excerpt(text, column, room).unwrap();
        assert_eq!(drawn("ab c", 4, 20), ("ab c".to_owned(), "   ^".to_owned()));
        assert_eq!(drawn("\ta日本 c", 6, 20), ("\ta日本 c".to_owned(), "\t      ^".to_owned()));
        assert_eq!(drawn("x", 9, 20), ("x".to_owned(), " ^".to_owned()));
        assert_eq!(excerpt("  ", 1, 20), None);
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let line = format!("{}X{}", "日".repeat(40), "b".repeat(40));
        let (text, caret) = excerpt(&line, 41, 22).unwrap();
        assert_eq!(text, format!("…{}X{}…", "日".repeat(5), "b".repeat(9)));
        assert_eq!(caret, format!("{}^", " ".repeat(11)));
        assert_eq!(measure_text_width(&text), 22);
        let (text, caret) = excerpt(&line, 1, 22).unwrap();
        assert_eq!((text, caret.as_str()), (format!("{}…", "日".repeat(10)), "^"));
    }
}
