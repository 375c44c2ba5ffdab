//! Call settings as JSON, by their names in `config.options`.

use serde_json::{Map, Number, Value, json};

use super::{CacheOption, CallSettings, Reasoning, ResponseFormat, ToolChoice};

impl CallSettings {
    /// The settings that are part of a request, without those that are unset. Omits headers, which may hold keys, and time limits
    /// and retries, which the model does not see.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut options = self.provider_options.clone();
        options.values_mut().filter_map(Value::as_object_mut).for_each(|options| drop(options.shift_remove("headers")));
        let all = [
            ("maxOutputTokens", self.max_output_tokens.map(Value::from)),
            ("temperature", self.temperature.map(number)),
            ("topP", self.top_p.map(number)),
            ("topK", self.top_k.map(number)),
            ("presencePenalty", self.presence_penalty.map(number)),
            ("frequencyPenalty", self.frequency_penalty.map(number)),
            ("stopSequences", self.stop_sequences.clone().map(Value::from)),
            ("seed", self.seed.map(Value::from)),
            ("toolChoice", self.tool_choice.as_ref().map(ToolChoice::to_json)),
            ("reasoning", self.reasoning.map(Reasoning::to_json)),
            ("tier", self.tier.map(|tier| tier.name().into())),
            ("cache", self.cache.as_ref().map(CacheOption::to_json)),
            ("responseFormat", self.response_format.as_ref().map(ResponseFormat::to_json)),
            ("providerOptions", (!options.is_empty()).then(|| Value::Object(options))),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

impl ToolChoice {
    /// The form that the AI SDK uses: `"auto"`, `"required"`, `"none"` or `{type: "tool", toolName}`.
    pub fn to_json(&self) -> Value {
        match self {
            ToolChoice::Auto => "auto".into(),
            ToolChoice::Required => "required".into(),
            ToolChoice::None => "none".into(),
            ToolChoice::Tool(name) => json!({ "type": "tool", "toolName": name }),
        }
    }
}

/// A number as JavaScript writes it: whole numbers without a fraction.
pub fn number(value: f64) -> Value {
    const SAFE: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= SAFE {
        #[allow(clippy::cast_possible_truncation)]
        return Value::Number(Number::from(value as i64));
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
