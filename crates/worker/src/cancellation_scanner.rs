//! Finds cancellations in a stream of Restate's service protocol, cut into pieces of any size.

use prost::Message;

const SIGNAL: u16 = 0xFBFF;

/// Index of the built-in signal that cancels.
const CANCEL: u32 = 1;

/// Bytes of a message header: type, flags and length.
const HEADER: usize = 8;

/// Longest signal that is decoded. A cancellation has no payload.
const MAX_SIGNAL_LENGTH: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct CancellationScanner {
    /// Header of the current message, or all of it if it is a signal.
    buffer: Vec<u8>,
    /// Bytes of the current message that are still to be skipped.
    to_skip: usize,
}

#[derive(Message)]
struct Signal {
    #[prost(uint32, optional, tag = "2")]
    number: Option<u32>,
}

impl CancellationScanner {
    /// Scans the next bytes; returns whether they complete a cancellation.
    pub(super) fn sees_cancellation(&mut self, mut bytes: &[u8]) -> bool {
        let mut is_cancelled = false;
        while !bytes.is_empty() {
            if self.to_skip > 0 {
                let passed = self.to_skip.min(bytes.len());
                (self.to_skip, bytes) = (self.to_skip - passed, &bytes[passed..]);
                continue;
            }
            bytes = self.fill(HEADER, bytes);
            let Some((is_signal, length)) = self.header() else { break };
            if !is_signal || length > MAX_SIGNAL_LENGTH {
                self.buffer.clear();
                self.to_skip = length;
                continue;
            }
            bytes = self.fill(HEADER + length, bytes);
            if self.buffer.len() == HEADER + length {
                is_cancelled |=
                    Signal::decode(&self.buffer[HEADER..]).is_ok_and(|signal| signal.number == Some(CANCEL));
                self.buffer.clear();
            }
        }
        is_cancelled
    }

    /// Buffers bytes up to a length of `wanted`; returns the rest.
    fn fill<'a>(&mut self, wanted: usize, bytes: &'a [u8]) -> &'a [u8] {
        let missing = wanted.saturating_sub(self.buffer.len()).min(bytes.len());
        self.buffer.extend_from_slice(&bytes[..missing]);
        &bytes[missing..]
    }

    /// Whether the message is a signal, and its length. `None` until the header is complete.
    fn header(&self) -> Option<(bool, usize)> {
        let header: [u8; HEADER] = self.buffer.get(..HEADER)?.try_into().ok()?;
        let header = u64::from_be_bytes(header);
        let length = usize::try_from(header & u64::from(u32::MAX)).unwrap_or(usize::MAX);
        Some((header >> 48 == u64::from(SIGNAL), length))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn message(kind: u16, payload: &[u8]) -> Vec<u8> {
        let mut bytes = kind.to_be_bytes().to_vec();
        bytes.extend([0, 0]);
        bytes.extend(u32::try_from(payload.len()).unwrap().to_be_bytes());
        bytes.extend(payload);
        bytes
    }

    /// A cancellation as Restate sends it, with an empty value.
    pub(crate) fn cancellation() -> Vec<u8> {
        message(SIGNAL, &[0x10, 1, 0x22, 0])
    }

    fn is_seen(pieces: &[&[u8]]) -> Vec<bool> {
        let mut scanner = CancellationScanner::default();
        pieces.iter().map(|piece| scanner.sees_cancellation(piece)).collect()
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
            // Reported by the piece with the last byte.
            let whole = before + 8 + cancellation().len();
            let place = seen.iter().position(|seen| *seen).unwrap();
            let until: usize = pieces[..=place].iter().map(|piece| piece.len()).sum();
            prop_assert!(until >= whole && until - pieces[place].len() < whole);
        }

        #[test]
        fn any_bytes_are_accepted(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            CancellationScanner::default().sees_cancellation(&bytes);
        }
    }
}
