//! Stored responses in chunks of any size, truncated, and with noise.

use proptest::prelude::*;

use super::responses::{all, decode, summary};
use crate::ProviderErrorKind;

#[test]
fn chunk_boundaries_do_not_matter() {
    for (name, wire, bytes) in all() {
        let expected = decode(wire.as_ref(), vec![bytes.to_vec()]);
        for cut in 0..=bytes.len() {
            let (before, after) = bytes.split_at(cut);
            let found = decode(wire.as_ref(), vec![before.to_vec(), after.to_vec()]);
            assert_eq!(found, expected, "{name} cut at {cut}");
        }
        let single = bytes.iter().map(|byte| vec![*byte]).collect();
        assert_eq!(decode(wire.as_ref(), single), expected, "{name}, byte by byte");
    }
}

#[test]
fn a_truncated_response_fails_and_keeps_its_parts() {
    for (name, wire, bytes) in all() {
        let whole = summary(&decode(wire.as_ref(), vec![bytes.to_vec()]));
        for length in (0..bytes.len() / 2).step_by(37) {
            let sum = summary(&decode(wire.as_ref(), vec![bytes[..length].to_vec()]));
            assert!(whole.text.starts_with(&sum.text), "{name} at {length}");
            assert_eq!(sum.finish, None, "{name} at {length}");
            let (kind, message) = sum.failure.unwrap_or_else(|| panic!("{name} at {length} did not fail"));
            assert_eq!(kind, ProviderErrorKind::Protocol);
            assert!(message.contains("cut short"), "{message}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn many_chunk_boundaries_do_not_matter(sizes in prop::collection::vec(1_usize..60, 1..40)) {
        for (name, wire, bytes) in all() {
            let expected = decode(wire.as_ref(), vec![bytes.to_vec()]);
            let (mut rest, mut chunks) = (bytes, Vec::new());
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk.to_vec());
                rest = after;
            }
            prop_assert_eq!(decode(wire.as_ref(), chunks), expected, "{}", name);
        }
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0_usize..4000) {
        for (_, wire, answer) in all() {
            let at = at.min(answer.len());
            let mut mixed = answer[..at].to_vec();
            mixed.extend_from_slice(&bytes);
            mixed.extend_from_slice(&answer[at..]);
            // A frame with a wrong length waits for more data, which is an end like any other.
            let _ = decode(wire.as_ref(), vec![mixed]);
        }
    }
}
