//! The request that a step sends to a model.

use std::{collections::BTreeMap, rc::Rc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CacheOption, Message, ProviderOptions, ProviderTool, Tier};

/// One request: the whole conversation, the active tools and the settings. Messages are shared with the recorded steps, so a
/// long run does not copy its history for every step.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    pub messages: Vec<Rc<Message>>,
    pub tools: Vec<ToolSpec>,
    pub settings: CallSettings,
    /// Not sent.
    pub place: RequestPlace,
}

/// The place of a request within its run. A run that is repeated with the same answers asks at the same places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestPlace {
    /// The key of the prompt's run (`event::Agent::key`); empty for the file's own prompt.
    pub key: String,
    pub step: usize,
    /// The number of earlier requests of the step. The providers count it for requests that go into batches.
    pub number: usize,
}

/// The definition of a tool that a model receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_options: Option<ProviderOptions>,
    /// Set for a tool that the provider runs, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_tool: Option<ProviderTool>,
}

impl ToolSpec {
    /// Whether calls of the tool can be run by this program.
    pub fn runs_here(&self) -> bool {
        self.provider_tool.as_ref().is_none_or(|tool| tool.has_else)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    Auto,
    Required,
    None,
    Tool(String),
}

/// How much the model should think before it answers (`options.reasoning`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    Off,
    Minimal,
    Low,
    Medium,
    High,
    XHigh,
    Max,
    Tokens(u64),
}

impl Reasoning {
    /// The levels by name.
    pub const LEVELS: [(&str, Reasoning); 7] = [
        ("off", Reasoning::Off),
        ("minimal", Reasoning::Minimal),
        ("low", Reasoning::Low),
        ("medium", Reasoning::Medium),
        ("high", Reasoning::High),
        ("xhigh", Reasoning::XHigh),
        ("max", Reasoning::Max),
    ];

    /// The name of the level; `None` for a budget.
    pub fn level(self) -> Option<&'static str> {
        Reasoning::LEVELS.iter().find(|(_, level)| *level == self).map(|(name, _)| *name)
    }

    /// The level that a budget is nearest to; a level stays as it is.
    #[must_use]
    pub fn nearest_level(self) -> Self {
        match self {
            Reasoning::Tokens(..=4_096) => Reasoning::Low,
            Reasoning::Tokens(..=16_384) => Reasoning::Medium,
            Reasoning::Tokens(_) => Reasoning::High,
            level => level,
        }
    }

    pub fn to_json(self) -> Value {
        match self {
            Reasoning::Tokens(tokens) => json!({ "tokens": tokens }),
            level => level.level().into(),
        }
    }
}

/// Requires an answer that is JSON matching a schema, and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseFormat {
    /// Letters, digits, `_` and `-`, which all providers accept.
    pub name: String,
    pub schema: Value,
}

impl ResponseFormat {
    /// The form that models of the AI SDK receive: `{type: "json", name, schema}`.
    pub fn to_json(&self) -> Value {
        json!({ "type": "json", "name": self.name, "schema": self.schema })
    }
}

/// The options of a provider with any field of its requests.
pub const OWN_FIELDS: [&str; 3] = ["body", "headers", "query"];

/// Call settings of `config.options` (docs/reference/call-settings.md). Unset ones are left out of the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallSettings {
    pub max_output_tokens: Option<u64>,
    /// The output tokens that the limits of the run leave. Not a setting of the author, so recordings and steps omit it.
    pub output_left: Option<u64>,
    /// Whether the answer cannot be ended while it is written, as that of a batch. No setting either.
    pub is_unwatched: bool,
    /// The provider and id of the model whose paused answer the request continues. As the limit above, no setting.
    pub continued_model: Option<(String, String)>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    /// A float because JavaScript has no other number.
    pub top_k: Option<f64>,
    pub presence_penalty: Option<f64>,
    pub frequency_penalty: Option<f64>,
    pub stop_sequences: Option<Vec<String>>,
    pub seed: Option<i64>,
    pub tool_choice: Option<ToolChoice>,
    pub reasoning: Option<Reasoning>,
    pub tier: Option<Tier>,
    pub cache: Option<CacheOption>,
    pub response_format: Option<ResponseFormat>,
    /// Further attempts after the first; 2 when unset.
    pub max_retries: Option<u32>,
    pub headers: BTreeMap<String, String>,
    pub timeouts: Timeouts,
    pub provider_options: ProviderOptions,
}

/// Every model accepts a limit up to here. Models with shorter answers refuse a higher one, so it is not sent unless the author
/// has set it or the model is known to write more; the caller then watches the length of the answer.
pub const MAX_DEFAULT_LIMIT: u64 = 4096;

/// No model writes a longer answer.
const LONGEST_ANSWER: u64 = 128_000;

/// The lowest limit that is sent: OpenAI refuses lower ones.
const MIN_LIMIT: u64 = 16;

impl CallSettings {
    /// The limit of the answer, in tokens, that is sent to the model, after the limits of the run. `most` is the highest
    /// one that the model accepts; `None` if its requests always have one, by [`CallSettings::within_limits`].
    pub fn output_limit(&self, most: Option<u64>) -> Option<u64> {
        match (self.max_output_tokens, self.output_left.map(|left| left.max(MIN_LIMIT))) {
            (Some(wanted), left) => Some(left.map_or(wanted, |left| left.min(wanted))),
            (None, left) => left.and_then(|left| match most {
                Some(most) if self.is_unwatched && left < LONGEST_ANSWER => Some(left.min(most)),
                _ => (left <= MAX_DEFAULT_LIMIT).then_some(left),
            }),
        }
    }

    /// A length that includes reasoning, capped by what the limits of the run leave.
    pub fn within_limits(&self, tokens: u64) -> u64 {
        self.output_left.map_or(tokens, |left| tokens.min(left.max(MIN_LIMIT)))
    }
}

/// `options.timeout`. By default the whole call has no limit, and the other two are five minutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// The whole call, from the first attempt to the last byte, including waits between attempts.
    pub total: Option<Duration>,
    /// From the request to the response headers. A model that thinks for long may send nothing before.
    pub first_byte: Option<Duration>,
    /// Between two chunks of the answer; keep-alive comments count as well.
    pub idle: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_limits_respect_the_remaining_tokens() {
        let limit = |max_output_tokens, output_left| {
            CallSettings { max_output_tokens, output_left, ..CallSettings::default() }.output_limit(Some(8192))
        };
        assert_eq!((limit(None, None), limit(Some(5), None), limit(None, Some(400))), (None, Some(5), Some(400)));
        assert_eq!((limit(Some(500), Some(400)), limit(Some(300), Some(400))), (Some(400), Some(300)));
        assert_eq!((limit(None, Some(3)), limit(None, Some(1_000_000))), (Some(16), None));
        assert_eq!((limit(None, Some(4096)), limit(None, Some(4097))), (Some(4096), None));
        assert_eq!(limit(Some(64_000), Some(50_000)), Some(50_000));
        let unwatched = |left, most| {
            CallSettings { output_left: Some(left), is_unwatched: true, ..CallSettings::default() }.output_limit(most)
        };
        assert_eq!((unwatched(5000, Some(8192)), unwatched(9000, Some(8192))), (Some(5000), Some(8192)));
        assert_eq!((unwatched(200_000, Some(8192)), unwatched(5000, None)), (None, None));
    }
}
