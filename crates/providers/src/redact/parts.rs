//! Redacts streamed parts, where a secret may span several deltas.

use std::collections::BTreeMap;

use super::{REDACTED, Redactor};
use lmthing_base::chat::StreamPart;

/// Replaces secrets in text, reasoning and tool arguments. Of a secret that spans several parts, the first becomes
/// `[redacted]` and the rest is removed.
pub(crate) fn redact_parts(parts: &mut [StreamPart], redactor: &Redactor) {
    let mut blocks: BTreeMap<(u8, String), Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter_mut().enumerate() {
        if let Some((kind, id, _)) = delta(part) {
            blocks.entry((kind, id.to_owned())).or_default().push(index);
        }
    }
    for indices in blocks.into_values() {
        let mut whole = String::new();
        for index in &indices {
            whole.extend(delta(&mut parts[*index]).map(|(.., text)| text.as_str()));
        }
        let secrets = redactor.find(&whole);
        if secrets.is_empty() {
            continue;
        }
        let mut start = 0;
        for index in indices {
            let Some((.., text)) = delta(&mut parts[index]) else { continue };
            let end = start + text.len();
            let first = secrets.partition_point(|secret| secret.end <= start);
            let end_index = secrets.partition_point(|secret| secret.start < end);
            for secret in secrets[first..end_index.max(first)].iter().rev() {
                let replacement = if secret.start >= start { REDACTED } else { "" };
                text.replace_range(secret.start.max(start) - start..secret.end.min(end) - start, replacement);
            }
            start = end;
        }
    }
}

fn delta(part: &mut StreamPart) -> Option<(u8, &str, &mut String)> {
    match part {
        StreamPart::TextDelta { id, delta, .. } => Some((0, id, delta)),
        StreamPart::ReasoningDelta { id, delta, .. } => Some((1, id, delta)),
        StreamPart::ToolInputDelta { id, delta } => Some((2, id, delta)),
        _ => None,
    }
}
