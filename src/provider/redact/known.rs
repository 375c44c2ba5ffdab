//! Finding known secrets, however they are written.

use std::{collections::BTreeSet, ops::Range};

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::look::looks_like_a_key;

/// How much of a secret must be left where a text was cut to be taken for it.
const CUT_SHORT: usize = 8;

/// `user:password` is no ordinary word, however short; but `a:b` is everywhere.
const SHORTEST_PAIR: usize = 6;

/// Shorter runs of letters can hide no secret in base64.
const SHORTEST_BASE64: usize = 8;

/// A run that is longer is a file; a file begins where it begins.
const LONG_BASE64: usize = 64 << 10;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The secrets that a run is known to use.
pub(super) struct Known {
    /// Replaced wherever they stand.
    anywhere: Vec<String>,
    /// The others, which are too much like ordinary words for that.
    in_place: BTreeSet<String>,
    /// The bytes that one which is replaced anywhere may begin with: most begin nothing, and one look tells.
    begins: [bool; 256],
    /// How long the longest is.
    longest: usize,
}

impl Default for Known {
    fn default() -> Self {
        let mut begins = [false; 256];
        b"%\\&".iter().for_each(|escape| begins[usize::from(*escape)] = true);
        Known { anywhere: Vec::new(), in_place: BTreeSet::new(), begins, longest: 0 }
    }
}

impl Known {
    pub(super) fn learn(&mut self, secret: &str) {
        let secret = secret.trim();
        self.longest = self.longest.max(secret.len());
        if looks_like_a_key(secret) {
            self.learn_anywhere(secret);
        } else if !secret.is_empty() && !self.in_place.contains(secret) {
            self.in_place.insert(secret.to_owned());
        }
        // A key of several lines, such as one in PEM, is not always shown whole.
        if secret.contains('\n') {
            secret.lines().filter(|line| !line.starts_with("-----")).for_each(|line| self.learn(line));
        }
    }

    pub(super) fn learn_pair(&mut self, pair: &str) {
        self.longest = self.longest.max(pair.len());
        if pair.len() >= SHORTEST_PAIR {
            self.learn_anywhere(pair);
        }
    }

    fn learn_anywhere(&mut self, secret: &str) {
        if !self.anywhere.iter().any(|known| known == secret) {
            self.anywhere.push(secret.to_owned());
            let first = secret.as_bytes()[0];
            self.begins[usize::from(first.to_ascii_lowercase())] = true;
            self.begins[usize::from(first.to_ascii_uppercase())] = true;
        }
    }

    /// Whether a value that stands where secrets stand is one.
    pub(super) fn is_secret(&self, value: &str) -> bool {
        self.in_place.contains(value) || self.anywhere.iter().any(|secret| secret == value)
    }

    /// The length of the longest secret.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Where secrets stand that are replaced anywhere.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.anywhere.is_empty() {
            return found;
        }
        self.find_in(text.as_bytes(), |range| found.push(range));
        found.retain(|range| text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
        for run in base64_runs(text) {
            if self.is_in_base64(text[run.clone()].trim_end_matches('=')) {
                found.push(run);
            }
        }
        found
    }

    fn find_in(&self, text: &[u8], mut take: impl FnMut(Range<usize>)) {
        for start in 0..text.len() {
            if self.begins[usize::from(text[start])] {
                let ends = self.anywhere.iter().filter_map(|secret| end_of(&text[start..], secret.as_bytes()));
                if let Some(length) = ends.max() {
                    take(start..start + length);
                }
            }
        }
    }

    fn is_in_base64(&self, run: &str) -> bool {
        let run: Vec<u8> = run
            .bytes()
            .map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                byte => byte,
            })
            .collect();
        // Where the run begins says nothing about where its groups of four do.
        let starts = if run.len() > LONG_BASE64 { 1 } else { 4 };
        (0..starts.min(run.len())).any(|start| {
            let groups = &run[start..];
            // A single letter behind the last group stands for nothing.
            let groups = if groups.len() % 4 == 1 { &groups[..groups.len() - 1] } else { groups };
            let mut is_secret = false;
            if let Ok(bytes) = BASE64.decode(groups) {
                self.find_in(&bytes, |_| is_secret = true);
            }
            is_secret
        })
    }
}

/// Runs of base64's letters, in both alphabets, with the padding behind them.
fn base64_runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let bytes = text.as_bytes();
    let mut place = 0;
    std::iter::from_fn(move || {
        loop {
            let start = place + bytes.get(place..)?.iter().position(is_letter)?;
            let letters = bytes[start..].iter().take_while(|byte| is_letter(byte)).count();
            let padding = bytes[start + letters..].iter().take_while(|byte| **byte == b'=').take(2).count();
            place = start + letters + padding;
            if letters >= SHORTEST_BASE64 {
                return Some(start..place);
            }
        }
    })
}

/// How long the text is that begins with the secret, however it is written; also where the text is cut in it.
fn end_of(text: &[u8], secret: &[u8]) -> Option<usize> {
    let mut end = 0;
    for (count, byte) in secret.iter().enumerate() {
        let rest = &text[end..];
        match written_length(rest, *byte) {
            Some(length) => end += length,
            None => {
                let is_cut = rest.is_empty() || rest.starts_with("…".as_bytes()) || rest.starts_with(b"...");
                return (is_cut && count >= CUT_SHORT).then_some(end);
            }
        }
    }
    Some(end)
}

/// How long `byte` is at the start of `text`: itself, in either case, percent-encoded once or twice, escaped as in JSON or
/// HTML.
fn written_length(text: &[u8], byte: u8) -> Option<usize> {
    let hex = |at: usize| {
        let digits = std::str::from_utf8(text.get(at..at + 2)?).ok()?;
        u8::from_str_radix(digits, 16).ok().filter(|found| *found == byte).map(|_| at + 2)
    };
    let escape = match text.first()? {
        b'%' => hex(1).or_else(|| text.starts_with(b"%25").then(|| hex(3)).flatten()),
        b'\\' => match text.get(1)? {
            b'u' => text.starts_with(b"\\u00").then(|| hex(4)).flatten(),
            b'n' => (byte == b'\n').then_some(2),
            escaped => (*escaped == byte && b"\"\\/".contains(&byte)).then_some(2),
        },
        b'&' => {
            const ENTITIES: [(&[u8], u8); 7] = [
                (b"&amp;", b'&'),
                (b"&lt;", b'<'),
                (b"&gt;", b'>'),
                (b"&quot;", b'"'),
                (b"&#39;", b'\''),
                (b"&#x27;", b'\''),
                (b"&#x2F;", b'/'),
            ];
            let entity = ENTITIES.iter().find(|(entity, stands_for)| *stands_for == byte && text.starts_with(entity));
            entity.map(|(entity, _)| entity.len())
        }
        _ => None,
    };
    escape.or_else(|| text[0].eq_ignore_ascii_case(&byte).then_some(1))
}
