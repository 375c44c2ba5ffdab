//! The request body of the Messages API.

use serde_json::{Map, Value, json};

use super::{cache, format, messages, models};
use crate::{
    chat::{CallSettings, ModelRequest, ToolChoice, ToolSpec},
    provider::wire::{
        EncodedRequest,
        settings::{SettingNames, Warnings, clamp_temperature, drop_sampling, put_settings},
        values::{options_of, put},
    },
};

const SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("max_tokens"),
    temperature: Some("temperature"),
    top_p: Some("top_p"),
    top_k: Some("top_k"),
    stop_sequences: Some("stop_sequences"),
    seed: None,
    presence_penalty: None,
    frequency_penalty: None,
};

/// Thought tokens when thinking is enabled without a budget.
const DEFAULT_BUDGET: u64 = 1_024;

pub(super) fn encode(request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, String> {
    let mut warnings = Warnings::default();
    let options = options_of(&request.settings.provider_options, &["anthropic"]);
    let model = models::model(model_id);
    let mut betas = Vec::new();

    let mut body = Map::new();
    body.insert("model".into(), model_id.into());
    put_call_settings(&mut body, &request.settings, model, options, &mut warnings);
    let conversation = messages::convert(&request.messages, &mut betas, &mut warnings)?;
    if !conversation.system.is_empty() {
        body.insert("system".into(), conversation.system.into());
    }
    body.insert("messages".into(), conversation.messages.into());
    if let Some(effort) = options.and_then(|options| options.get("effort")).filter(|value| !value.is_null()) {
        body.insert("output_config".into(), json!({ "effort": effort }));
        betas.push("effort-2025-11-24");
    }
    if let Some(user) = options.and_then(|options| options.get("metadata")).and_then(|value| value.get("userId")) {
        body.insert("metadata".into(), json!({ "user_id": user }));
    }
    // Without it arguments arrive in one piece at the end, and nobody sees that something happens.
    if options.and_then(|options| options.get("toolStreaming")) != Some(&Value::Bool(false)) {
        betas.push("fine-grained-tool-streaming-2025-05-14");
    }
    // These models hold a tool's arguments to its schema, if asked to.
    if !request.tools.is_empty() && model.structured_outputs {
        betas.push("structured-outputs-2025-11-13");
    }
    put_tools(&mut body, &request.tools, request.settings.tool_choice.as_ref(), options);
    body.insert("stream".into(), true.into());
    format::put(&mut body, request, model_id);
    cache::mark(&mut body, &request.settings, model_id, &mut warnings);

    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",")));
    }
    let warnings = warnings.into_vec();
    Ok(EncodedRequest { path: "/messages".into(), headers, body: Value::Object(body), warnings })
}

fn put_call_settings(
    body: &mut Map<String, Value>,
    settings: &CallSettings,
    model: models::Model,
    options: Option<&Map<String, Value>>,
    warnings: &mut Warnings,
) {
    let mut settings = settings.clone();
    settings.temperature = clamp_temperature(settings.temperature, "anthropic", warnings);
    let asked = settings.max_output_tokens;
    // The service insists on a limit.
    let mut max_tokens = asked.unwrap_or(model.max_tokens);
    if let Some(budget) = put_thinking(body, options, warnings) {
        // The service counts thoughts as output; the limit of the settings is one for the answer.
        max_tokens = max_tokens.saturating_add(budget);
        drop_sampling(&mut settings, ["temperature", "topK", "topP"], warnings);
    } else if settings.temperature.is_some() && settings.top_p.take().is_some() {
        // The service refuses the two together.
        warnings.changed("topP", "topP is not supported when temperature is set");
    }
    // Of an unknown model the limit is only a guess: what was asked for goes out, and the service decides.
    if model.known && max_tokens > model.max_tokens {
        // The default was chosen here: nobody has to be told that it was cut.
        if asked.is_some() {
            let limit = model.max_tokens;
            warnings.changed("maxOutputTokens", format!("{max_tokens} is above the model's limit; {limit} was used"));
        }
        max_tokens = model.max_tokens;
    }
    settings.max_output_tokens = Some(max_tokens);
    put_settings(body, &settings, &SETTINGS, warnings);
}

/// Lets the model think if it is to; gives the tokens it may think, where they have a limit of their own.
fn put_thinking(
    body: &mut Map<String, Value>,
    options: Option<&Map<String, Value>>,
    warnings: &mut Warnings,
) -> Option<u64> {
    let thinking = options?.get("thinking")?;
    match thinking.get("type").and_then(Value::as_str)? {
        "enabled" => {
            let budget = thinking.get("budgetTokens").and_then(Value::as_u64);
            if budget.is_none() {
                warnings.changed("thinking.budgetTokens", format!("unset; {DEFAULT_BUDGET} was used"));
            }
            let budget = budget.unwrap_or(DEFAULT_BUDGET);
            body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": budget }));
            Some(budget)
        }
        "adaptive" => {
            body.insert("thinking".into(), json!({ "type": "adaptive" }));
            Some(0)
        }
        _ => None,
    }
}

/// Tools and the choice among them; with choice `none` the tools are left out.
fn put_tools(
    body: &mut Map<String, Value>,
    tools: &[ToolSpec],
    choice: Option<&ToolChoice>,
    options: Option<&Map<String, Value>>,
) {
    if tools.is_empty() || choice == Some(&ToolChoice::None) {
        return;
    }
    body.insert("tools".into(), tools.iter().map(tool).collect());
    let mut choice = match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::Auto | ToolChoice::None => json!({ "type": "auto" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Tool(name) => json!({ "type": "tool", "name": name }),
    };
    if let Some(disable) = options.and_then(|options| options.get("disableParallelToolUse")) {
        choice["disable_parallel_tool_use"] = disable.clone();
    }
    body.insert("tool_choice".into(), choice);
}

fn tool(tool: &ToolSpec) -> Value {
    let mut wire = Map::new();
    wire.insert("name".into(), tool.name.clone().into());
    put(&mut wire, "description", (!tool.description.is_empty()).then(|| tool.description.clone()));
    wire.insert("input_schema".into(), tool.input_schema.clone());
    put(&mut wire, "cache_control", messages::cache_control(tool.provider_options.as_ref()).cloned());
    Value::Object(wire)
}
