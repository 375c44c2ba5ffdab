//! A text without one layer of escapes, line breaks and invisible characters, with a mapping to source positions.

use std::{cell::Cell, ops::Range};

use lmthing_base::diagnostic::{EscapeSequences, is_invisible};

pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Source positions. They are `u32`: texts above 4 GiB get no view.
    segments: Vec<Segment>,
    last: Cell<usize>,
    strings: TerminalStrings,
    pub(super) has_omitted_string: bool,
}

/// Bytes from `from` on: consecutive source bytes, or all from one escape sequence. Segments keep the mapping small.
#[derive(Clone, Copy)]
struct Segment {
    from: u32,
    start: u32,
    end: u32,
}

impl Segment {
    fn of(self, at: u32) -> (u32, u32) {
        if self.end - self.start > 1 {
            return (self.start, self.end);
        }
        let start = self.start + (at - self.from);
        (start, start + 1)
    }
}

/// How to treat the content of terminal strings such as window titles. A secret may be interrupted by one, or be
/// inside one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminalStrings {
    Omit,
    Keep,
}

enum Unit {
    Plain(usize),
    Escape(char, usize),
    Omitted(usize),
}

impl View {
    pub(super) fn new(text: &str, strings: TerminalStrings) -> Option<View> {
        u32::try_from(text.len()).ok()?;
        unescape(text.as_bytes(), strings, &|at| (to_u32(at), to_u32(at + 1)))
    }

    fn with_capacity(capacity: usize, strings: TerminalStrings) -> View {
        let (bytes, segments) = (Vec::with_capacity(capacity), Vec::new());
        View { bytes, segments, last: Cell::new(0), strings, has_omitted_string: false }
    }

    pub(super) fn next_layer(&self) -> Option<View> {
        let mut next = unescape(&self.bytes, self.strings, &|at| self.source_of(at))?;
        next.has_omitted_string |= self.has_omitted_string;
        Some(next)
    }

    pub(super) fn source_range(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.source_of(range.start).0 as usize;
        let last = range.end.checked_sub(1).map_or(first, |last| self.source_of(last).1 as usize);
        first..last
    }

    pub(super) fn is_gap_before(&self, at: usize) -> bool {
        at > 0 && self.source_of(at - 1).1 < self.source_of(at).0
    }

    fn source_of(&self, at: usize) -> (u32, u32) {
        let at = to_u32(at);
        let is_in = |index: usize| {
            let is_after = |place: &Segment| place.from > at;
            !self.segments.get(index).is_none_or(is_after) && self.segments.get(index + 1).is_none_or(is_after)
        };
        if !is_in(self.last.get()) {
            self.last.set(self.segments.partition_point(|place| place.from <= at).saturating_sub(1));
        }
        self.segments.get(self.last.get()).map_or((at, at + 1), |place| place.of(at))
    }

    fn push(&mut self, byte: u8, (start, end): (u32, u32)) {
        let from = to_u32(self.bytes.len());
        if self.segments.last().is_none_or(|last| last.of(from) != (start, end)) {
            self.segments.push(Segment { from, start, end });
        }
        self.bytes.push(byte);
    }
}

fn to_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn unescape(bytes: &[u8], strings: TerminalStrings, place: &dyn Fn(usize) -> (u32, u32)) -> Option<View> {
    let mut view: Option<View> = None;
    let mut sequences = EscapeSequences::default();
    let mut has_omitted_string = false;
    let mut at = 0;
    while at < bytes.len() {
        let was_in_string = sequences.is_in_string();
        let unit = unit(&bytes[at..], &mut sequences, strings);
        has_omitted_string |= was_in_string && sequences.is_in_string() && matches!(unit, Unit::Omitted(_));
        let length = match unit {
            Unit::Plain(length) | Unit::Escape(_, length) | Unit::Omitted(length) => length,
        };
        if !matches!(unit, Unit::Plain(_)) && view.is_none() {
            let mut first = View::with_capacity(bytes.len(), strings);
            (0..at).for_each(|at| first.push(bytes[at], place(at)));
            view = Some(first);
        }
        match (&mut view, unit) {
            (Some(view), Unit::Plain(_)) => (at..at + length).for_each(|at| view.push(bytes[at], place(at))),
            (Some(view), Unit::Escape(letter, _)) => {
                let place = (place(at).0, place(at + length - 1).1);
                letter.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| view.push(byte, place));
            }
            _ => {}
        }
        at += length;
    }
    view.map(|view| View { has_omitted_string, ..view })
}

fn unit(bytes: &[u8], sequences: &mut EscapeSequences, strings: TerminalStrings) -> Unit {
    let is_plain = |byte: &&u8| matches!(**byte, b' '..=b'~') && !matches!(**byte, b'%' | b'\\' | b'&');
    let is_kept_string = strings == TerminalStrings::Keep && sequences.is_in_string();
    let plain = if sequences.is_in_text() || is_kept_string { bytes.iter().take_while(is_plain).count() } else { 0 };
    if plain > 0 {
        return Unit::Plain(plain);
    }
    let (letter, length) = first_char(bytes);
    let is_text = sequences.is_text(letter) || is_kept_string && sequences.is_in_string();
    if !is_text {
        return Unit::Omitted(length);
    }
    let escape = match letter {
        '%' => number(bytes, 1..3, 16).map(|code| (code, 3)),
        '\\' => backslash(bytes),
        '&' => entity(bytes),
        '\n' => {
            // Wrapped lines are often indented.
            let indent = bytes[1..].iter().take_while(|byte| b" \t".contains(byte)).count();
            return Unit::Omitted(1 + indent);
        }
        letter if is_invisible(letter) => return Unit::Omitted(length),
        _ => return Unit::Plain(length),
    };
    match escape.and_then(|(code, length)| Some((char::from_u32(code)?, length))) {
        Some(('\n' | '\r', length)) => Unit::Omitted(length),
        Some((letter, length)) => Unit::Escape(letter, length),
        None => Unit::Plain(length),
    }
}

fn first_char(bytes: &[u8]) -> (char, usize) {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        byte if byte.is_ascii() => return (char::from(byte), 1),
        _ => 1,
    };
    let text = bytes.get(..length).and_then(|bytes| str::from_utf8(bytes).ok());
    text.and_then(|text| text.chars().next()).map_or((char::REPLACEMENT_CHARACTER, 1), |letter| (letter, length))
}

fn number(bytes: &[u8], place: Range<usize>, radix: u32) -> Option<u32> {
    let digits = str::from_utf8(bytes.get(place)?).ok()?;
    if digits.starts_with('+') { None } else { u32::from_str_radix(digits, radix).ok() }
}

/// Escapes of JSON and JavaScript: `\n`, `\"`, `\/`, `\x2f`, `\u002f`, `\u{2f}`.
fn backslash(bytes: &[u8]) -> Option<(u32, usize)> {
    match bytes.get(1)? {
        b'n' | b'r' => Some((u32::from(b'\n'), 2)),
        b'x' => Some((number(bytes, 2..4, 16)?, 4)),
        b'u' if bytes.get(2) == Some(&b'{') => {
            let digits = bytes[3..].iter().take(7).position(|byte| *byte == b'}')?;
            Some((number(bytes, 3..3 + digits, 16)?, 4 + digits))
        }
        b'u' => Some((number(bytes, 2..6, 16)?, 6)),
        escaped if escaped.is_ascii_punctuation() => Some((u32::from(*escaped), 2)),
        _ => None,
    }
}

/// Entities of HTML: `&#47;`, `&#x2f;` and the names of characters that occur in keys.
fn entity(bytes: &[u8]) -> Option<(u32, usize)> {
    const NAMES: [(&[u8], u8); 16] = [
        (b"&amp;", b'&'),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
        (b"&quot;", b'"'),
        (b"&apos;", b'\''),
        (b"&sol;", b'/'),
        (b"&plus;", b'+'),
        (b"&equals;", b'='),
        (b"&lowbar;", b'_'),
        (b"&hyphen;", b'-'),
        (b"&dash;", b'-'),
        (b"&period;", b'.'),
        (b"&colon;", b':'),
        (b"&commat;", b'@'),
        (b"&percnt;", b'%'),
        (b"&dollar;", b'$'),
    ];
    if bytes.get(1) != Some(&b'#') {
        let name = NAMES.iter().find(|(name, _)| bytes.starts_with(name));
        return name.map(|(name, letter)| (u32::from(*letter), name.len()));
    }
    let (start, radix) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (3, 16) } else { (2, 10) };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let end = start + bytes[start..].iter().take(8).take_while(is_digit).count();
    let closed = usize::from(bytes.get(end) == Some(&b';'));
    Some((number(bytes, start..end, radix)?, end + closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut views = Vec::new();
        let mut view = View::new(text, TerminalStrings::Omit);
        while let Some(next) = view {
            views.push(String::from_utf8_lossy(&next.bytes).into_owned());
            view = next.next_layer();
        }
        views
    }

    #[test]
    fn layers_are_removed_one_by_one() {
        for (text, views) in [
            ("nothing % of & it \\", &[][..]),
            ("a%2Fb%zz%", &["a/b%zz%"]),
            ("%252f", &["%2f", "/"]),
            (r#"\"\u0073\x73\u{73}\/\n\q"#, &["\"sss/\\q"]),
            (r"\\u0073", &[r"\u0073", "s"]),
            ("&#115;&#x73;&#0115&amp;#115;&sol;&no;", &["sss&#115;/&no;", "ssss/&no;"]),
            ("a\r\n  b\u{200b}c\u{ad}\u{feff}d\u{1b}[31me", &["abcde"]),
            ("\u{fc}\u{4e00}\u{1f30d}%", &[]),
            ("%c3%ff&#1114112;\\u{zz}", &["\u{c3}\u{ff}&#1114112;\\u{zz}"]),
        ] {
            assert_eq!(read(text), views, "{text}");
        }
    }

    #[test]
    fn source_ranges_are_those_of_the_text() {
        let text = "x%2573\u{200b}\\u0074 end";
        let view = View::new(text, TerminalStrings::Omit).and_then(|view| view.next_layer()).unwrap();
        assert_eq!(str::from_utf8(&view.bytes).unwrap(), "xst end");
        assert_eq!(&text[view.source_range(&(1..3))], "%2573\u{200b}\\u0074");
        assert_eq!(&text[view.source_range(&(1..2))], "%2573");
        let segments: Vec<_> = [6, 0, 3, 1, 2].map(|at| &text[view.source_range(&(at..at + 1))]).into();
        assert_eq!(segments, ["d", "x", " ", "%2573", "\\u0074"]);
        assert!(view.is_gap_before(2) && !view.is_gap_before(1) && !view.is_gap_before(0));
    }
}
