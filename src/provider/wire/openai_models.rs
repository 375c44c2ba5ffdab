//! What OpenAI's model ids tell about a model; shared by the Responses and the chat completions format.

/// Ids that begin like this are reasoning models.
const REASONING: [&str; 5] = ["o1", "o3", "o4-mini", "codex-mini", "computer-use-preview"];

/// Whether a model reasons before it answers: its system role is `developer`, and it takes no sampling settings.
pub(crate) fn is_reasoning_model(model_id: &str) -> bool {
    REASONING.iter().any(|prefix| model_id.starts_with(prefix))
        // The chat variants answer at once.
        || (model_id.starts_with("gpt-5") && !model_id.starts_with("gpt-5-chat"))
}

/// Whether a reasoning model takes sampling settings all the same: gpt-5.1 and gpt-5.2 with effort `none`.
pub(crate) fn takes_sampling_settings(model_id: &str, effort: Option<&str>) -> bool {
    !is_reasoning_model(model_id)
        || (effort == Some("none") && (model_id.starts_with("gpt-5.1") || model_id.starts_with("gpt-5.2")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_models_are_told_by_their_ids() {
        for id in ["o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5.1", "codex-mini-latest", "computer-use-preview"] {
            assert!(is_reasoning_model(id), "{id}");
        }
        for id in ["gpt-4o", "gpt-5-chat-latest", "my-deployment", "chatgpt-4o-latest"] {
            assert!(!is_reasoning_model(id), "{id}");
        }
        assert!(takes_sampling_settings("gpt-5.2", Some("none")));
        assert!(!takes_sampling_settings("gpt-5.2", Some("low")));
        assert!(!takes_sampling_settings("gpt-5", Some("none")));
    }
}
