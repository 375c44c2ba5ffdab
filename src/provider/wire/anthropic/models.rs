//! What Anthropic's model ids tell about a model.

/// Limits and abilities of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Model {
    /// The default of `max_tokens`; also the limit of known models.
    pub max_tokens: u64,
    pub known: bool,
    pub structured_outputs: bool,
}

/// The first id fragment that matches counts.
const MODELS: [(&str, u64, bool); 10] = [
    ("claude-opus-4-6", 128_000, true),
    ("claude-sonnet-4-5", 64_000, true),
    ("claude-opus-4-5", 64_000, true),
    ("claude-haiku-4-5", 64_000, true),
    ("claude-opus-4-1", 32_000, true),
    ("claude-sonnet-4-", 64_000, false),
    ("claude-3-7-sonnet", 64_000, false),
    ("claude-opus-4-", 32_000, false),
    ("claude-3-5-haiku", 8_192, false),
    ("claude-3-haiku", 4_096, false),
];

/// What is known of a model.
pub(super) fn model(id: &str) -> Model {
    // An unknown id may be of any age: the smallest limit is one that every model takes.
    MODELS.iter().find(|(fragment, ..)| id.contains(fragment)).map_or(
        Model { max_tokens: 4_096, known: false, structured_outputs: false },
        |(_, max_tokens, structured_outputs)| Model {
            max_tokens: *max_tokens,
            known: true,
            structured_outputs: *structured_outputs,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_follow_the_model_id() {
        let limit = |id| (model(id).max_tokens, model(id).known, model(id).structured_outputs);
        assert_eq!(limit("claude-opus-4-6"), (128_000, true, true));
        assert_eq!(limit("claude-sonnet-4-20250514"), (64_000, true, false));
        assert_eq!(limit("claude-opus-4-1-20250805"), (32_000, true, true));
        assert_eq!(limit("claude-opus-4-20250514"), (32_000, true, false));
        assert_eq!(limit("claude-3-5-haiku-latest"), (8_192, true, false));
        assert_eq!(limit("claude-3-5-sonnet-20241022"), (4_096, false, false));
    }
}
