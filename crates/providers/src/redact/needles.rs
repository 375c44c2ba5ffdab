//! Searches a text for prefixes and suffixes of all secrets in one pass, plain and encoded.

use std::{collections::HashMap, ops::Range};

use super::encodings::{BASE32, BASE64, Encoding, HEX, fold};

/// How much of a truncated secret must be present if the truncation is marked.
const MIN_TRUNCATED: usize = 8;

const MIN_PART: usize = 12;

const ENCODED_LENGTH: usize = 16;

const START_LENGTH: usize = 4;

const HEX_SEPARATORS: [&str; 2] = [" ", ":"];

const TRUNCATION_MARKS: [&[u8]; 6] = ["…".as_bytes(), b"...", b"**", "••".as_bytes(), b"xxx", b"XXX"];

pub(super) struct Needles {
    secrets: Vec<Secret>,
    needles: Vec<Needle>,
    by_start: HashMap<u32, Vec<usize>>,
    /// A bit set of the prefixes, so that most positions are skipped at once.
    start_bits: Vec<u64>,
}

struct Secret {
    letters: Vec<u8>,
    /// A key variable may contain the path of a file, whose prefix occurs in most messages.
    is_path: bool,
    public_length: usize,
}

struct Needle {
    letters: Vec<u8>,
    kind: NeedleKind,
}

#[derive(Clone, Copy)]
enum NeedleKind {
    Prefix(usize),
    Suffix(usize),
    Encoded(Encoding, [usize; 2]),
    HexDump(u8),
}

type IsGapBefore<'a> = &'a dyn Fn(usize) -> bool;

impl Default for Needles {
    fn default() -> Self {
        let (secrets, needles) = (Vec::new(), Vec::new());
        Needles { secrets, needles, by_start: HashMap::new(), start_bits: vec![0; 1 << 10] }
    }
}

impl Needles {
    pub(super) fn add(&mut self, secret: &[u8]) {
        let folded: Vec<u8> = secret.iter().copied().map(fold).collect();
        let number = self.secrets.len();
        let part = folded.len().min(MIN_TRUNCATED);
        self.insert(&folded[..part], NeedleKind::Prefix(number));
        self.insert(&folded[folded.len() - part..], NeedleKind::Suffix(number));
        self.secrets.push(Secret {
            letters: folded,
            is_path: is_path(secret),
            public_length: public_prefix_length(secret),
        });
        let once = BASE64.encodings_of(secret);
        let twice: Vec<Vec<u8>> = once.iter().flat_map(|letters| BASE64.encodings_of(letters)).collect();
        for (encoding, texts) in
            [(HEX, HEX.encodings_of(secret)), (BASE32, BASE32.encodings_of(secret)), (BASE64, once), (BASE64, twice)]
        {
            texts.iter().for_each(|letters| self.insert_encoded(letters, encoding));
        }
        for separator in HEX_SEPARATORS {
            let dump = secret.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator);
            let (part, kind) = (dump.len().min(3 * MIN_PART - 1), NeedleKind::HexDump(separator.as_bytes()[0]));
            self.insert(&dump.as_bytes()[..part], kind);
            self.insert(&dump.as_bytes()[dump.len() - part..], kind);
        }
    }

    fn insert_encoded(&mut self, letters: &[u8], encoding: Encoding) {
        let part = letters.len().min(ENCODED_LENGTH);
        let rest = letters.len() - part;
        self.insert(&letters[..part], NeedleKind::Encoded(encoding, [0, rest]));
        self.insert(&letters[rest..], NeedleKind::Encoded(encoding, [rest, 0]));
    }

    fn insert(&mut self, letters: &[u8], kind: NeedleKind) {
        let letters: Vec<u8> = letters.iter().copied().map(fold).collect();
        let Some(start) = letters.get(..START_LENGTH) else { return };
        let start = start.iter().fold(0, |start, byte| start << 8 | u32::from(*byte));
        let bit = bit(start);
        self.start_bits[bit / 64] |= 1 << (bit % 64);
        self.by_start.entry(start).or_default().push(self.needles.len());
        self.needles.push(Needle { letters, kind });
    }

    pub(super) fn find(&self, text: &[u8], is_gap_before: IsGapBefore<'_>, mut take: impl FnMut(Range<usize>)) {
        let mut start = 0;
        let mut searched = 0;
        for (last, byte) in text.iter().enumerate() {
            start = start << 8 | u32::from(fold(*byte));
            let bit = bit(start);
            if self.start_bits[bit / 64] & 1 << (bit % 64) == 0 {
                continue;
            }
            let Some(at) = (last + 1).checked_sub(START_LENGTH).filter(|at| *at >= searched) else { continue };
            let needles = self.by_start.get(&start).into_iter().flatten().map(|index| &self.needles[*index]);
            let here = needles.filter(|needle| starts_with(&text[at..], &needle.letters));
            let ranges = here.filter_map(|needle| self.range(text, at, needle, is_gap_before));
            if let Some(range) = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) {
                searched = range.end;
                take(range);
            }
        }
    }

    fn range(&self, text: &[u8], at: usize, needle: &Needle, is_gap_before: IsGapBefore<'_>) -> Option<Range<usize>> {
        let end = at + needle.letters.len();
        match needle.kind {
            NeedleKind::Prefix(secret) => prefix_match(text, at, &self.secrets[secret]),
            NeedleKind::Suffix(secret) => suffix_match(text, end, &self.secrets[secret]),
            NeedleKind::Encoded(encoding, most) => Some(extend_encoded(text, at..end, encoding, most, is_gap_before)),
            NeedleKind::HexDump(separator) => Some(extend_dump(text, at..end, separator)),
        }
    }
}

fn is_path(secret: &[u8]) -> bool {
    matches!(secret, [b'/' | b'.' | b'~', ..] | [b'A'..=b'Z' | b'a'..=b'z', b':', b'\\' | b'/', ..])
}

/// Length of the prefix that other secrets share: `sk-ant-api03-`, `https://hooks.slack.com/services/`.
fn public_prefix_length(secret: &[u8]) -> usize {
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

/// Whether these are lower-case letters, followed by at most two digits: `ant`, `api03`, `v1`.
fn is_word(bytes: &[u8]) -> bool {
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    letters <= MIN_PART && bytes.len() - letters <= 2 && bytes[letters..].iter().all(u8::is_ascii_digit)
}

fn bit(start: u32) -> usize {
    (start.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

fn starts_with(text: &[u8], folded: &[u8]) -> bool {
    text.len() >= folded.len() && common_length(text.iter(), folded.iter()) == folded.len()
}

fn common_length<'a>(text: impl Iterator<Item = &'a u8>, folded: impl Iterator<Item = &'a u8>) -> usize {
    text.zip(folded).take_while(|(byte, folded)| fold(**byte) == **folded).count()
}

fn prefix_match(text: &[u8], at: usize, secret: &Secret) -> Option<Range<usize>> {
    let length = common_length(text[at..].iter(), secret.letters.iter());
    let rest = &text[at + length..];
    let is_cut = || rest.is_empty() || TRUNCATION_MARKS.iter().any(|cut| rest.starts_with(cut));
    let is_delimited = || rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    // Messages may mention the prefix that all keys of a service share.
    let long = MIN_PART.max(secret.public_length + MIN_TRUNCATED);
    is_match(length, secret, long, is_cut, is_delimited).then_some(at..at + length)
}

fn suffix_match(text: &[u8], end: usize, secret: &Secret) -> Option<Range<usize>> {
    let length = common_length(text[..end].iter().rev(), secret.letters.iter().rev());
    let rest = &text[..end - length];
    let is_cut = || TRUNCATION_MARKS.iter().any(|cut| rest.ends_with(cut));
    let is_delimited = || rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    is_match(length, secret, MIN_PART, is_cut, is_delimited).then_some(end - length..end)
}

fn is_match(
    length: usize,
    secret: &Secret,
    long: usize,
    is_cut: impl Fn() -> bool,
    is_delimited: impl Fn() -> bool,
) -> bool {
    let is_long = || length >= long && !secret.is_path && is_delimited();
    length == secret.letters.len() || (length >= MIN_TRUNCATED && is_cut()) || is_long()
}

/// Extends a match to all adjacent letters of the encoding; where text was omitted, only as far as the secret is
/// long.
fn extend_encoded(
    text: &[u8],
    Range { mut start, mut end }: Range<usize>,
    encoding: Encoding,
    [left, right]: [usize; 2],
    is_gap_before: IsGapBefore<'_>,
) -> Range<usize> {
    let (first, last) = (start.saturating_sub(left), end + right);
    while start > 0 && encoding.has(text[start - 1]) && (start > first || !is_gap_before(start)) {
        start -= 1;
    }
    while end < text.len() && encoding.has(text[end]) && (end < last || !is_gap_before(end)) {
        end += 1;
    }
    let padding = text[end..].iter().take(6).take_while(|byte| **byte == b'=').count();
    start..end + padding
}

fn extend_dump(text: &[u8], Range { mut start, mut end }: Range<usize>, separator: u8) -> Range<usize> {
    let is_byte = |byte: &[u8]| byte.iter().all(u8::is_ascii_hexdigit);
    while start >= 3 && text[start - 1] == separator && is_byte(&text[start - 3..start - 1]) {
        start -= 3;
    }
    while text.len() >= end + 3 && text[end] == separator && is_byte(&text[end + 1..end + 3]) {
        end += 3;
    }
    start..end
}
