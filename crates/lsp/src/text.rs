//! The text of a document, with positions as the protocol counts them: lines from 0, columns in UTF-16 units.

use gen_lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use lmthing_check as check;

/// The check reads files without it.
const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    /// The offset of each line.
    lines: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Self {
        let lines = std::iter::once(0).chain(line_ends(&text)).collect();
        Text { text, lines }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Applies a change. A position after the end of its line, or of the text, is that end.
    pub(crate) fn apply(&mut self, change: TextDocumentContentChangeEvent) {
        *self = match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => Text::new(whole.text),
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let (start, end) = (self.offset(part.range.start), self.offset(part.range.end));
                let mut text = std::mem::take(&mut self.text);
                text.replace_range(start.min(end)..end.max(start), &part.text);
                Text::new(text)
            }
        };
    }

    /// The offset of a position, between two characters.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let Some(line) = self.line_at(position.line as usize) else { return self.text.len() };
        let start = self.lines[position.line as usize];
        let mut units = 0;
        for (at, letter) in line.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += letter.len_utf16();
        }
        start + line.len()
    }

    /// The text of a line without its end.
    fn line_at(&self, line: usize) -> Option<&str> {
        let start = *self.lines.get(line)?;
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        Some(self.text[start..end].trim_end_matches(['\r', '\n']))
    }

    /// The text of the line before a position.
    pub(crate) fn line_before(&self, position: Position) -> &str {
        let start = self.lines.get(position.line as usize).copied().unwrap_or(self.text.len());
        &self.text[start..self.offset(position).max(start)]
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset).saturating_sub(1);
        let units = self.text[self.lines[line]..offset].encode_utf16().count();
        Position { line: number(line), character: number(units) }
    }

    pub(crate) fn range(&self, offsets: std::ops::Range<usize>) -> Range {
        Range { start: self.position(offsets.start), end: self.position(offsets.end) }
    }

    /// The offset of a position of a finding, whose lines end with a line feed only.
    pub(crate) fn offset_of(&self, position: check::Position) -> usize {
        let mut start = 0;
        for _ in 1..position.line {
            match self.text[start..].find('\n') {
                Some(end) => start += end + 1,
                None => return self.text.len(),
            }
        }
        let mark = usize::from(start == 0 && self.text.starts_with(BYTE_ORDER_MARK));
        let line = self.text[start..].split('\n').next().unwrap_or_default();
        let column = position.column.saturating_sub(1) as usize + mark;
        start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }

    /// The position of an offset as the check counts: in characters, from 1.
    pub(crate) fn finding_position(&self, offset: usize) -> check::Position {
        let before = &self.text[..offset];
        let line = before.rsplit('\n').next().unwrap_or_default();
        let mark = usize::from(line.len() == before.len() && line.starts_with(BYTE_ORDER_MARK));
        let column = line.chars().count() + 1 - mark;
        check::Position { line: number(before.matches('\n').count() + 1), column: number(column) }
    }

    pub(crate) fn range_of(&self, span: check::Span) -> Range {
        self.range(self.offset_of(span.start)..self.offset_of(span.end))
    }
}

/// The offset after each end of a line: a line feed, a carriage return, or both.
fn line_ends(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let ends = move |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(ends).map(|at| at + 1)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::TextDocumentContentChangePartial;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_utf16_units() {
        let text = Text::new("a💶b\r\né\rx".to_owned());
        for (offset, position) in [(0, at(0, 0)), (5, at(0, 3)), (8, at(1, 0)), (10, at(1, 1)), (11, at(2, 0))] {
            assert_eq!(text.position(offset), position);
            assert_eq!(text.offset(position), offset);
        }
        // Inside of a character, after the line, after the text.
        assert_eq!([text.offset(at(0, 2)), text.offset(at(0, 9)), text.offset(at(9, 9))], [5, 6, 12]);
        let finding = |line, column| check::Position { line, column };
        assert_eq!([text.offset_of(finding(1, 3)), text.offset_of(finding(2, 1))], [5, 8]);
        let marked = Text::new("\u{feff}ab\néd".to_owned());
        for (offset, position) in [(3, finding(1, 1)), (4, finding(1, 2)), (8, finding(2, 2))] {
            assert_eq!((marked.offset_of(position), marked.finding_position(offset)), (offset, position));
        }
    }

    #[test]
    fn changes_are_applied_in_order() {
        let mut text = Text::new("one\ntwo\n".to_owned());
        let change = |start, end, new: &str| {
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(TextDocumentContentChangePartial {
                range: Range { start, end },
                #[allow(deprecated)]
                range_length: None,
                text: new.to_owned(),
            })
        };
        text.apply(change(at(0, 1), at(1, 2), "💶"));
        assert_eq!(text.as_str(), "o💶o\n");
        text.apply(change(at(0, 3), at(0, 4), ""));
        text.apply(change(at(7, 0), at(7, 0), "end"));
        assert_eq!(text.as_str(), "o💶\nend");
    }
}
