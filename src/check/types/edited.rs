//! A text with pieces put in, and the way back: what is checked is a copy of the author's file, what is reported are places of the
//! file itself. Must not know what is put in, or why.

use std::ops::Range;

use crate::check::{Position, Span};

/// A piece put into a text.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The bytes it takes the place of; none between two bytes.
    pub(super) replaced: Range<usize>,
    /// What is put there; without line breaks, so that lines stay.
    pub(super) text: String,
    /// The bytes of the original that are meant by a place in the piece.
    pub(super) meaning: Range<usize>,
}

/// A text with its edits made.
#[derive(Debug)]
pub(super) struct Edited {
    original: String,
    text: String,
    /// In the order of the text.
    edits: Vec<Edit>,
}

impl Edited {
    /// Makes the edits. Those that overlap an earlier one are left out.
    pub(super) fn new(original: String, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.replaced.start);
        let mut text = String::with_capacity(original.len() + edits.len() * 64);
        let mut made: Vec<Edit> = Vec::with_capacity(edits.len());
        let mut at = 0;
        for edit in edits {
            let Some(before) = original.get(at..edit.replaced.start) else { continue };
            text.push_str(before);
            text.push_str(&edit.text);
            at = edit.replaced.end;
            made.push(edit);
        }
        text.push_str(original.get(at..).unwrap_or_default());
        Self { original, text, edits: made }
    }

    /// What the author wrote.
    pub(super) fn original(&self) -> &str {
        &self.original
    }

    /// What is checked.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original that bytes of the edited text stand for.
    pub(super) fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.original_range_of(range.start);
        // The end is behind a byte: the place of that byte counts.
        let end = match range.end.checked_sub(1).filter(|last| *last >= range.start) {
            Some(last) => match self.original_range_of(last) {
                byte if byte.len() <= 1 => byte.start + 1,
                meaning => meaning.end,
            },
            None => start.start,
        };
        start.start..end.max(start.start).min(self.original.len())
    }

    /// The byte of the original that a byte of the edited text is, or the meaning of the edit that it is in.
    fn original_range_of(&self, offset: usize) -> Range<usize> {
        let (mut original, mut edited) = (0, 0);
        for edit in &self.edits {
            let kept = edit.replaced.start - original;
            if offset < edited + kept {
                break;
            }
            if offset < edited + kept + edit.text.len() {
                return edit.meaning.clone();
            }
            edited += kept + edit.text.len();
            original = edit.replaced.end;
        }
        let at = (original + (offset - edited)).min(self.original.len());
        at..at
    }

    /// Lines and columns of bytes of the original.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        span(&self.original, range)
    }
}

/// Lines and columns of bytes of a text.
pub(super) fn span(text: &str, range: &Range<usize>) -> Span {
    Span { start: position(text, range.start), end: position(text, range.end) }
}

/// Lines end with `\n`, as editors and the engine count them.
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
    fn places_lead_back_to_the_original() {
        let edits = vec![
            put(6, "<b>", 6..7),
            put(2, "<a>", 0..1),
            Edit { replaced: 8..9, text: "IJK".to_owned(), meaning: 8..9 },
        ];
        let edited = Edited::new("0123456789".to_owned(), edits);
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
    fn overlapping_edits_are_left_out() {
        let edit = |from, to| Edit { replaced: from..to, text: "x".to_owned(), meaning: from..to };
        assert_eq!(Edited::new("abcdef".to_owned(), vec![edit(1, 4), edit(2, 5)]).text(), "axef");
    }

    #[test]
    fn columns_are_characters_and_lines_end_as_in_editors() {
        let place = |text: &str, offset| {
            let Position { line, column } = position(text, offset);
            (line, column)
        };
        assert_eq!(place("", 0), (1, 1));
        assert_eq!(place("ab\ncd", 3), (2, 1));
        assert_eq!(place("ab\r\ncd", 5), (2, 2));
        assert_eq!(place("a\r\nb", 2), (1, 3));
        assert_eq!(place("a\u{2028}b", 4), (1, 3));
        assert_eq!(place("💶é = x", 6), (1, 3));
        assert_eq!(place("💶", 2), (1, 1));
        assert_eq!(place("ab", 9), (1, 3));
    }
}
