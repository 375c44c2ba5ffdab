//! Keys that show by themselves what they are: nobody needs to have told about them.

use std::ops::Range;

/// How keys of well-known services begin, and how many letters follow at least.
const BEGINNINGS: [(&str, usize); 20] = [
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

/// Shorter texts hold none of them.
const SHORTEST: usize = 17;

/// Finds well-known keys, tokens of three parts (JWT) and private keys in PEM.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    // The names and words of a recording, of which there are many.
    if text.len() < SHORTEST {
        return;
    }
    for (beginning, shortest) in BEGINNINGS {
        let mut measured = 0;
        for (start, _) in text.match_indices(beginning) {
            // Were a word no key from its beginning, it would be none from its middle.
            if start < measured || !begins_word(text, start) {
                continue;
            }
            measured = start + word_length(&text[start..]);
            let body = &text[start + beginning.len()..measured];
            // Long names of words with hyphens between them are no keys.
            if body.len() >= shortest && body.contains(|c: char| c.is_ascii_digit()) {
                found.push(start..measured);
            }
        }
    }
    tokens(text, found);
    private_keys(text, found);
}

/// Tokens of three parts or more, the first two of some length.
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

/// The lines of private keys, each by itself: what is compared with a recording is compared word by word.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    const BEGINNING: &str = "PRIVATE KEY-----";
    let mut place = 0;
    while let Some(at) = text[place..].find(BEGINNING) {
        let start = place + at + BEGINNING.len();
        let end = text[start..].find("-----").map_or(text.len(), |length| start + length);
        for line in text[start..end].split_whitespace().map(|line| line.trim_start_matches("\\n")) {
            let line_start = line.as_ptr() as usize - text.as_ptr() as usize;
            found.extend((!line.is_empty()).then_some(line_start..line_start + line.len()));
        }
        // Behind the line that ends it, which ends in the same words.
        place = text[end..].find(BEGINNING).map_or(text.len(), |length| end + length + BEGINNING.len());
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_part(c) && c != '.').unwrap_or(text.len())
}

fn begins_word(text: &str, at: usize) -> bool {
    // What stands in the middle of other letters is a piece of something else, such as a signature in base64.
    !text[..at].ends_with(|c: char| is_part(c) || c == '+')
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
