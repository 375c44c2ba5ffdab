//! Arguments of calls that are nearly JSON: mended before anything else reads them (docs/reference/tools.md).

use serde::de::IgnoredAny;

use lmthing_base::chat::{CallWarning, FinishReason, MendedJson, StreamPart, mend_json};

/// Mends the calls in the parts of an answer.
#[derive(Debug, Default)]
pub(super) struct ArgumentMender {
    /// A call whose arguments may have been cut, which only the end of the answer shows, and what follows it.
    held: Vec<StreamPart>,
}

impl ArgumentMender {
    /// Whether the part has to pass through [`ArgumentMender::take`].
    pub(super) fn concerns(&self, part: &StreamPart) -> bool {
        !self.held.is_empty() || broken_arguments(part).is_some()
    }

    /// The parts to continue with.
    pub(super) fn take(&mut self, part: StreamPart) -> Vec<StreamPart> {
        let finish_reason = match &part {
            StreamPart::Finish { finish_reason, .. } => Some(*finish_reason),
            _ => None,
        };
        let waits = broken_arguments(&part).and_then(mend_json).is_some_and(|mended| mended.may_be_cut);
        if !self.held.is_empty() || waits {
            self.held.push(part);
            let is_whole = |reason| matches!(reason, FinishReason::Stop | FinishReason::ToolCalls);
            return finish_reason.map_or_else(Vec::new, |reason| self.release(is_whole(reason)));
        }
        mended(part, false)
    }

    /// The parts that wait, at the end of the answer. It `is_whole` if the provider has said so.
    pub(super) fn release(&mut self, is_whole: bool) -> Vec<StreamPart> {
        std::mem::take(&mut self.held).into_iter().flat_map(|part| mended(part, !is_whole)).collect()
    }
}

fn broken_arguments(part: &StreamPart) -> Option<&str> {
    let StreamPart::ToolCall { input, provider_executed: false, .. } = part else { return None };
    let is_broken = !input.trim().is_empty() && serde_json::from_str::<IgnoredAny>(input).is_err();
    is_broken.then_some(input.as_str())
}

/// The part, with a warning before it if it was mended.
fn mended(mut part: StreamPart, is_cut: bool) -> Vec<StreamPart> {
    let found = broken_arguments(&part).and_then(mend_json).filter(|mended| !(is_cut && mended.may_be_cut));
    let (Some(found), StreamPart::ToolCall { input, tool_name, .. }) = (found, &mut part) else { return vec![part] };
    let warning = warning(tool_name, &found);
    *input = found.text;
    vec![StreamPart::StreamStart { warnings: vec![warning] }, part]
}

fn warning(tool_name: &str, mended: &MendedJson) -> CallWarning {
    let details = format!("the arguments for {tool_name} were not JSON and were mended ({})", mended.describe());
    CallWarning { kind: "other".to_owned(), setting: None, details: Some(details) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmthing_base::chat::Usage;

    fn call(input: &str) -> StreamPart {
        StreamPart::ToolCall {
            tool_call_id: "c".into(),
            tool_name: "t".into(),
            input: input.into(),
            provider_executed: false,
            provider_metadata: None,
        }
    }

    fn inputs(parts: Vec<StreamPart>) -> (Vec<String>, usize) {
        let warnings = parts.iter().filter(|part| matches!(part, StreamPart::StreamStart { .. })).count();
        let input = |part| match part {
            StreamPart::ToolCall { input, .. } => Some(input),
            _ => None,
        };
        (parts.into_iter().filter_map(input).collect(), warnings)
    }

    #[test]
    fn only_broken_arguments_are_mended() {
        let mut mender = ArgumentMender::default();
        for valid in ["", " ", "{ \"a\" : 1.0 }", "[1]", "\"x\"", "{\"a\":\"\\ud800\"}"] {
            assert!(!mender.concerns(&call(valid)), "{valid}");
        }
        assert_eq!(inputs(mender.take(call("{a: 1,}"))), (vec!["{\"a\": 1}".to_owned()], 1));
        assert_eq!(inputs(mender.take(call("{\"a\":"))), (vec!["{\"a\":".to_owned()], 0));
    }

    #[test]
    fn what_may_be_cut_waits_for_the_finish_reason() {
        for (finish_reason, expected, warnings) in [
            (FinishReason::Length, "{\"a\": 12", 0),
            (FinishReason::ContentFilter, "{\"a\": 12", 0),
            (FinishReason::Error, "{\"a\": 12", 0),
            (FinishReason::Other, "{\"a\": 12", 0),
            (FinishReason::Stop, "{\"a\": 12}", 1),
            (FinishReason::ToolCalls, "{\"a\": 12}", 1),
        ] {
            let mut mender = ArgumentMender::default();
            assert_eq!(mender.take(call("{\"a\": 12")), []);
            assert!(mender.concerns(&call("{}")));
            assert_eq!(mender.take(call("{}")), []);
            let (usage, provider_metadata) = (Usage::default(), None);
            let parts = mender.take(StreamPart::Finish { finish_reason, usage, is_paused: false, provider_metadata });
            assert!(matches!(parts.last(), Some(StreamPart::Finish { .. })));
            assert_eq!(inputs(parts), (vec![expected.to_owned(), "{}".to_owned()], warnings));
            assert_eq!(mender.release(false), []);
        }
    }
}
