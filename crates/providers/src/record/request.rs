//! Requests as JSON, for recordings and comparisons.

use serde_json::{Map, Value, json};

use crate::wire::values::number;
use lmthing_base::chat::{CallSettings, ModelRequest, Reasoning, ResponseFormat, ToolChoice};

/// Omits headers, timeouts and retries, which the model does not see.
pub(super) fn request_to_json(request: &ModelRequest) -> Value {
    let messages: Vec<Value> =
        request.messages.iter().map(|message| serde_json::to_value(&**message).unwrap_or_default()).collect();
    json!({
        "messages": messages,
        "tools": serde_json::to_value(&request.tools).unwrap_or_default(),
        "settings": settings_to_json(&request.settings),
    })
}

fn settings_to_json(settings: &CallSettings) -> Value {
    let choice = settings.tool_choice.as_ref().map(|choice| match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::None => json!("none"),
        ToolChoice::Tool(name) => json!({ "type": "tool", "toolName": name }),
    });
    let options = &settings.provider_options;
    let all = [
        ("maxOutputTokens", settings.max_output_tokens.map(Value::from)),
        ("temperature", settings.temperature.map(number)),
        ("topP", settings.top_p.map(number)),
        ("topK", settings.top_k.map(number)),
        ("presencePenalty", settings.presence_penalty.map(number)),
        ("frequencyPenalty", settings.frequency_penalty.map(number)),
        ("stopSequences", settings.stop_sequences.clone().map(Value::from)),
        ("seed", settings.seed.map(Value::from)),
        ("toolChoice", choice),
        ("reasoning", settings.reasoning.map(Reasoning::to_json)),
        ("cache", settings.cache.map(Value::from)),
        ("responseFormat", settings.response_format.as_ref().map(ResponseFormat::to_json)),
        ("providerOptions", (!options.is_empty()).then(|| Value::Object(options.clone()))),
    ];
    let set = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(set.collect::<Map<String, Value>>())
}
