//! Ends of answers that are failures (docs/reference/errors.md#ends-of-answers).

use super::{ProviderError, ProviderErrorKind};
use lmthing_base::chat::{Ending, FinishReason, StreamPart};

const REFUSED: &str = "The answer was refused or held back";

const BROKE_OFF: &str = "The answer broke off with an error of the provider";

/// Follows an answer, to tell a failure from an answer when it has ended.
#[derive(Clone, Debug, Default)]
pub struct AnswerEnd {
    has_content: bool,
    has_calls: bool,
    finish_reason: Option<FinishReason>,
    ending: Option<Ending>,
}

impl AnswerEnd {
    pub fn add(&mut self, part: &StreamPart) {
        match part {
            StreamPart::TextDelta { delta, .. } => self.has_content |= !delta.trim().is_empty(),
            StreamPart::File { .. } => self.has_content = true,
            StreamPart::ToolCall { provider_executed: false, .. } => self.has_calls = true,
            StreamPart::ResponseMetadata(metadata) if metadata.ending.is_some() => {
                self.ending.clone_from(&metadata.ending);
            }
            StreamPart::Finish { finish_reason, .. } => self.finish_reason = Some(*finish_reason),
            _ => {}
        }
    }

    /// Whether the user has seen something of the answer, or a call of it runs here. Thoughts do not count.
    pub fn is_visible(&self) -> bool {
        self.has_content || self.has_calls
    }

    /// What happened to the answer, in the words of its provider, if it was refused, held back or broken off.
    pub fn problem(&self) -> Option<String> {
        let what = match self.finish_reason? {
            FinishReason::ContentFilter => REFUSED,
            FinishReason::Error => BROKE_OFF,
            FinishReason::Other if self.ending.is_some() => REFUSED,
            _ => return None,
        };
        let word = if self.finish_reason == Some(FinishReason::Error) { "error" } else { "content-filter" };
        let unsaid = || format!("{what} (finish reason {word})");
        Some(self.ending.as_ref().map_or_else(unsaid, |ending| ending.sentence(what)))
    }

    /// The failure that the answer is: it broke off, so that calls in it may be incomplete as well, or it was refused before
    /// anything of it was visible.
    pub fn failure(&self, provider: &str, model_id: &str) -> Option<ProviderError> {
        let broke_off = self.finish_reason == Some(FinishReason::Error);
        if self.is_visible() && !broke_off {
            return None;
        }
        let kind = if broke_off { ProviderErrorKind::Stream } else { ProviderErrorKind::ContentFilter };
        let error = ProviderError::new(kind, provider, model_id, self.problem()?);
        Some(if broke_off { error } else { error.with_hint(REFUSAL_ADVICE) })
    }
}

const REFUSAL_ADVICE: &str = "Trying again rarely helps. Word the prompt differently, or name a list of models: the next one answers when one refuses.";

#[cfg(test)]
mod tests {
    use super::*;
    use lmthing_base::chat::{ResponseMetadata, Usage};

    fn end(text: &str, finish_reason: FinishReason, ending: Option<&str>) -> AnswerEnd {
        let mut end = AnswerEnd::default();
        let ending = ending.map(|reason| Ending { reason: reason.into(), ..Ending::default() });
        end.add(&StreamPart::ReasoningDelta { id: "0".into(), delta: "Hm.".into(), provider_metadata: None });
        end.add(&StreamPart::TextDelta { id: "1".into(), delta: text.into(), provider_metadata: None });
        end.add(&StreamPart::ResponseMetadata(ResponseMetadata { ending, ..ResponseMetadata::default() }));
        let usage = Usage::default();
        end.add(&StreamPart::Finish { finish_reason, usage, is_paused: false, provider_metadata: None });
        end
    }

    #[test]
    fn a_refusal_without_visible_text_is_a_failure() {
        let failure = |end: AnswerEnd| end.failure("lab", "m").map(|error| (error.kind, error.message));
        let refused = end("\n", FinishReason::ContentFilter, Some("SAFETY"));
        let message = "The answer was refused or held back (SAFETY)".to_owned();
        assert_eq!(failure(refused), Some((ProviderErrorKind::ContentFilter, message)));
        assert!(failure(end("", FinishReason::Other, Some("OTHER"))).is_some());
        assert!(failure(end("", FinishReason::ContentFilter, None)).is_some());
        assert_eq!(failure(end("", FinishReason::Other, None)), None);
        assert_eq!(failure(end("", FinishReason::Stop, None)), None);
        let with_text = end("Hi", FinishReason::ContentFilter, Some("refusal"));
        assert!(with_text.problem().is_some_and(|problem| problem.ends_with("(refusal)")));
        assert_eq!(failure(with_text), None);
        let broken = failure(end("Hi", FinishReason::Error, None)).map(|(kind, _)| kind);
        assert_eq!(broken, Some(ProviderErrorKind::Stream));
    }
}
