//! The encodings in which secrets are searched for.

#[derive(Clone, Copy, Debug)]
pub(super) struct Encoding {
    bits: usize,
    letters: &'static [u8],
}

pub(super) const HEX: Encoding = Encoding { bits: 4, letters: b"0123456789abcdef" };

pub(super) const BASE32: Encoding = Encoding { bits: 5, letters: b"abcdefghijklmnopqrstuvwxyz234567" };

pub(super) const BASE64: Encoding =
    Encoding { bits: 6, letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" };

impl Encoding {
    /// The letters that encode `bytes`, for each offset that the bytes may have in a group of the encoding. Letters
    /// that also depend on neighbouring bytes are omitted.
    pub(super) fn encodings_of(self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let offsets = match self.bits {
            4 => 1,
            5 => 5,
            _ => 3,
        };
        (0..offsets).map(|before| self.encode_at_offset(before * 8, bytes)).collect()
    }

    fn encode_at_offset(self, before: usize, bytes: &[u8]) -> Vec<u8> {
        let byte = |index: usize| usize::from(bytes.get(index).copied().unwrap_or_default());
        let letter = |index: usize| {
            let start = index * self.bits - before;
            let pair = byte(start / 8) << 8 | byte(start / 8 + 1);
            let value = pair >> (16 - start % 8 - self.bits);
            self.letters[value & ((1 << self.bits) - 1)]
        };
        (before.div_ceil(self.bits)..(before + bytes.len() * 8) / self.bits).map(letter).collect()
    }

    pub(super) fn has(self, byte: u8) -> bool {
        match self.bits {
            4 => byte.is_ascii_hexdigit(),
            5 => byte.is_ascii_alphanumeric(),
            _ => byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte),
        }
    }
}

/// Maps letters that are equal in comparisons to each other: both cases, and both alphabets of base 64.
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
    fn encodings_are_found_at_every_offset() {
        for bytes in [&b"secret-0123"[..], b"\x00\xff\x80ab\x01z", b"aaaaaaaaaaaaa"] {
            let offsets = BASE64.encodings_of(bytes);
            for before in 0..7 {
                let around = [&vec![b'\xa5'; before][..], bytes, b"\x5a\xa5"].concat();
                assert!(STANDARD.encode(&around).contains(text(&offsets[before % 3])), "{before}");
            }
        }
        assert_eq!(text(&HEX.encodings_of(b"k-9\xff")[0]), "6b2d39ff");
        assert_eq!(text(&BASE32.encodings_of(b"foobar")[0]), "mzxw6ytbo");
        assert!("ONZXGZTPN5RGC4TT".to_lowercase().contains(text(&BASE32.encodings_of(b"foobar")[3])), "behind sss");
    }
}
