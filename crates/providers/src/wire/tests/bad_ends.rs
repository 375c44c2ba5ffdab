//! Stored answers that were refused, that broke off or that cannot be read.

use super::{
    responses::{Stored, decode, fixture, summary},
    wire,
};
use crate::ProviderErrorKind;
use lmthing_base::chat::FinishReason;

/// Name, wire format, answer, and what is said of its end.
const STORED: [(&str, &str, &[u8], &str); 13] = [
    ("responses refused", "responses", fixture!("responses_refused.sse"), "No (refusal): No charts for smugglers. ⚓"),
    (
        "chat refused",
        "chat",
        fixture!("chat_refused.sse"),
        "No (content_filter, violence): No charts for smugglers. ⚓",
    ),
    (
        "router refused",
        "compatible",
        fixture!("chat_refused.sse"),
        "No (content_filter, violence): No charts for smugglers. ⚓",
    ),
    (
        "anthropic refused",
        "anthropic",
        fixture!("anthropic_refused.sse"),
        "No (refusal, cyber): No charts for smugglers. ⚓",
    ),
    ("google refused", "google", fixture!("google_refused.sse"), "No (SAFETY, HARM_TIDE): No charts for smugglers. ⚓"),
    ("cohere refused", "cohere", fixture!("cohere_refused.sse"), "No (ERROR_TOXIC)"),
    ("bedrock refused", "bedrock", fixture!("bedrock_refused.eventstream"), "No (guardrail_intervened)"),
    ("ollama refused", "ollama", fixture!("ollama_refused.ndjson"), "No (content_filter)"),
    (
        "google malformed",
        "google",
        fixture!("google_malformed.sse"),
        "The model wrote a call that its service cannot read (MALFORMED_FUNCTION_CALL): print(tide(port=Åbo",
    ),
    (
        "bedrock malformed",
        "bedrock",
        fixture!("bedrock_malformed.eventstream"),
        "The model wrote a call that its service cannot read (malformed_tool_use)",
    ),
    (
        "groq malformed",
        "groq",
        fixture!("groq_malformed.sse"),
        "The call cannot be read. The model had written: <tide port=\"Åbo\">",
    ),
    ("cohere timeout", "cohere", fixture!("cohere_timeout.sse"), "The answer broke off (TIMEOUT)"),
    ("mistral error", "mistral", fixture!("mistral_error.sse"), "The answer broke off (error)"),
];

pub(super) fn stored() -> impl Iterator<Item = Stored> {
    STORED.into_iter().map(|(name, format, bytes, _)| (name, wire(format), bytes))
}

#[test]
fn bad_ends_keep_the_text_and_the_words_of_the_provider() {
    for (name, format, bytes, words) in STORED {
        let sum = summary(&decode(wire(format).as_ref(), vec![bytes.to_vec()]));
        let said = format!("{}{}", sum.text, sum.reasoning);
        assert!(said.starts_with("Ebb at noon, flut på kvällen; springtide "), "{name}: {said}");
        assert_eq!(sum.calls, [], "{name}");
        if name.ends_with("refused") {
            assert_eq!(sum.ending.map(|ending| ending.sentence("No")).as_deref(), Some(words), "{name}");
            assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ContentFilter), "{name}");
        } else {
            assert_eq!(sum.finish, None, "{name}");
            assert_eq!(sum.failure, Some((ProviderErrorKind::Stream, words.to_owned())), "{name}");
        }
    }
}
