//! Finds keys by their well-known formats.

use std::ops::Range;

const PREFIXES: [(&str, usize); 20] = [
    ("sk-", 32),
    ("sk_", 24),
    ("AIza", 35),
    ("gsk_", 32),
    ("xai-", 32),
    ("pplx-", 32),
    ("nvapi-", 32),
    ("csk-", 32),
    ("hf_", 30),
    ("r8_", 30),
    ("ghp_", 36),
    ("gho_", 36),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("AKIA", 16),
    ("ASIA", 16),
    ("ABSK", 40),
    ("ya29.", 20),
    ("GOCSPX-", 20),
    ("xoxb-", 20),
];

const MIN_LENGTH: usize = 17;

pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if text.len() < MIN_LENGTH {
        return;
    }
    for (prefix, min_length) in PREFIXES {
        let mut word_end = 0;
        for (start, _) in text.match_indices(prefix) {
            // If the whole word is not a key, parts of it are not either. This keeps the search linear.
            if start < word_end || !begins_word(text, start) {
                continue;
            }
            word_end = start + word_length(&text[start..]);
            let body = &text[start + prefix.len()..word_end];
            if body.len() >= min_length && body.contains(|c: char| c.is_ascii_digit()) {
                found.push(start..word_end);
            }
        }
    }
    tokens(text, found);
    private_keys(text, found);
}

fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    let mut word_end = 0;
    for (start, _) in text.match_indices("eyJ") {
        if !begins_word(text, start) {
            continue;
        }
        if start >= word_end {
            let length = word_length(&text[start..]);
            word_end = start + text[start..start + length].trim_end_matches('.').len();
        }
        let mut parts = text[start..word_end].splitn(3, '.');
        if parts.by_ref().take(2).all(|part| part.len() >= 10) && parts.next().is_some() {
            found.push(start..word_end);
        }
    }
}

/// The lines of private keys, each on its own: recordings are compared word by word.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    const MARKER: &str = "PRIVATE KEY-----";
    let mut position = 0;
    while let Some(at) = text[position..].find(MARKER) {
        let start = position + at + MARKER.len();
        let end = text[start..].find("-----").map_or(text.len(), |length| start + length);
        for line in text[start..end].split_whitespace().map(|line| line.trim_start_matches("\\n")) {
            let line_start = line.as_ptr() as usize - text.as_ptr() as usize;
            found.extend((!line.is_empty()).then_some(line_start..line_start + line.len()));
        }
        // Skip the END line, which also ends in `MARKER`.
        position = text[end..].find(MARKER).map_or(text.len(), |length| end + length + MARKER.len());
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_part(c) && c != '.').unwrap_or(text.len())
}

fn begins_word(text: &str, at: usize) -> bool {
    // After other letters it is part of something else, such as a signature in base64.
    !text[..at].ends_with(|c: char| is_part(c) || c == '+')
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
