//! The parts of a streamed answer; names and shapes are the AI SDK's, as `fullSteps` shows them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ProviderOptions, Source};

/// One part of a streamed answer, in the order the provider sent it; `prompt.fullSteps[i].output` is a list of these.
///
/// A well-formed stream is `StreamStart`, any number of parts, `Finish`. Text, reasoning and tool inputs come in blocks
/// with an id of their own; blocks may interleave. `ToolCall` is complete and is what the step loop acts on.
/// `provider_metadata` must be sent back with the part, such as a signature; it is keyed by provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum StreamPart {
    /// The first part, with what the provider ignored of the request. A later one may bring a warning that was not known at
    /// the start.
    StreamStart {
        warnings: Vec<CallWarning>,
    },
    ResponseMetadata(ResponseMetadata),
    TextStart {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    TextDelta {
        id: String,
        delta: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    TextEnd {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    ReasoningStart {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    ReasoningDelta {
        id: String,
        delta: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    ReasoningEnd {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    ToolInputStart {
        id: String,
        tool_name: String,
    },
    ToolInputDelta {
        id: String,
        delta: String,
    },
    ToolInputEnd {
        id: String,
    },
    ToolCall {
        tool_call_id: String,
        tool_name: String,
        /// JSON text exactly as the model wrote it; empty means `{}`.
        input: String,
        /// Whether the provider runs the call itself. Such a call is never run here; its result follows in the stream.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        provider_executed: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// The result of a call that the provider has run itself.
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        result: Value,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// A page or document that the answer is based on. The same one may come again with further citations.
    Source(Source),
    /// A file that the model generated; `data` is base64.
    File {
        media_type: String,
        data: String,
    },
    /// A failure that the provider reported inside the stream. The run ends with it; what was streamed stays.
    Error {
        error: Value,
    },
    Finish {
        finish_reason: FinishReason,
        usage: Usage,
        /// Whether the provider has paused the answer, which goes on when it is sent back (`pause_turn`).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_paused: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
}

/// A setting or part that the provider does not support and that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallWarning {
    /// `unsupported-setting` or `other`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The setting, by its name in `config.options`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseMetadata {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered; often a version of the one that was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// Unix time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<std::collections::BTreeMap<String, String>>,
    /// The service tier that answered, in the provider's own word; prices depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// Why an answer ended that was refused or held back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

/// The end of an answer that was refused or held back, in the provider's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ending {
    /// The finish reason, such as `refusal` or `SAFETY`.
    pub reason: String,
    /// What kind of content it is about, such as `HARM_CATEGORY_HARASSMENT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Ending {
    /// `what (refusal, cyber): I cannot help with that.`
    pub fn sentence(&self, what: &str) -> String {
        let reasons: Vec<&str> = std::iter::once(self.reason.as_str()).chain(self.category.as_deref()).collect();
        let message = self.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
        format!("{what} ({}){message}", reasons.join(", "))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    Stop,
    /// The answer reached the token limit.
    Length,
    ContentFilter,
    ToolCalls,
    Error,
    /// Anything else, or the provider gave no reason.
    #[default]
    Other,
}

/// Token counts of one step or of a run; `None` where the provider gave no count, which is not the same as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Includes cached tokens.
    pub input_tokens: Option<u64>,
    /// Includes reasoning tokens.
    pub output_tokens: Option<u64>,
    /// The provider's count where it gives one, otherwise the sum.
    pub total_tokens: Option<u64>,
    pub reasoning_tokens: Option<u64>,
    pub cached_input_tokens: Option<u64>,
    /// The part of the input that was written to the cache; most providers do not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// The part of them that the cache keeps for an hour, at a higher price.
    #[serde(skip_serializing_if = "is_nothing")]
    pub long_cache_write_tokens: Option<u64>,
    /// Whether the provider states what was read from the cache. Otherwise the count may be a 0 that stands for nothing.
    #[serde(skip)]
    pub has_cache_count: bool,
    /// Searches that the provider has made for the answer and charges for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_searches: Option<u64>,
    /// Whether searches may have been made that are not counted, so that the cost is unknown.
    #[serde(skip)]
    pub has_uncounted_searches: bool,
}

#[allow(clippy::ref_option)] // As serde calls it.
fn is_nothing(count: &Option<u64>) -> bool {
    count.is_none_or(|count| count == 0)
}

impl Usage {
    /// Usage from the two main counts; the total is their sum when both are known.
    pub fn new(input_tokens: Option<u64>, output_tokens: Option<u64>) -> Self {
        let total_tokens = input_tokens.zip(output_tokens).map(|(input, output)| input + output);
        Usage { input_tokens, output_tokens, total_tokens, ..Usage::default() }
    }

    /// The sum of both. A count is unknown only where both are.
    pub fn plus(self, other: Usage) -> Usage {
        fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
            match (a, b) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
            }
        }
        Usage {
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            total_tokens: sum(self.total_tokens, other.total_tokens),
            reasoning_tokens: sum(self.reasoning_tokens, other.reasoning_tokens),
            cached_input_tokens: sum(self.cached_input_tokens, other.cached_input_tokens),
            cache_write_tokens: sum(self.cache_write_tokens, other.cache_write_tokens),
            long_cache_write_tokens: sum(self.long_cache_write_tokens, other.long_cache_write_tokens),
            has_cache_count: self.has_cache_count || other.has_cache_count,
            web_searches: sum(self.web_searches, other.web_searches),
            has_uncounted_searches: self.has_uncounted_searches || other.has_uncounted_searches,
        }
    }
}

/// 2^53, the highest count that a float holds exactly.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

/// A token count that some providers report in floating point, rounded; `None` if it is not a count.
pub fn whole_count(number: f64) -> Option<u64> {
    // In range by the check, which NaN does not pass.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (0.0..=MAX_COUNT).contains(&number).then(|| number.round() as u64)
}

/// Reads a token count, which some providers send as a string.
pub fn token_count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_f64().and_then(whole_count),
        Value::String(text) => text.trim().parse().ok().and_then(whole_count),
        _ => None,
    }
}
