//! How long an answer of a model may be.

use lmthing_base::chat::MAX_DEFAULT_LIMIT;

/// The beginnings of ids of models, and the highest limit that they accept, in tokens.
const LENGTHS: [(&str, u64); 14] = [
    ("gpt-5-chat", 16_384),
    ("gpt-5.1-chat", 16_384),
    ("gpt-5.2-chat", 16_384),
    ("gpt-5", 128_000),
    ("gpt-4.1", 32_768),
    ("gpt-4o-2024-05-13", 4096),
    ("gpt-4o", 16_384),
    ("o1-mini", 65_536),
    ("o1-preview", 32_768),
    ("o1", 100_000),
    ("o3", 100_000),
    ("o4-mini", 100_000),
    ("gemini-2.5-flash-image", 32_768),
    ("gemini-2.5", 65_535),
];

/// The highest limit on the length of an answer, in tokens, that the model accepts. `None` for models whose requests
/// always have a limit.
pub(crate) fn longest_answer(model_id: &str) -> Option<u64> {
    let known = LENGTHS.iter().find(|(start, _)| model_id.starts_with(start));
    (!model_id.starts_with("claude")).then(|| known.map_or(MAX_DEFAULT_LIMIT, |(_, length)| *length))
}
