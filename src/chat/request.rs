//! What a step asks of a model.

use std::{collections::BTreeMap, rc::Rc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Message, ProviderOptions};

/// One request: the whole conversation, the active tools and the settings.
///
/// Messages are shared with the recorded steps, so a long run does not copy its history for every step.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// In order; a system message, if any, comes first.
    pub messages: Vec<Rc<Message>>,
    pub tools: Vec<ToolSpec>,
    pub settings: CallSettings,
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_options: Option<ProviderOptions>,
}

/// Which tools the model may or must call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    Auto,
    Required,
    None,
    Tool(String),
}

/// Call settings of `config.options`; what is unset is left out of the request (SPEC 7, provider facts).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallSettings {
    pub max_output_tokens: Option<u64>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<f64>,
    pub presence_penalty: Option<f64>,
    pub frequency_penalty: Option<f64>,
    pub stop_sequences: Option<Vec<String>>,
    pub seed: Option<i64>,
    pub tool_choice: Option<ToolChoice>,
    /// Further attempts after the first; 2 when unset.
    pub max_retries: Option<u32>,
    /// Extra request headers; they win over the provider's own.
    pub headers: BTreeMap<String, String>,
    pub timeouts: Timeouts,
    pub provider_options: ProviderOptions,
}

/// `options.timeout`; unset fields take the provider's defaults (10 min, 2 min, 1 min).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// The whole call, from the first attempt to the last byte.
    pub total: Option<Duration>,
    /// From the request to the head of the answer.
    pub first_byte: Option<Duration>,
    /// Between two pieces of the answer.
    pub idle: Option<Duration>,
}
