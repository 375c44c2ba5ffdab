//! All that a text is searched for at once: how secrets begin and end, as they are and in each coding. Must not know how a text
//! was wrapped.

use std::{collections::HashMap, ops::Range};

use super::codings::{BASE32, BASE64, Coding, HEX, fold};

/// How much of a secret must be left where it was cut, and there is a mark of that, to be taken for it.
const CUT_SHORT: usize = 8;

/// How much must be left where nothing marks the cut.
const LONG_PIECE: usize = 12;

/// This many letters at either end of an encoded secret identify it.
const CODED: usize = 16;

/// So many bytes say whether a needle may stand at a place.
const START: usize = 4;

/// What stands between the bytes of a secret in hexadecimal: nothing, or as in the dumps of Node and of certificates.
const BETWEEN_HEX: [&str; 2] = [" ", ":"];

/// What stands where a text was cut.
const CUTS: [&[u8]; 6] = ["…".as_bytes(), b"...", b"**", "••".as_bytes(), b"xxx", b"XXX"];

/// The needles, by how they begin.
pub(super) struct Needles {
    secrets: Vec<Secret>,
    needles: Vec<Needle>,
    by_start: HashMap<u32, Vec<usize>>,
    /// A bit for the starts of all needles: most places of a text are passed over without looking further.
    starts: Vec<u64>,
}

struct Secret {
    /// Folded.
    letters: Vec<u8>,
    /// A variable for a key may have the path of a file for its value, and that begins as the paths in most messages do.
    is_path: bool,
    /// How much of its beginning is no secret.
    public: usize,
}

struct Needle {
    /// What stands in the text, folded.
    letters: Vec<u8>,
    is: Is,
}

#[derive(Clone, Copy)]
enum Is {
    /// The beginning of a secret.
    Beginning(usize),
    /// The end of a secret.
    End(usize),
    /// A part of a secret in a coding, which takes so many letters to the left and to the right at most.
    Coded(Coding, [usize; 2]),
    /// A part of a secret in hexadecimal with this between the bytes.
    Spaced(u8),
}

/// Whether something was left out of a text in front of a byte.
type IsJoined<'a> = &'a dyn Fn(usize) -> bool;

impl Default for Needles {
    fn default() -> Self {
        let (secrets, needles) = (Vec::new(), Vec::new());
        Needles { secrets, needles, by_start: HashMap::new(), starts: vec![0; 1 << 10] }
    }
}

impl Needles {
    /// Has a secret of at least six bytes searched for.
    pub(super) fn add(&mut self, secret: &[u8]) {
        let folded: Vec<u8> = secret.iter().copied().map(fold).collect();
        let number = self.secrets.len();
        let part = folded.len().min(CUT_SHORT);
        self.insert(&folded[..part], Is::Beginning(number));
        self.insert(&folded[folded.len() - part..], Is::End(number));
        self.secrets.push(Secret { letters: folded, is_path: is_path(secret), public: public_beginning(secret) });
        let once = BASE64.written(secret);
        let twice: Vec<Vec<u8>> = once.iter().flat_map(|letters| BASE64.written(letters)).collect();
        for (coding, texts) in
            [(HEX, HEX.written(secret)), (BASE32, BASE32.written(secret)), (BASE64, once), (BASE64, twice)]
        {
            texts.iter().for_each(|letters| self.insert_coded(letters, coding));
        }
        for between in BETWEEN_HEX {
            let dump = secret.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between);
            let (part, is) = (dump.len().min(3 * LONG_PIECE - 1), Is::Spaced(between.as_bytes()[0]));
            self.insert(&dump.as_bytes()[..part], is);
            self.insert(&dump.as_bytes()[dump.len() - part..], is);
        }
    }

    fn insert_coded(&mut self, letters: &[u8], coding: Coding) {
        let part = letters.len().min(CODED);
        let rest = letters.len() - part;
        self.insert(&letters[..part], Is::Coded(coding, [0, rest]));
        self.insert(&letters[rest..], Is::Coded(coding, [rest, 0]));
    }

    fn insert(&mut self, letters: &[u8], is: Is) {
        let letters: Vec<u8> = letters.iter().copied().map(fold).collect();
        let Some(start) = letters.get(..START) else { return };
        let start = start.iter().fold(0, |start, byte| start << 8 | u32::from(*byte));
        let bit = bit(start);
        self.starts[bit / 64] |= 1 << (bit % 64);
        self.by_start.entry(start).or_default().push(self.needles.len());
        self.needles.push(Needle { letters, is });
    }

    /// Where secrets and long pieces of them stand in a text, in order.
    pub(super) fn find(&self, text: &[u8], is_joined: IsJoined<'_>, mut take: impl FnMut(Range<usize>)) {
        let mut start = 0;
        let mut searched = 0;
        for (last, byte) in text.iter().enumerate() {
            start = start << 8 | u32::from(fold(*byte));
            let bit = bit(start);
            if self.starts[bit / 64] & 1 << (bit % 64) == 0 {
                continue;
            }
            let Some(at) = (last + 1).checked_sub(START).filter(|at| *at >= searched) else { continue };
            let needles = self.by_start.get(&start).into_iter().flatten().map(|index| &self.needles[*index]);
            let here = needles.filter(|needle| starts_with(&text[at..], &needle.letters));
            let ranges = here.filter_map(|needle| self.range(text, at, needle, is_joined));
            if let Some(range) = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) {
                searched = range.end;
                take(range);
            }
        }
    }

    /// What belongs to a needle that stands at a place, if that is enough.
    fn range(&self, text: &[u8], at: usize, needle: &Needle, is_joined: IsJoined<'_>) -> Option<Range<usize>> {
        let end = at + needle.letters.len();
        match needle.is {
            Is::Beginning(secret) => beginning(text, at, &self.secrets[secret]),
            Is::End(secret) => ending(text, end, &self.secrets[secret]),
            Is::Coded(coding, most) => Some(run(text, at..end, coding, most, is_joined)),
            Is::Spaced(between) => Some(dump(text, at..end, between)),
        }
    }
}

fn is_path(secret: &[u8]) -> bool {
    matches!(secret, [b'/' | b'.' | b'~', ..] | [b'A'..=b'Z' | b'a'..=b'z', b':', b'\\' | b'/', ..])
}

/// How long the beginning of a secret is that others share: `sk-ant-api03-`, `https://hooks.slack.com/services/`.
fn public_beginning(secret: &[u8]) -> usize {
    let scheme = secret.windows(3).position(|bytes| bytes == b"://").map_or(0, |at| at + 3);
    let host = secret[scheme..].iter().position(|byte| *byte == b'/').filter(|_| scheme > 0);
    let is_host = |length: &usize| !secret[scheme..scheme + length].contains(&b'@');
    let mut end = host.filter(is_host).map_or(0, |length| scheme + length + 1);
    while let Some(length) = secret[end..].iter().position(|byte| b"-_/.:".contains(byte)) {
        if !is_word(&secret[end..end + length]) {
            break;
        }
        end += length + 1;
    }
    end
}

/// Whether these are small letters, and a number of two digits at most: `ant`, `api03`, `v1`.
fn is_word(bytes: &[u8]) -> bool {
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    letters <= LONG_PIECE && bytes.len() - letters <= 2 && bytes[letters..].iter().all(u8::is_ascii_digit)
}

/// The place of a start among the bits.
fn bit(start: u32) -> usize {
    (start.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

fn starts_with(text: &[u8], folded: &[u8]) -> bool {
    text.len() >= folded.len() && common(text.iter(), folded.iter()) == folded.len()
}

/// How many bytes of a text are those of a secret.
fn common<'a>(text: impl Iterator<Item = &'a u8>, folded: impl Iterator<Item = &'a u8>) -> usize {
    text.zip(folded).take_while(|(byte, folded)| fold(**byte) == **folded).count()
}

/// The secret at a place, or its beginning, if that is long.
fn beginning(text: &[u8], at: usize, secret: &Secret) -> Option<Range<usize>> {
    let length = common(text[at..].iter(), secret.letters.iter());
    let rest = &text[at + length..];
    let is_cut = || rest.is_empty() || CUTS.iter().any(|cut| rest.starts_with(cut));
    let is_apart = || rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    // Messages name what all keys of a service begin with.
    let long = LONG_PIECE.max(secret.public + CUT_SHORT);
    is_enough(length, secret, long, is_cut, is_apart).then_some(at..at + length)
}

/// The secret that ends at a place, or its end, if that is long.
fn ending(text: &[u8], end: usize, secret: &Secret) -> Option<Range<usize>> {
    let length = common(text[..end].iter().rev(), secret.letters.iter().rev());
    let rest = &text[..end - length];
    let is_cut = || CUTS.iter().any(|cut| rest.ends_with(cut));
    let is_apart = || rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    is_enough(length, secret, LONG_PIECE, is_cut, is_apart).then_some(end - length..end)
}

fn is_enough(
    length: usize,
    secret: &Secret,
    long: usize,
    is_cut: impl Fn() -> bool,
    is_apart: impl Fn() -> bool,
) -> bool {
    let is_long = || length >= long && !secret.is_path && is_apart();
    length == secret.letters.len() || (length >= CUT_SHORT && is_cut()) || is_long()
}

/// The letters of a coding around some of them. Over what was left out of the text they go on only as far as the secret does.
fn run(
    text: &[u8],
    Range { mut start, mut end }: Range<usize>,
    coding: Coding,
    [left, right]: [usize; 2],
    is_joined: IsJoined<'_>,
) -> Range<usize> {
    let (first, last) = (start.saturating_sub(left), end + right);
    while start > 0 && coding.has(text[start - 1]) && (start > first || !is_joined(start)) {
        start -= 1;
    }
    while end < text.len() && coding.has(text[end]) && (end < last || !is_joined(end)) {
        end += 1;
    }
    let padding = text[end..].iter().take(6).take_while(|byte| **byte == b'=').count();
    start..end + padding
}

/// All the bytes of a dump around some of them.
fn dump(text: &[u8], Range { mut start, mut end }: Range<usize>, between: u8) -> Range<usize> {
    let is_byte = |byte: &[u8]| byte.iter().all(u8::is_ascii_hexdigit);
    while start >= 3 && text[start - 1] == between && is_byte(&text[start - 3..start - 1]) {
        start -= 3;
    }
    while text.len() >= end + 3 && text[end] == between && is_byte(&text[end + 1..end + 3]) {
        end += 3;
    }
    start..end
}
