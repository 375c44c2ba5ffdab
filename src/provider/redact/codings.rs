//! The encodings in which secrets are found.

/// A coding that writes so many bits a letter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coding {
    bits: usize,
    letters: &'static [u8],
}

/// Base 16.
pub(super) const HEX: Coding = Coding { bits: 4, letters: b"0123456789abcdef" };

/// Base 32 of RFC 4648.
pub(super) const BASE32: Coding = Coding { bits: 5, letters: b"abcdefghijklmnopqrstuvwxyz234567" };

/// Base 64 of RFC 4648; see [`fold`] for the alphabet of URLs.
pub(super) const BASE64: Coding =
    Coding { bits: 6, letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" };

impl Coding {
    /// The letters that `bytes` are written with, whatever stands around them: one text for each way in which the bytes can
    /// fall into the groups of the coding. Letters that depend on neighbours are left out.
    pub(super) fn written(self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let ways = match self.bits {
            4 => 1,
            5 => 5,
            _ => 3,
        };
        (0..ways).map(|before| self.written_behind(before * 8, bytes)).collect()
    }

    /// The same where so many bits stand in front.
    fn written_behind(self, before: usize, bytes: &[u8]) -> Vec<u8> {
        let byte = |index: usize| usize::from(bytes.get(index).copied().unwrap_or_default());
        let letter = |index: usize| {
            let start = index * self.bits - before;
            let pair = byte(start / 8) << 8 | byte(start / 8 + 1);
            let value = pair >> (16 - start % 8 - self.bits);
            self.letters[value & ((1 << self.bits) - 1)]
        };
        (before.div_ceil(self.bits)..(before + bytes.len() * 8) / self.bits).map(letter).collect()
    }

    /// Whether a byte of a text may belong to something that is written so.
    pub(super) fn has(self, byte: u8) -> bool {
        match self.bits {
            4 => byte.is_ascii_hexdigit(),
            5 => byte.is_ascii_alphanumeric(),
            _ => byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte),
        }
    }
}

/// Bytes that count as the same when texts are compared: either case, and either alphabet of base 64.
pub(super) fn fold(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};

    use super::*;

    fn text(bytes: &[u8]) -> &str {
        str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn whatever_stands_around_the_letters_are_found() {
        for bytes in [&b"secret-0123"[..], b"\x00\xff\x80ab\x01z", b"aaaaaaaaaaaaa"] {
            let ways = BASE64.written(bytes);
            for before in 0..7 {
                let around = [&vec![b'\xa5'; before][..], bytes, b"\x5a\xa5"].concat();
                assert!(STANDARD.encode(&around).contains(text(&ways[before % 3])), "{before}");
            }
        }
        assert_eq!(text(&HEX.written(b"k-9\xff")[0]), "6b2d39ff");
        assert_eq!(text(&BASE32.written(b"foobar")[0]), "mzxw6ytbo");
        assert!("ONZXGZTPN5RGC4TT".to_lowercase().contains(text(&BASE32.written(b"foobar")[3])), "behind sss");
    }
}
