//! Messages of Restate's service protocol as they go by, in pieces of any size: a cancellation is heard by whoever is at work, long
//! before the SDK reads it. Must not know where the pieces come from, and changes none.

use prost::Message;

/// The type of a message that brings a signal.
const SIGNAL: u16 = 0xFBFF;

/// The number of the signal that cancels.
const CANCEL: u32 = 1;

/// Type, flags and length stand before every message.
const HEADER: usize = 8;

/// A signal that cancels brings nothing along.
const LONGEST: usize = 1024;

/// What is known of the message under way.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Its beginning, or all of it when it is a signal.
    kept: Vec<u8>,
    /// How much of it is passed over.
    passed_over: usize,
}

/// A signal, as far as it matters here.
#[derive(Message)]
struct Signal {
    #[prost(uint32, optional, tag = "2")]
    number: Option<u32>,
}

impl Scan {
    /// Looks at what comes next. Whether a cancellation is whole with it.
    pub(super) fn sees_cancellation(&mut self, mut bytes: &[u8]) -> bool {
        let mut is_cancelled = false;
        while !bytes.is_empty() {
            if self.passed_over > 0 {
                let passed = self.passed_over.min(bytes.len());
                (self.passed_over, bytes) = (self.passed_over - passed, &bytes[passed..]);
                continue;
            }
            bytes = self.keep(HEADER, bytes);
            let Some((is_signal, length)) = self.header() else { break };
            if !is_signal || length > LONGEST {
                self.kept.clear();
                self.passed_over = length;
                continue;
            }
            bytes = self.keep(HEADER + length, bytes);
            if self.kept.len() == HEADER + length {
                is_cancelled |= Signal::decode(&self.kept[HEADER..]).is_ok_and(|signal| signal.number == Some(CANCEL));
                self.kept.clear();
            }
        }
        is_cancelled
    }

    /// Keeps bytes up to so many; the rest comes back.
    fn keep<'a>(&mut self, wanted: usize, bytes: &'a [u8]) -> &'a [u8] {
        let missing = wanted.saturating_sub(self.kept.len()).min(bytes.len());
        self.kept.extend_from_slice(&bytes[..missing]);
        &bytes[missing..]
    }

    /// Whether it is a signal, and how much comes behind the header; none, while that is not whole.
    fn header(&self) -> Option<(bool, usize)> {
        let header: [u8; HEADER] = self.kept.get(..HEADER)?.try_into().ok()?;
        let header = u64::from_be_bytes(header);
        // Four bytes are a length on all machines that there are.
        let length = usize::try_from(header & u64::from(u32::MAX)).unwrap_or(usize::MAX);
        Some((header >> 48 == u64::from(SIGNAL), length))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A message of the protocol.
    pub(in crate::worker) fn message(kind: u16, payload: &[u8]) -> Vec<u8> {
        let mut bytes = kind.to_be_bytes().to_vec();
        bytes.extend([0, 0]);
        bytes.extend(u32::try_from(payload.len()).unwrap().to_be_bytes());
        bytes.extend(payload);
        bytes
    }

    /// The one that cancels: with a field that says that it brings nothing.
    pub(in crate::worker) fn cancellation() -> Vec<u8> {
        message(SIGNAL, &[0x10, 1, 0x22, 0])
    }

    fn is_seen(pieces: &[&[u8]]) -> Vec<bool> {
        let mut scan = Scan::default();
        pieces.iter().map(|piece| scan.sees_cancellation(piece)).collect()
    }

    #[test]
    fn only_the_signal_that_cancels_cancels() {
        for (bytes, cancels) in [
            (cancellation(), true),
            (message(SIGNAL, &[0x10, 1]), true),
            (message(SIGNAL, &[0x10, 2]), false),
            (message(SIGNAL, &[0x1a, 1, b'a']), false),
            (message(SIGNAL, &[]), false),
            (message(SIGNAL, &[0xff]), false),
            (message(0x8011, &[0x10, 1]), false),
            ([message(0x8011, &cancellation()), message(0, &[])].concat(), false),
            ([message(0, &[7; 3000]), cancellation()].concat(), true),
            ([message(SIGNAL, &[0x1a; 3000]), cancellation()].concat(), true),
            ([cancellation(), message(SIGNAL, &[0x10, 9])].concat(), true),
        ] {
            assert_eq!(is_seen(&[&bytes]), [cancels], "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn pieces_may_end_anywhere(before in 0_usize..40, cuts in prop::collection::vec(1_usize..9, 1..20)) {
            let bytes = [message(0x8011, &vec![0xfb; before]), cancellation(), message(SIGNAL, &[0x10, 7])].concat();
            let mut rest = bytes.as_slice();
            let mut pieces = Vec::new();
            for cut in cuts.iter().cycle() {
                let (piece, behind) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = behind;
                if rest.is_empty() { break }
            }
            let seen = is_seen(&pieces);
            prop_assert_eq!(seen.iter().filter(|seen| **seen).count(), 1);
            // It is seen with its last byte.
            let whole = before + 8 + cancellation().len();
            let place = seen.iter().position(|seen| *seen).unwrap();
            let until: usize = pieces[..=place].iter().map(|piece| piece.len()).sum();
            prop_assert!(until >= whole && until - pieces[place].len() < whole);
        }

        #[test]
        fn anything_may_come(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            Scan::default().sees_cancellation(&bytes);
        }
    }
}
