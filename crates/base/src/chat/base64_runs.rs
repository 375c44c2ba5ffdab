//! Finds the contents of files in texts: long runs of base64.

use std::ops::Range;

/// Shorter contents are quick to process.
const MIN_LENGTH: usize = 16 << 10;

/// The long runs of base64 in a text, without padding.
pub fn base64_runs(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut runs, mut end, mut at) = (Vec::new(), 0, MIN_LENGTH - 1);
    // Of each run of that length one of these letters is a part.
    while at < bytes.len() {
        if is_letter(bytes[at]) {
            let start = end + bytes[end..at].iter().rposition(|byte| !is_letter(*byte)).map_or(0, |last| last + 1);
            end = at;
            while end < bytes.len() && is_letter(bytes[end]) {
                end += 1;
            }
            if end - start >= MIN_LENGTH {
                runs.push(start..end);
            }
            at = end;
        }
        at += MIN_LENGTH;
    }
    runs
}

fn is_letter(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_found_wherever_they_are() {
        let long = "Ab0+/".repeat(MIN_LENGTH / 5 + 1);
        assert_eq!(base64_runs(&long), vec![0..long.len()]);
        assert_eq!(base64_runs(&long[..MIN_LENGTH]), vec![0..MIN_LENGTH]);
        assert!(base64_runs(&long[..MIN_LENGTH - 1]).is_empty());
        for before in [0, 1, 100, MIN_LENGTH - 1, MIN_LENGTH, 3 * MIN_LENGTH + 7] {
            let text = format!("{}\"{long}==\",\"{long}\"", "a b".repeat(before));
            let first = 3 * before + 1;
            let second = first + long.len() + "==\",\"".len();
            assert_eq!(base64_runs(&text), vec![first..first + long.len(), second..second + long.len()], "{before}");
        }
        assert!(base64_runs(&"words of a text ".repeat(MIN_LENGTH)).is_empty());
    }
}
