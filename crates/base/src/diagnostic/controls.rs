//! Removes control characters and escape sequences from untrusted text, or makes them visible.

use std::{borrow::Cow, fmt::Write as _};

/// The state of a parser for escape sequences (ECMA-48).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// After ESC and an intermediate character, as in `ESC ( B`.
    Intermediate,
    /// In a control sequence: `ESC [`, parameters, a letter.
    Control,
    /// In a string such as a window title or a link, which ends with BEL or ST.
    String,
    /// After an ESC in a string: followed by a backslash it is ST.
    StringEscape,
}

/// Distinguishes text from control characters and escape sequences, one character at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct EscapeSequences(State);

impl EscapeSequences {
    /// Whether the next character is text, that is, neither a control character (except line feed and tab) nor part of a sequence.
    pub fn is_text(&mut self, next: char) -> bool {
        use State::{Control, Escape, Intermediate, String, StringEscape, Text};
        let (state, is_text) = match (self.0, next) {
            // An unterminated string must not swallow the rest of the text.
            (String | StringEscape, '\n') => (Text, true),
            // Terminals execute these within a sequence, too.
            (state, '\n' | '\t') if state != String => (state, true),
            (_, '\u{18}' | '\u{1a}') | (String, '\u{7}' | '\u{9c}') | (StringEscape, '\\') => (Text, false),
            (String, '\u{1b}') => (StringEscape, false),
            (String, _) => (String, false),
            (_, '\u{1b}') => (Escape, false),
            (_, '\u{9b}') | (Escape | StringEscape, '[') => (Control, false),
            (_, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') | (Escape | StringEscape, 'P' | 'X' | ']' | '^' | '_') => {
                (String, false)
            }
            (_, '\u{80}'..='\u{9f}') => (Text, false),
            (Escape | Intermediate | StringEscape, ' '..='/') => (Intermediate, false),
            (Control, ' '..='?') => (Control, false),
            (Escape | Intermediate | StringEscape, '0'..='~') | (Control, '@'..='~') => (Text, false),
            (state, next) if next.is_control() => (state, false),
            // Not a valid continuation of a sequence.
            _ => (Text, true),
        };
        self.0 = state;
        is_text
    }

    pub fn is_in_string(self) -> bool {
        self.0 == State::String
    }

    pub fn is_in_text(self) -> bool {
        self.0 == State::Text
    }
}

#[derive(Clone, Debug, Default)]
pub struct TextFilter {
    sequences: EscapeSequences,
    /// The current sequence, which may turn out to be a colour.
    sequence: String,
    keeps_colours: bool,
    drops_direction: bool,
}

impl TextFilter {
    /// Keeps only text, line feeds and tabs; bidirectional controls are removed as well.
    pub fn of_messages() -> Self {
        TextFilter { drops_direction: true, ..TextFilter::default() }
    }

    /// Like [`TextFilter::of_messages`], but keeps bidirectional controls.
    pub fn of_prose() -> Self {
        TextFilter::default()
    }

    /// Like [`TextFilter::of_prose`], but keeps colours and weights (SGR: `ESC [ … m`).
    pub fn keeping_colours() -> Self {
        TextFilter { keeps_colours: true, ..TextFilter::default() }
    }

    pub fn next<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        if self.sequences.is_in_text() && !piece.bytes().any(|byte| self.may_be_removed(byte)) {
            return Cow::Borrowed(piece);
        }
        let mut text = String::with_capacity(piece.len());
        for next in piece.chars() {
            if self.sequences.is_text(next) {
                if !(self.drops_direction && is_bidi_control(next)) {
                    text.push(next);
                }
            } else if self.keeps_colours {
                self.push_if_colour(next, &mut text);
            }
        }
        Cow::Owned(text)
    }

    /// Whether a character that starts with this byte may have to be removed. Most chunks have none of them.
    fn may_be_removed(&self, byte: u8) -> bool {
        match byte {
            b'\n' | b'\t' => false,
            0..0x20 | 0x7f | 0xc2 => true,
            0xe2 => self.drops_direction,
            _ => false,
        }
    }

    fn push_if_colour(&mut self, next: char, text: &mut String) {
        if next == '\u{1b}' {
            self.sequence.clear();
        }
        if self.sequences.0 != State::String {
            self.sequence.push(next);
        }
        if self.sequences.is_in_text() {
            let parameters = self.sequence.strip_prefix("\u{1b}[").and_then(|rest| rest.strip_suffix('m'));
            if parameters.is_some_and(|all| all.chars().all(|c| c.is_ascii_digit() || matches!(c, ';' | ':'))) {
                text.push_str(&self.sequence);
            }
            self.sequence.clear();
        }
    }
}

/// Filters a text for a message on a terminal.
pub fn strip_controls(text: &str) -> Cow<'_, str> {
    TextFilter::of_messages().next(text)
}

/// Like [`strip_controls`], on one line.
pub fn strip_controls_line(text: &str) -> String {
    strip_controls(text).replace(['\n', '\t'], " ")
}

/// Whether this is a bidirectional control, which can make one name look like another.
pub fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces control characters, bidirectional controls and characters without a glyph by their escapes.
pub fn escape_invisible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || is_invisible(letter) {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Whether a character has no glyph: spaces without width, directional marks, separators, tags.
pub fn is_invisible(letter: char) -> bool {
    matches!(u32::from(letter),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input and expected output.
    const CASES: [(&str, &str); 22] = [
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("over\rwritten", "overwritten"),
        ("\u{0}a\u{7}b\u{8}c\u{b}d\u{c}e\u{7f}f", "abcdef"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[1;38:2::1:2:3mx\u{1b}[>4;2my", "xy"),
        ("\u{1b}[2J\u{1b}[1;1H\u{1b}[?25l\u{1b}[6nx", "x"),
        ("\u{1b}[ qa\u{1b}[!pb", "ab"),
        ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b", "alinkb"),
        ("\u{1b}]52;c;ZWNobw==\u{9c}a", "a"),
        ("\u{1b}Pq#0;2;0;0;0\u{1b}\\a\u{1b}_apc\u{1b}\\b\u{1b}^pm\u{1b}\\c\u{1b}Xsos\u{1b}\\d", "abcd"),
        ("\u{1b}]0;no end\nnext line", "\nnext line"),
        ("\u{1b}]0;t\u{1b}[31ma", "a"),
        ("\u{1b}(Ba\u{1b}#8b\u{1b}cc\u{1b}7d\u{1b}=e", "abcde"),
        ("a\u{9b}31mb\u{9d}0;t\u{7}c\u{90}q\u{9c}d\u{85}e\u{84}f", "abcdef"),
        ("\u{1b}[3\n1ma", "\na"),
        ("\u{1b}\u{1b}[31ma\u{1b}[\u{1b}[0mb", "ab"),
        ("\u{1b}[31\u{18}ma", "ma"),
        ("\u{1b}ä\u{1b}[日", "ä日"),
        ("end\u{1b}", "end"),
        ("end\u{1b}[3", "end"),
        ("a\u{202e}b\u{2066}c\u{2069}d", "abcd"),
        ("Größe 東京 \u{200f}\u{1f468}\u{200d}\u{1f469} …", "Größe 東京 \u{200f}\u{1f468}\u{200d}\u{1f469} …"),
    ];

    #[test]
    fn sequences_are_removed_whole() {
        for (text, left) in CASES {
            assert_eq!(strip_controls(text), left, "{text:?}");
            assert_eq!(strip_controls(left), left, "filtering twice changes nothing");
        }
    }

    #[test]
    fn sequences_are_removed_wherever_the_text_is_cut() {
        for (text, left) in CASES {
            for (cut, _) in text.char_indices() {
                let mut filter = TextFilter::of_messages();
                let (first, rest) = text.split_at(cut);
                assert_eq!(format!("{}{}", filter.next(first), filter.next(rest)), left, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn colours_are_kept_on_request() {
        for (text, left) in [
            ("\u{1b}[31mred\u{1b}[m \u{1b}[1;38:2::1:2:3mx", "\u{1b}[31mred\u{1b}[m \u{1b}[1;38:2::1:2:3mx"),
            ("\u{1b}[2J\u{1b}[>4;2m\u{1b}[?1m\u{1b}[1 m\u{9b}31ma\rb\u{1b}]0;m\u{7}", "ab"),
            ("\u{1b}]0;t\u{1b}[31ma\u{1b}(m\u{1b}m", "\u{1b}[31ma"),
            ("\u{202e}a", "\u{202e}a"),
        ] {
            for (cut, _) in text.char_indices() {
                let mut filter = TextFilter::keeping_colours();
                let (first, rest) = text.split_at(cut);
                assert_eq!(format!("{}{}", filter.next(first), filter.next(rest)), left, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn prose_keeps_its_direction() {
        assert_eq!(TextFilter::of_prose().next("\u{2067}שלום\u{2069}\u{1b}[1m"), "\u{2067}שלום\u{2069}");
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(escape_invisible("Größe 東京 \u{1f30d}"), "Größe 東京 \u{1f30d}");
        assert_eq!(
            escape_invisible("a\u{1b}[2J\n\u{202e}b\u{200b}\u{e0041}"),
            r"a\u{1b}[2J\u{a}\u{202e}b\u{200b}\u{e0041}"
        );
    }
}
