//! Foreign text as one harmless line.

/// More of a server's words is not shown.
const LONGEST: usize = 500;

/// The text on one line: white space folded, without escape sequences and control characters, which could rewrite what a
/// terminal shows.
pub(in crate::provider) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4 * LONGEST));
    let mut gap = false;
    let mut left = text.chars().peekable();
    while let Some(c) = left.next() {
        match c {
            '\u{1b}' => skip_escape(&mut left),
            '\u{9b}' => skip_to_final(&mut left),
            c if c.is_whitespace() => gap = true,
            c if c.is_control() || turns_direction(c) => {}
            c => {
                if gap && !line.is_empty() {
                    line.push(' ');
                }
                gap = false;
                line.push(c);
            }
        }
    }
    line
}

/// Skips what stands behind an escape character and belongs to it.
fn skip_escape(left: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match left.next() {
        Some('[') => skip_to_final(left),
        // Commands with text in them, such as links and window titles, end with a bell or an escape of their own.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = left.next() {
                match c {
                    '\u{7}' => return,
                    '\u{1b}' => {
                        left.next_if_eq(&'\\');
                        return;
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Skips parameters up to the letter that ends a control sequence.
fn skip_to_final(left: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while left.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
    left.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// The words of the innermost error; the outer ones repeat the URL.
pub(in crate::provider) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Characters that make what follows them read backwards.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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
