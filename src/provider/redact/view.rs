//! A text with one layer of escapes, line ends and invisible characters removed. Must not know what is looked for in it.

use std::{cell::Cell, ops::Range};

use crate::diagnostic::{Sequences, is_unseen};

/// The bytes of a text without one layer of wrapping, and where each of them stands in the text itself.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Texts above 4 GiB get no view.
    places: Vec<Place>,
    /// The place that was asked for last.
    last: Cell<usize>,
    strings: Strings,
    /// Whether the content of a string of the terminal was left out, in this view or an earlier one.
    pub(super) has_left_out_string: bool,
}

/// Where the bytes of a view from one on stand in the text: each at a byte of its own, one after the other, or all of them at the same
/// escape. One entry for each run, as texts may be large.
#[derive(Clone, Copy)]
struct Place {
    from: u32,
    start: u32,
    end: u32,
}

impl Place {
    fn of(self, at: u32) -> (u32, u32) {
        if self.end - self.start > 1 {
            return (self.start, self.end);
        }
        let start = self.start + (at - self.from);
        (start, start + 1)
    }
}

/// What becomes of the content of the terminal's strings, such as window titles. A secret may be broken by one, and may be in one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strings {
    LeftOut,
    Kept,
}

/// What stands at a place of a text, and how many bytes it takes there.
enum Unit {
    /// Itself.
    Plain(usize),
    /// Something that stands for this letter.
    Letter(char, usize),
    /// Something that is left out.
    Nothing(usize),
}

impl View {
    /// The text without its outermost layer; `None` when it has none.
    pub(super) fn of(text: &str, strings: Strings) -> Option<View> {
        u32::try_from(text.len()).ok()?;
        unwrapped(text.as_bytes(), strings, &|at| (narrow(at), narrow(at + 1)))
    }

    /// An empty one with room for so many bytes.
    fn new(room: usize, strings: Strings) -> View {
        let (bytes, places) = (Vec::with_capacity(room), Vec::new());
        View { bytes, places, last: Cell::new(0), strings, has_left_out_string: false }
    }

    /// This one without its next layer.
    pub(super) fn further(&self) -> Option<View> {
        let mut next = unwrapped(&self.bytes, self.strings, &|at| self.at(at))?;
        next.has_left_out_string |= self.has_left_out_string;
        Some(next)
    }

    /// Where a range of the bytes stands in the text.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.at(range.start).0 as usize;
        let last = range.end.checked_sub(1).map_or(first, |last| self.at(last).1 as usize);
        first..last
    }

    /// Whether something was left out in front of a byte.
    pub(super) fn is_joined(&self, at: usize) -> bool {
        at > 0 && self.at(at - 1).1 < self.at(at).0
    }

    /// Start and end of a byte in the text.
    fn at(&self, at: usize) -> (u32, u32) {
        let at = narrow(at);
        // Most bytes are asked for one after the other.
        let is_in = |index: usize| {
            let is_behind = |place: &Place| place.from > at;
            !self.places.get(index).is_none_or(is_behind) && self.places.get(index + 1).is_none_or(is_behind)
        };
        if !is_in(self.last.get()) {
            self.last.set(self.places.partition_point(|place| place.from <= at).saturating_sub(1));
        }
        self.places.get(self.last.get()).map_or((at, at + 1), |place| place.of(at))
    }

    /// Adds a byte that stands there.
    fn push(&mut self, byte: u8, (start, end): (u32, u32)) {
        let from = narrow(self.bytes.len());
        if self.places.last().is_none_or(|last| last.of(from) != (start, end)) {
            self.places.push(Place { from, start, end });
        }
        self.bytes.push(byte);
    }
}

fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn unwrapped(bytes: &[u8], strings: Strings, place: &dyn Fn(usize) -> (u32, u32)) -> Option<View> {
    let mut view: Option<View> = None;
    let mut sequences = Sequences::default();
    let mut has_left_out_string = false;
    let mut at = 0;
    while at < bytes.len() {
        let was_in_string = sequences.is_in_string();
        let unit = unit(&bytes[at..], &mut sequences, strings);
        has_left_out_string |= was_in_string && sequences.is_in_string() && matches!(unit, Unit::Nothing(_));
        let length = match unit {
            Unit::Plain(length) | Unit::Letter(_, length) | Unit::Nothing(length) => length,
        };
        if !matches!(unit, Unit::Plain(_)) && view.is_none() {
            let mut first = View::new(bytes.len(), strings);
            (0..at).for_each(|at| first.push(bytes[at], place(at)));
            view = Some(first);
        }
        match (&mut view, unit) {
            (Some(view), Unit::Plain(_)) => (at..at + length).for_each(|at| view.push(bytes[at], place(at))),
            (Some(view), Unit::Letter(letter, _)) => {
                let place = (place(at).0, place(at + length - 1).1);
                letter.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| view.push(byte, place));
            }
            _ => {}
        }
        at += length;
    }
    view.map(|view| View { has_left_out_string, ..view })
}

fn unit(bytes: &[u8], sequences: &mut Sequences, strings: Strings) -> Unit {
    // Most of a text is nothing else.
    let is_plain = |byte: &&u8| matches!(**byte, b' '..=b'~') && !matches!(**byte, b'%' | b'\\' | b'&');
    let is_kept_string = strings == Strings::Kept && sequences.is_in_string();
    let plain = if sequences.is_in_text() || is_kept_string { bytes.iter().take_while(is_plain).count() } else { 0 };
    if plain > 0 {
        return Unit::Plain(plain);
    }
    let (letter, length) = letter(bytes);
    let is_text = sequences.is_text(letter) || is_kept_string && sequences.is_in_string();
    if !is_text {
        return Unit::Nothing(length);
    }
    let escape = match letter {
        '%' => number(bytes, 1..3, 16).map(|code| (code, 3)),
        '\\' => backslash(bytes),
        '&' => entity(bytes),
        '\n' => {
            // What was broken over lines is often indented.
            let indent = bytes[1..].iter().take_while(|byte| b" \t".contains(byte)).count();
            return Unit::Nothing(1 + indent);
        }
        letter if is_unseen(letter) => return Unit::Nothing(length),
        _ => return Unit::Plain(length),
    };
    match escape.and_then(|(code, length)| Some((char::from_u32(code)?, length))) {
        // A line end that was escaped is one.
        Some(('\n' | '\r', length)) => Unit::Nothing(length),
        Some((letter, length)) => Unit::Letter(letter, length),
        None => Unit::Plain(length),
    }
}

/// The letter that bytes begin with; a byte that is none stands for itself.
fn letter(bytes: &[u8]) -> (char, usize) {
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

/// The number that digits at a place are.
fn number(bytes: &[u8], place: Range<usize>, radix: u32) -> Option<u32> {
    let digits = str::from_utf8(bytes.get(place)?).ok()?;
    if digits.starts_with('+') { None } else { u32::from_str_radix(digits, radix).ok() }
}

/// As in JSON and JavaScript: `\n`, `\"`, `\/`, `\x2f`, `\u002f`, `\u{2f}`.
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

/// As in HTML: `&#47;`, `&#x2f;` and the names of what stands in keys.
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
        let mut view = View::of(text, Strings::LeftOut);
        while let Some(next) = view {
            views.push(String::from_utf8_lossy(&next.bytes).into_owned());
            view = next.further();
        }
        views
    }

    #[test]
    fn layers_are_taken_off_one_by_one() {
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
    fn places_are_those_of_the_text() {
        let text = "x%2573\u{200b}\\u0074 end";
        let view = View::of(text, Strings::LeftOut).and_then(|view| view.further()).unwrap();
        assert_eq!(str::from_utf8(&view.bytes).unwrap(), "xst end");
        assert_eq!(&text[view.place(&(1..3))], "%2573\u{200b}\\u0074");
        assert_eq!(&text[view.place(&(1..2))], "%2573");
        let places: Vec<_> = [6, 0, 3, 1, 2].map(|at| &text[view.place(&(at..at + 1))]).into();
        assert_eq!(places, ["d", "x", " ", "%2573", "\\u0074"]);
        assert!(view.is_joined(2) && !view.is_joined(1) && !view.is_joined(0));
    }
}
