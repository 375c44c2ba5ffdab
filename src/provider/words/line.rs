//! Foreign text as one harmless line.

use crate::diagnostic::{Sequences, turns_direction};

/// More of a server's words is not shown.
const LONGEST: usize = 500;

/// The text on one line: white space folded, without escape sequences and control characters, which could rewrite what a
/// terminal shows.
pub(in crate::provider) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4 * LONGEST));
    let mut gap = false;
    let mut sequences = Sequences::default();
    for c in text.chars() {
        let is_text = sequences.is_text(c);
        if c.is_whitespace() {
            gap = true;
        } else if is_text && !is_mark_of_direction(c) {
            if gap && !line.is_empty() {
                line.push(' ');
            }
            gap = false;
            line.push(c);
        }
    }
    line
}

/// The words of the innermost error; the outer ones repeat the URL.
pub(in crate::provider) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn is_mark_of_direction(c: char) -> bool {
    turns_direction(c) || matches!(c, '\u{200e}' | '\u{200f}')
}

/// The text with at most 500 characters. Shortened only after secrets were replaced: half a secret would not be found.
pub(in crate::provider) fn shortened(text: String) -> String {
    if text.chars().count() <= LONGEST {
        return text;
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_one_harmless_line() {
        assert_eq!(one_line("  two\n\n lines\t here \r\n"), "two lines here");
        assert_eq!(one_line("\u{1b}[31mred\u{1b}[0m \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!"), "red link!");
        assert_eq!(one_line("a\u{0}b\u{8}c\u{202e}d\u{9b}2Je"), "abcde");
        assert_eq!(one_line("cut \u{1b}["), "cut");
    }

    #[test]
    fn long_text_is_shortened_by_characters() {
        assert_eq!(shortened("ä".repeat(500)), "ä".repeat(500));
        let short = shortened("ä".repeat(501));
        assert_eq!((short.chars().count(), short.chars().last()), (500, Some('…')));
    }
}
