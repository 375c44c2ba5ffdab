//! Untrusted text as one harmless line.

use lmthing_base::diagnostic::{EscapeSequences, is_bidi_control};

const MAX_LENGTH: usize = 500;

/// Collapses white space and removes escape sequences and control characters, which could manipulate the terminal.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4 * MAX_LENGTH));
    let mut gap = false;
    let mut sequences = EscapeSequences::default();
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

pub(crate) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn is_mark_of_direction(c: char) -> bool {
    is_bidi_control(c) || matches!(c, '\u{200e}' | '\u{200f}')
}

/// Limits the text to 500 characters. Must be called after redaction, as a truncated secret may not be found.
pub(crate) fn truncated(text: String) -> String {
    if text.chars().count() <= MAX_LENGTH {
        return text;
    }
    let mut short: String = text.chars().take(MAX_LENGTH - 1).collect();
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
    fn long_text_is_truncated_by_characters() {
        assert_eq!(truncated("ä".repeat(500)), "ä".repeat(500));
        let short = truncated("ä".repeat(501));
        assert_eq!((short.chars().count(), short.chars().last()), (500, Some('…')));
    }
}
