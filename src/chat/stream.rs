//! The pieces a model's answer arrives in; names and shapes are the AI SDK's, as `fullSteps` shows them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ProviderOptions;

/// One piece of a streamed answer, in the order the provider sent it; `prompt.fullSteps[i].output` is a list of these.
///
/// A well-formed stream is `StreamStart`, any number of parts, `Finish`. Text, reasoning and tool inputs come in blocks
/// with an id of their own; blocks may interleave. `ToolCall` is complete and is what the step loop acts on.
/// `provider_metadata` is what the provider wants back with the part, such as a signature, under its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum StreamPart {
    /// The first part; says what of the request the provider does not take. A further one may bring a warning that could
    /// only be given later.
    StreamStart { warnings: Vec<CallWarning> },
    /// What the provider says about its answer, possibly in several pieces.
    ResponseMetadata(ResponseMetadata),
    /// A block of text begins.
    TextStart {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// More text of a block.
    TextDelta {
        id: String,
        delta: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// A block of text is complete.
    TextEnd {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// A block of what the model thought begins.
    ReasoningStart {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// More of what it thought.
    ReasoningDelta {
        id: String,
        delta: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// A block of reasoning is complete; its signature, if any, is in the metadata.
    ReasoningEnd {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// The arguments of a call begin to arrive.
    ToolInputStart { id: String, tool_name: String },
    /// More text of the arguments.
    ToolInputDelta { id: String, delta: String },
    /// The arguments have arrived; the call itself follows.
    ToolInputEnd { id: String },
    /// A complete call.
    ToolCall {
        tool_call_id: String,
        tool_name: String,
        /// The arguments as JSON text, exactly as the model wrote them; empty means `{}`.
        input: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
    /// A file the model made; `data` is base64.
    File { media_type: String, data: String },
    /// A failure the provider reported inside the stream; the run ends with it, what was streamed stays.
    Error { error: Value },
    /// The last part.
    Finish {
        finish_reason: FinishReason,
        usage: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderOptions>,
    },
}

/// A setting or part the provider does not take and that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallWarning {
    /// `unsupported-setting` or `other`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The setting, by its name in `config.options`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    /// What happened, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// What the provider said about its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseMetadata {
    /// The provider's name for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered; often a version of the one asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// Unix time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    /// The headers of the HTTP response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<std::collections::BTreeMap<String, String>>,
}

/// Why a step's answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// The model had said all.
    Stop,
    /// The answer reached the limit on tokens.
    Length,
    /// The provider held the rest back.
    ContentFilter,
    /// The model waits for results.
    ToolCalls,
    /// The provider failed.
    Error,
    /// Anything else, or nothing was said.
    #[default]
    Other,
}

/// Tokens of one step or of a run; what the provider did not say is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    // Optional, not 0: a count that a provider keeps to itself is not a count of nothing.
    /// Cached tokens included.
    pub input_tokens: Option<u64>,
    /// Reasoning tokens included.
    pub output_tokens: Option<u64>,
    /// Both together, or what the provider counts.
    pub total_tokens: Option<u64>,
    /// The part of the output that was reasoning.
    pub reasoning_tokens: Option<u64>,
    /// The part of the input that came from the provider's cache.
    pub cached_input_tokens: Option<u64>,
    /// The part of the input that was written to the cache, which most providers do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
}

impl Usage {
    /// Usage from the two main counts; the total is their sum when both are known.
    pub fn new(input_tokens: Option<u64>, output_tokens: Option<u64>) -> Self {
        let total_tokens = input_tokens.zip(output_tokens).map(|(input, output)| input + output);
        Usage { input_tokens, output_tokens, total_tokens, ..Usage::default() }
    }

    /// The sum of two usages; a count is unknown only where both are.
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
        }
    }
}

/// The highest count that a float holds exactly; nobody has counted that far.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

/// A count of tokens as some providers report it, in floating point: rounded. What is no count is unknown.
pub fn whole_count(number: f64) -> Option<u64> {
    // In range by the check, which not-a-number does not pass.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (0.0..=MAX_COUNT).contains(&number).then(|| number.round() as u64)
}

/// The same from JSON, where it may also stand as text.
pub fn token_count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_f64().and_then(whole_count),
        Value::String(text) => text.trim().parse().ok().and_then(whole_count),
        _ => None,
    }
}
