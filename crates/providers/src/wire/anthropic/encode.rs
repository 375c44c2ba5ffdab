//! Encodes requests of the Messages API.

use serde_json::{Map, Value, json};

use super::{
    cache, format, messages, models, options,
    thinking::{Plan, drop_refused_sampling, put_effort, within_limits},
    tools,
};
use crate::wire::{
    EncodedRequest, UnsupportedContent,
    provider_tools::Tools,
    settings::{SettingNames, Warnings, clamp_temperature, drop_sampling, put_settings},
    tool_schema,
    values::{options_of, put},
};
use lmthing_base::chat::{CallSettings, ModelRequest, ToolChoice, ToolSpec};

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

pub(super) fn encode(request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
    let mut warnings = Warnings::default();
    let options = options_of(&request.settings.provider_options, &["anthropic"]);
    let model = models::model(model_id);
    let mut betas = Vec::new();

    let tools = tools::choose(request, model_id, model)?;
    let mut body = Map::new();
    body.insert("model".into(), model_id.into());
    put_call_settings(&mut body, &request.settings, model, options, &mut warnings);
    let send_reasoning = options.and_then(|options| options.get("sendReasoning")) != Some(&Value::Bool(false));
    let conversation = messages::convert(&request.messages, send_reasoning, &mut betas, &mut warnings)?;
    if !conversation.system.is_empty() {
        body.insert("system".into(), conversation.system.into());
    }
    body.insert("messages".into(), conversation.messages.into());
    // Only the first model with an effort needs the header, and only requests with an explicit effort reach it this
    // way.
    if options.and_then(|options| options.get("effort")).is_some_and(|effort| !effort.is_null()) {
        betas.push("effort-2025-11-24");
    }
    if let Some(user) = options.and_then(|options| options.get("metadata")).and_then(|value| value.get("userId")) {
        body.insert("metadata".into(), json!({ "user_id": user }));
    }
    // Without this header, arguments arrive at once at the end.
    if options.and_then(|options| options.get("toolStreaming")) != Some(&Value::Bool(false)) {
        betas.push("fine-grained-tool-streaming-2025-05-14");
    }
    if !tools.functions.is_empty() && model.structured_outputs {
        betas.push("structured-outputs-2025-11-13");
    }
    put_tools(&mut body, &tools, request.settings.tool_choice.as_ref(), options);
    betas.extend(tools::betas(&body));
    let mut more_betas = Vec::new();
    options::put(&mut body, options, &mut more_betas);
    body.insert("stream".into(), true.into());
    format::put(&mut body, request, model_id, options);
    cache::mark(&mut body, &request.settings, model_id, &mut warnings);

    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",")));
    }
    let warnings = warnings.into_vec();
    let mut encoded = EncodedRequest { path: "/messages".into(), headers, body: Value::Object(body), warnings };
    more_betas.iter().for_each(|beta| encoded.add_beta(beta));
    Ok(encoded)
}

fn put_call_settings(
    body: &mut Map<String, Value>,
    settings: &CallSettings,
    model: models::Model,
    options: Option<&Map<String, Value>>,
    warnings: &mut Warnings,
) {
    let mut plan =
        Plan::of_options(options, model, warnings).unwrap_or_else(|| Plan::of_setting(settings, model, warnings));
    let mut settings = settings.clone();
    settings.temperature = clamp_temperature(settings.temperature, "anthropic", warnings);
    if plan.thinks() {
        drop_sampling(&mut settings, ["temperature", "topK", "topP"], "when thinking is enabled", warnings);
    } else {
        // Older models accept both, but Anthropic advises against it.
        drop_refused_sampling(&mut settings, models::Model { temperature_with_top_p: false, ..model }, warnings);
    }
    let answer = settings.max_output_tokens;
    let max_tokens = max_tokens(answer, plan.budget, model, warnings);
    let max_tokens = within_limits(max_tokens, &settings, &mut plan.budget);
    settings.max_output_tokens = Some(max_tokens);
    put_effort(body, plan.effort.take());
    put(body, "thinking", plan.into_thinking(max_tokens, answer, warnings));
    put_settings(body, &settings, &SETTINGS, warnings);
}

/// The limit is required and includes thinking, while that of the settings does not.
fn max_tokens(asked: Option<u64>, budget: Option<u64>, model: models::Model, warnings: &mut Warnings) -> u64 {
    let max_tokens = asked.unwrap_or(model.max_tokens).saturating_add(budget.unwrap_or_default());
    // The limit of an unknown model is a guess, so the requested one is sent.
    if !model.known || max_tokens <= model.max_tokens {
        return max_tokens;
    }
    if asked.is_some() {
        let limit = model.max_tokens;
        warnings.changed("maxOutputTokens", format!("{max_tokens} is above the model's limit; {limit} was used"));
    }
    model.max_tokens
}

fn put_tools(
    body: &mut Map<String, Value>,
    tools: &Tools<'_>,
    choice: Option<&ToolChoice>,
    options: Option<&Map<String, Value>>,
) {
    // The provider's own first, as the last tool gets the mark of the prompt cache.
    let provided = tools.provided.iter().map(|tool| tool.wire.clone());
    let wire: Vec<Value> = provided.chain(tools.functions.iter().map(tool)).collect();
    if wire.is_empty() || choice == Some(&ToolChoice::None) {
        return;
    }
    body.insert("tools".into(), wire.into());
    let mut choice = match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::Auto | ToolChoice::None => json!({ "type": "auto" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Tool(name) => json!({ "type": "tool", "name": tools.forced_name(name) }),
    };
    if let Some(disable) = options.and_then(|options| options.get("disableParallelToolUse")) {
        choice["disable_parallel_tool_use"] = disable.clone();
    }
    body.insert("tool_choice".into(), choice);
}

fn tool(tool: &ToolSpec) -> Value {
    let mut wire = Map::new();
    wire.insert("name".into(), tool.name.clone().into());
    let (description, schema) = tool_schema::described(&tool.description, &tool.input_schema, &tool_schema::ANTHROPIC);
    put(&mut wire, "description", (!description.is_empty()).then_some(description));
    wire.insert("input_schema".into(), schema);
    put(&mut wire, "cache_control", messages::cache_control(tool.provider_options.as_ref()).cloned());
    Value::Object(wire)
}
