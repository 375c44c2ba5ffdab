//! Secrets in an answer that came in pieces: a key may begin in one and end in the next.

use std::collections::BTreeMap;

use super::{REDACTED, Redactor};
use crate::chat::StreamPart;

/// Replaces the secrets in texts, thoughts and arguments of an answer. What a secret is cut into goes, but for its
/// first piece, which says `[redacted]`.
pub(in crate::provider) fn redact_parts(parts: &mut [StreamPart], redactor: &Redactor) {
    let mut blocks: BTreeMap<(u8, String), Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter_mut().enumerate() {
        if let Some((kind, id, _)) = piece(part) {
            blocks.entry((kind, id.to_owned())).or_default().push(index);
        }
    }
    for indices in blocks.into_values() {
        let mut whole = String::new();
        for index in &indices {
            whole.extend(piece(&mut parts[*index]).map(|(.., text)| text.as_str()));
        }
        let secrets = redactor.find(&whole);
        if secrets.is_empty() {
            continue;
        }
        let mut start = 0;
        for index in indices {
            let Some((.., text)) = piece(&mut parts[index]) else { continue };
            let end = start + text.len();
            let first = secrets.partition_point(|secret| secret.end <= start);
            let behind = secrets.partition_point(|secret| secret.start < end);
            // From the last one on, so that what is before it stays where it is.
            for secret in secrets[first..behind.max(first)].iter().rev() {
                let stands_for = if secret.start >= start { REDACTED } else { "" };
                text.replace_range(secret.start.max(start) - start..secret.end.min(end) - start, stands_for);
            }
            start = end;
        }
    }
}

/// The kind and id of the block that a piece belongs to, and its text.
fn piece(part: &mut StreamPart) -> Option<(u8, &str, &mut String)> {
    match part {
        StreamPart::TextDelta { id, delta, .. } => Some((0, id, delta)),
        StreamPart::ReasoningDelta { id, delta, .. } => Some((1, id, delta)),
        StreamPart::ToolInputDelta { id, delta } => Some((2, id, delta)),
        _ => None,
    }
}
