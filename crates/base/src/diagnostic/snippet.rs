//! Source excerpts with marks, drawn by `annotate-snippets`, which also draws for the Rust compiler.

use std::{fs, ops::Range};

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet,
    renderer::{AnsiColor, DEFAULT_TERM_WIDTH},
};

use super::{Diagnostic, Location};

/// Lines shown above and below the marked one.
const CONTEXT_LINES: usize = 2;

/// Draws with or without colours; long lines are cut to `columns` around the mark.
pub fn renderer(has_colours: bool, columns: Option<u16>) -> Renderer {
    let renderer = if has_colours { Renderer::styled().help(AnsiColor::Cyan.on_default()) } else { Renderer::plain() };
    renderer.term_width(columns.map_or(DEFAULT_TERM_WIDTH, usize::from))
}

/// The byte offset of a character, with line and column from 1; the end of the line or of the text if it is beyond that.
pub fn offset(source: &str, line: u32, column: u32) -> usize {
    let line_start = match line {
        0 | 1 => 0,
        line => source.match_indices('\n').nth(line as usize - 2).map_or(source.len(), |(end, _)| end + 1),
    };
    let line = source[line_start..].split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let column = column.max(1) as usize - 1;
    line_start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

impl Diagnostic {
    /// The position with the surrounding lines and a mark below the character, ending in a newline; only the position if the
    /// source cannot be read. `shown` is the displayed name of the file. `None` without a location.
    pub fn frame(&self, shown: &str, renderer: &Renderer) -> Option<String> {
        let location = self.location.as_ref()?;
        let excerpt = Excerpt::read(location).or_else(|| Excerpt::of_line(location, self.source_line.as_deref()?));
        let group = Group::with_level(Level::ERROR);
        let group = match &excerpt {
            Some(Excerpt { text, first_line, mark }) => {
                let mark = AnnotationKind::Primary.span(mark.clone());
                let snippet = Snippet::source(text).path(shown).line_start(*first_line).fold(false);
                group.element(snippet.annotation(mark))
            }
            None => {
                let (line, column) = (location.line as usize, location.column as usize);
                group.element(Origin::path(shown).line(line).char_column(column))
            }
        };
        Some(renderer.render(&[group]) + "\n")
    }
}

struct Excerpt {
    text: String,
    first_line: usize,
    /// In bytes of `text`.
    mark: Range<usize>,
}

impl Excerpt {
    fn read(location: &Location) -> Option<Self> {
        // The module's query is not part of the file's name, unless a file has that name.
        let without_query = location.path.split('?').next().unwrap_or_default();
        let source = fs::read_to_string(&location.path).or_else(|_| fs::read_to_string(without_query)).ok()?;
        let lines: Vec<&str> = source.lines().collect();
        let line = location.line as usize;
        if line == 0 || line > lines.len() {
            return None;
        }
        let first_line = line.saturating_sub(CONTEXT_LINES).max(1);
        let last_line = lines.len().min(line + CONTEXT_LINES);
        Some(Self::around(&lines[first_line - 1..last_line], first_line, location))
    }

    fn of_line(location: &Location, line: &str) -> Option<Self> {
        (!line.is_empty()).then(|| Self::around(&[line], location.line as usize, location))
    }

    fn around(lines: &[&str], first_line: usize, location: &Location) -> Self {
        let text = lines.join("\n");
        let line = (location.line as usize + 1).saturating_sub(first_line);
        let start = offset(&text, u32::try_from(line).unwrap_or(u32::MAX), location.column);
        let end = start + text[start..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        Excerpt { text, first_line, mark: start..end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_become_byte_offsets() {
        let source = "ab\r\nä日c\n\tx";
        let at = |line, column| offset(source, line, column);
        assert_eq!((at(1, 1), at(1, 3), at(1, 9)), (0, 2, 2));
        assert_eq!((at(2, 1), at(2, 2), at(2, 3), at(2, 4)), (4, 6, 9, 10));
        assert_eq!((at(3, 2), at(3, 3), at(4, 1), at(9, 9)), (12, 13, 13, 13));
    }
}
