//! Text that others wrote, for a terminal. Must not know what it is part of.

use std::fmt::Write as _;

/// A text in which everything can be seen: what would move the cursor, change colours, turn the direction of writing or show
/// nothing at all stands as its number.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || is_unseen(letter) {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Whether a letter has no shape of its own: spaces of no width, marks of direction, separators of lines, tags.
pub(crate) fn is_unseen(letter: char) -> bool {
    matches!(u32::from(letter),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_stands_as_its_number() {
        assert_eq!(visible("Größe 東京 \u{1f30d}"), "Größe 東京 \u{1f30d}");
        assert_eq!(visible("a\u{1b}[2J\n\u{202e}b\u{200b}\u{e0041}"), r"a\u{1b}[2J\u{a}\u{202e}b\u{200b}\u{e0041}");
    }
}
