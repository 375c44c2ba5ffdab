//! What a step asks of a model.

use std::{collections::BTreeMap, rc::Rc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Message, ProviderOptions};

/// One request: the whole conversation, the active tools and the settings.
///
/// Messages are shared with the recorded steps, so a long run does not copy its history for every step.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// In order; a system message, if any, comes first.
    pub messages: Vec<Rc<Message>>,
    /// The tools that may be called on this step.
    pub tools: Vec<ToolSpec>,
    /// How the model should answer.
    pub settings: CallSettings,
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// What single providers are told about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_options: Option<ProviderOptions>,
}

/// Which tools the model may or must call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides; what providers do when nothing is said.
    Auto,
    /// It must call at least one.
    Required,
    /// It must not call any.
    None,
    /// It must call this one.
    Tool(String),
}

/// How much the model should think before it answers (`options.reasoning`); each provider has its own words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    /// Not at all, or as little as the model allows.
    Off,
    /// A little.
    Low,
    /// As much as most tasks need.
    Medium,
    /// As much as it takes.
    High,
    /// At most so many tokens; never 0.
    Tokens(u64),
}

impl Reasoning {
    /// As `config.options.reasoning` has it.
    pub fn to_json(self) -> Value {
        match self {
            Reasoning::Off => "off".into(),
            Reasoning::Low => "low".into(),
            Reasoning::Medium => "medium".into(),
            Reasoning::High => "high".into(),
            Reasoning::Tokens(tokens) => json!({ "tokens": tokens }),
        }
    }
}

/// The shape the answer must have: the model writes JSON that matches a schema and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseFormat {
    /// What the shape is called; letters, digits, `_` and `-`, as all providers take it.
    pub name: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

impl ResponseFormat {
    /// As the AI SDK's models are given it: `{type: "json", name, schema}`.
    pub fn to_json(&self) -> Value {
        json!({ "type": "json", "name": self.name, "schema": self.schema })
    }
}

/// Call settings of `config.options` (docs/reference.md, "Call settings"); what is unset is left out of the request, so
/// that the provider's own default holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallSettings {
    /// The longest answer, in tokens.
    pub max_output_tokens: Option<u64>,
    /// What the limits of the run leave for the answer. Not a setting of the author's: recordings and steps do not show it.
    pub output_left: Option<u64>,
    /// How random the answer is; 0 is the least.
    pub temperature: Option<f64>,
    /// Only the likeliest tokens that make up this share are considered.
    pub top_p: Option<f64>,
    /// Only so many of the likeliest tokens are considered. A float, since JavaScript has no other number.
    pub top_k: Option<f64>,
    /// Keeps the model from repeating what it has mentioned.
    pub presence_penalty: Option<f64>,
    /// Keeps the model from repeating the same words.
    pub frequency_penalty: Option<f64>,
    /// Texts that end the answer when the model writes them.
    pub stop_sequences: Option<Vec<String>>,
    /// The same seed gives the same answer, where a provider can do that.
    pub seed: Option<i64>,
    /// Which tools may or must be called.
    pub tool_choice: Option<ToolChoice>,
    /// How much the model should think.
    pub reasoning: Option<Reasoning>,
    /// Whether the beginning of the conversation is marked for the provider's prompt cache; unset means yes.
    pub cache: Option<bool>,
    /// The shape of the answer.
    pub response_format: Option<ResponseFormat>,
    /// Further attempts after the first; 2 when unset.
    pub max_retries: Option<u32>,
    /// Extra request headers; they win over the provider's own.
    pub headers: BTreeMap<String, String>,
    /// How long the provider may take.
    pub timeouts: Timeouts,
    /// Settings that only some providers know.
    pub provider_options: ProviderOptions,
}

/// Up to here every model takes a limit on its answer. A higher one would be refused by those whose answers are shorter, so it
/// is not sent where the author has set none; whoever set it watches the answer.
const LONGEST_SENT: u64 = 4096;

/// Shorter answers are not asked for: OpenAI refuses to make them.
const SHORTEST_SENT: u64 = 16;

impl CallSettings {
    /// The longest answer that the model is told of, after the limits of the run.
    pub fn output_limit(&self) -> Option<u64> {
        match (self.max_output_tokens, self.output_left.map(|left| left.max(SHORTEST_SENT))) {
            (Some(wanted), left) => Some(left.map_or(wanted, |left| left.min(wanted))),
            (None, left) => left.filter(|left| *left <= LONGEST_SENT),
        }
    }

    /// A length with thoughts in it, cut to what the limits of the run leave for both.
    pub fn within_limits(&self, tokens: u64) -> u64 {
        self.output_left.map_or(tokens, |left| tokens.min(left.max(SHORTEST_SENT)))
    }
}

/// `options.timeout`; unset, the whole call has no limit, and the other two are five minutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// The whole call, from the first attempt to the last byte, waits between attempts included.
    pub total: Option<Duration>,
    /// From the request to the head of the answer. A model that thinks for long may send nothing before.
    pub first_byte: Option<Duration>,
    /// Between two pieces of the answer; whatever comes counts, a comment that keeps the connection alive too.
    pub idle: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_cut_to_what_is_left() {
        let limit = |max_output_tokens, output_left| {
            CallSettings { max_output_tokens, output_left, ..CallSettings::default() }.output_limit()
        };
        assert_eq!((limit(None, None), limit(Some(5), None), limit(None, Some(400))), (None, Some(5), Some(400)));
        assert_eq!((limit(Some(500), Some(400)), limit(Some(300), Some(400))), (Some(400), Some(300)));
        assert_eq!((limit(None, Some(3)), limit(None, Some(1_000_000))), (Some(16), None));
        assert_eq!((limit(None, Some(4096)), limit(None, Some(4097))), (Some(4096), None));
        assert_eq!(limit(Some(64_000), Some(50_000)), Some(50_000));
    }
}
