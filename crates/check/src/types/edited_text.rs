//! A text with edits, and the mapping of positions back to the original text.

use std::ops::Range;

use crate::{Position, Span};

#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The bytes of the original that are replaced; empty for an insertion.
    pub(super) replaced: Range<usize>,
    /// Contains no line breaks, so that line numbers stay the same.
    pub(super) text: String,
    /// The bytes of the original that are reported for a position in the inserted text.
    pub(super) meaning: Range<usize>,
}

#[derive(Debug)]
pub(super) struct EditedText {
    original: String,
    text: String,
    /// In the order of their positions.
    edits: Vec<Edit>,
}

impl EditedText {
    /// An edit that overlaps an earlier one is skipped.
    pub(super) fn new(original: String, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.replaced.start);
        let mut text = String::with_capacity(original.len() + edits.len() * 64);
        let mut applied: Vec<Edit> = Vec::with_capacity(edits.len());
        let mut at = 0;
        for edit in edits {
            let Some(before) = original.get(at..edit.replaced.start) else { continue };
            text.push_str(before);
            text.push_str(&edit.text);
            at = edit.replaced.end;
            applied.push(edit);
        }
        text.push_str(original.get(at..).unwrap_or_default());
        Self { original, text, edits: applied }
    }

    pub(super) fn original(&self) -> &str {
        &self.original
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.original_range_of(range.start);
        // The end is exclusive: the byte before it is mapped.
        let end = match range.end.checked_sub(1).filter(|last| *last >= range.start) {
            Some(last) => match self.original_range_of(last) {
                byte if byte.len() <= 1 => byte.start + 1,
                meaning => meaning.end,
            },
            None => start.start,
        };
        start.start..end.max(start.start).min(self.original.len())
    }

    /// The original byte of a byte of the edited text, or the meaning of the edit that contains it.
    fn original_range_of(&self, offset: usize) -> Range<usize> {
        let (mut original, mut edited) = (0, 0);
        for edit in &self.edits {
            let unchanged = edit.replaced.start - original;
            if offset < edited + unchanged {
                break;
            }
            if offset < edited + unchanged + edit.text.len() {
                return edit.meaning.clone();
            }
            edited += unchanged + edit.text.len();
            original = edit.replaced.end;
        }
        let at = (original + (offset - edited)).min(self.original.len());
        at..at
    }

    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        span(&self.original, range)
    }
}

pub(super) fn span(text: &str, range: &Range<usize>) -> Span {
    Span { start: position(text, range.start), end: position(text, range.end) }
}

/// Only `\n` ends a line, as in editors and in the engine.
fn position(text: &str, offset: usize) -> Position {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    Position { line: number(before.matches('\n').count()), column: number(text[line_start..offset].chars().count()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(at: usize, text: &str, meaning: Range<usize>) -> Edit {
        Edit { replaced: at..at, text: text.to_owned(), meaning }
    }

    #[test]
    fn positions_map_back_to_the_original() {
        let edits = vec![
            put(6, "<b>", 6..7),
            put(2, "<a>", 0..1),
            Edit { replaced: 8..9, text: "IJK".to_owned(), meaning: 8..9 },
        ];
        let edited = EditedText::new("0123456789".to_owned(), edits);
        assert_eq!(edited.text(), "01<a>2345<b>67IJK9");
        let back = |text: &str| {
            let at = edited.text().find(text).unwrap();
            edited.original_range(at..at + text.len())
        };
        assert_eq!(back("01"), 0..2);
        assert_eq!(back("<a>"), 0..1);
        assert_eq!(back("2345"), 2..6);
        assert_eq!(back("<b>"), 6..7);
        assert_eq!(back("7"), 7..8);
        assert_eq!(back("IJK"), 8..9);
        assert_eq!(back("9"), 9..10);
        assert_eq!(back("345<b>6"), 3..7);
        assert_eq!(edited.original_range(18..18), 10..10);
    }

    #[test]
    fn overlapping_edits_are_skipped() {
        let edit = |from, to| Edit { replaced: from..to, text: "x".to_owned(), meaning: from..to };
        assert_eq!(EditedText::new("abcdef".to_owned(), vec![edit(1, 4), edit(2, 5)]).text(), "axef");
    }

    #[test]
    fn columns_are_characters_and_only_newlines_end_lines() {
        let at = |text: &str, offset| {
            let Position { line, column } = position(text, offset);
            (line, column)
        };
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("ab\ncd", 3), (2, 1));
        assert_eq!(at("ab\r\ncd", 5), (2, 2));
        assert_eq!(at("a\r\nb", 2), (1, 3));
        assert_eq!(at("a\u{2028}b", 4), (1, 3));
        assert_eq!(at("💶é = x", 6), (1, 3));
        assert_eq!(at("💶", 2), (1, 1));
        assert_eq!(at("ab", 9), (1, 3));
    }
}
