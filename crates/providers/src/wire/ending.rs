//! How answers end, in the words of all providers (docs/reference/errors.md#ends-of-answers).

use serde_json::Value;

use super::Output;
use crate::ProviderErrorKind;
use lmthing_base::chat::{Ending, FinishReason, ResponseMetadata, StreamPart};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Stop,
    Length,
    ToolCalls,
    /// The model refused, or its answer was held back.
    Refused,
    /// The model wrote a call or an answer that its service cannot read.
    Malformed,
    BrokeOff,
    /// The provider ended the answer for a reason that it does not give.
    Unexplained,
}

/// In lower case. Routers pass on words of the services behind them, so all wires share the table.
const WORDS: &[(Meaning, &[&str])] = &[
    (Meaning::Stop, &["stop", "end_turn", "stop_sequence", "pause_turn", "complete"]),
    (Meaning::Length, &["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"]),
    (Meaning::ToolCalls, &["tool_calls", "tool_call", "tool_use", "function_call"]),
    (
        Meaning::Refused,
        &[
            "refusal",
            "content_filter",
            "content_filtered",
            "guardrail_intervened",
            "sensitive",
            "safety",
            "recitation",
            "blocklist",
            "prohibited_content",
            "spii",
            "language",
            "model_armor",
            "jailbreak",
            "image_safety",
            "image_prohibited_content",
            "image_recitation",
            "error_toxic",
        ],
    ),
    (
        Meaning::Malformed,
        &[
            "malformed_tool_use",
            "malformed_model_output",
            "malformed_function_call",
            "malformed_response",
            "unexpected_tool_call",
            "too_many_tool_calls",
            "missing_thought_signature",
            "tool_use_failed",
        ],
    ),
    (
        Meaning::BrokeOff,
        &[
            "error",
            "timeout",
            "abort",
            "cancelled",
            "user_cancel",
            "network_error",
            "server_error",
            "insufficient_system_resource",
        ],
    ),
    (Meaning::Unexplained, &["finish_reason_unspecified", "image_other", "no_image"]),
];

fn meaning(word: &str) -> Option<Meaning> {
    // Gemini's `OTHER` has no explanation; other providers use that reason for normal ends.
    if word == "OTHER" {
        return Some(Meaning::Unexplained);
    }
    let word = word.to_ascii_lowercase();
    WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(meaning, _)| *meaning)
}

/// What a provider says about the end of an answer.
#[derive(Debug, Default)]
pub(super) struct End {
    word: Option<String>,
    categories: Vec<String>,
    words: String,
    is_refusal: bool,
}

impl End {
    pub(super) fn set_word(&mut self, word: &str) {
        self.word = Some(word.to_owned());
    }

    pub(super) fn is_known(&self) -> bool {
        self.word.is_some()
    }

    /// Marks the answer as refused, for a reason that need not be in the table.
    pub(super) fn refuse(&mut self, word: &str) {
        self.set_word(word);
        self.is_refusal = true;
    }

    /// Whether calls that the answer has not ended may run; those of a refused or broken answer are incomplete.
    pub(super) fn keeps_open_calls(&self) -> bool {
        !matches!(self.finish_reason(), FinishReason::ContentFilter | FinishReason::Error)
    }

    fn is_refusal(&self) -> bool {
        self.is_refusal || self.meaning() == Some(Meaning::Refused)
    }

    pub(super) fn add_category(&mut self, category: &str) {
        let is_word = self.word.as_deref().is_some_and(|word| word.eq_ignore_ascii_case(category));
        if !is_word && !category.is_empty() && !self.categories.iter().any(|known| known == category) {
            self.categories.push(category.to_owned());
        }
    }

    /// Adds the categories for which a filter was applied: `{hate: {filtered: true}}` of Azure, `[{category, blocked:
    /// true}]` of Google.
    pub(super) fn add_filters(&mut self, filters: &Value) {
        let applied =
            |value: &Value| ["filtered", "blocked"].iter().any(|key| value.get(*key) == Some(&Value::Bool(true)));
        match filters {
            Value::Array(list) => list.iter().for_each(|filter| match filter.get("category").and_then(Value::as_str) {
                Some(category) if applied(filter) => self.add_category(category),
                Some(_) => {}
                None => self.add_filters(filter),
            }),
            Value::Object(entries) => entries.iter().for_each(|(name, filter)| match filter {
                filter if applied(filter) => self.add_category(name),
                filter => self.add_filters(filter),
            }),
            _ => {}
        }
    }

    /// Adds words of the model or its service, which are not part of the answer.
    pub(super) fn add_words(&mut self, words: &str) {
        self.words.push_str(words);
    }

    pub(super) fn finish_reason(&self) -> FinishReason {
        match self.meaning() {
            _ if self.is_refusal => FinishReason::ContentFilter,
            Some(Meaning::Stop) => FinishReason::Stop,
            Some(Meaning::Length) => FinishReason::Length,
            Some(Meaning::ToolCalls) => FinishReason::ToolCalls,
            Some(Meaning::Refused) => FinishReason::ContentFilter,
            Some(Meaning::Malformed | Meaning::BrokeOff) => FinishReason::Error,
            Some(Meaning::Unexplained) | None => FinishReason::Other,
        }
    }

    /// Emits a failure if the answer broke off or cannot be read. Nothing else may follow then.
    pub(super) fn fail(&self, out: &mut Output) -> bool {
        let what = match self.meaning() {
            _ if self.is_refusal => return false,
            Some(Meaning::Malformed) => "The model wrote a call that its service cannot read",
            Some(Meaning::BrokeOff) => "The answer broke off",
            _ => return false,
        };
        out.failure(ProviderErrorKind::Stream, self.ending().sentence(what));
        true
    }

    /// Emits the provider's words about a refusal.
    pub(super) fn report(&self, out: &mut Output) {
        if self.is_refusal() || self.meaning() == Some(Meaning::Unexplained) {
            let ending = Some(self.ending());
            out.part(StreamPart::ResponseMetadata(ResponseMetadata { ending, ..ResponseMetadata::default() }));
        }
    }

    fn meaning(&self) -> Option<Meaning> {
        meaning(self.word.as_deref()?)
    }

    fn ending(&self) -> Ending {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ending {
            reason: self.word.clone().unwrap_or_default(),
            category: some(&self.categories.join(", ")),
            message: some(&self.words),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_all_providers_are_known() {
        for (word, reason) in [
            ("end_turn", FinishReason::Stop),
            ("COMPLETE", FinishReason::Stop),
            ("MAX_TOKENS", FinishReason::Length),
            ("TOOL_CALL", FinishReason::ToolCalls),
            ("PROHIBITED_CONTENT", FinishReason::ContentFilter),
            ("MALFORMED_FUNCTION_CALL", FinishReason::Error),
            ("TIMEOUT", FinishReason::Error),
            ("OTHER", FinishReason::Other),
            ("novelty", FinishReason::Other),
        ] {
            let mut end = End::default();
            end.set_word(word);
            assert_eq!(end.finish_reason(), reason, "{word}");
        }
    }

    #[test]
    fn filters_that_were_applied_are_categories() {
        let mut end = End::default();
        end.refuse("content_filter");
        end.add_filters(
            &json!({ "hate": { "filtered": false }, "violence": { "filtered": true, "severity": "high" } }),
        );
        end.add_filters(&json!([{ "category": "X", "blocked": true }, { "category": "Y" }]));
        end.add_words("No.");
        assert_eq!(end.ending().sentence("Refused"), "Refused (content_filter, violence, X): No.");
    }
}
