//! Encodes requests of ConverseStream.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::{
    cache, messages,
    reasoning::{Family, Reasoning},
    thinking,
};
use crate::wire::{
    EncodedRequest, UnsupportedContent, anthropic,
    provider_tools::{self, Target, Tools},
    settings::{SettingNames, Warnings, clamp_temperature, put_settings},
    tool_schema,
    values::{options_of, put},
};
use lmthing_base::chat::{CallSettings, ModelRequest, ToolChoice};

const FAMILIES_WITH_OUTPUT_SCHEMA: [&str; 6] =
    ["openai.gpt-oss", "qwen.qwen3", "deepseek.v3", "google.gemma-3", "minimax.", "moonshot"];

const SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("maxTokens"),
    temperature: Some("temperature"),
    top_p: Some("topP"),
    top_k: Some("topK"),
    stop_sequences: Some("stopSequences"),
    seed: None,
    presence_penalty: None,
    frequency_penalty: None,
};

const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

pub(super) fn encode(request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
    let mut warnings = Warnings::default();
    let options = options_of(&request.settings.provider_options, &["bedrock"]);
    let family = Family::of(model_id);
    let tools = provider_tools::choose(request, Target { names: &["bedrock"], model_id }, |_| None)?;
    let tool_config = tool_config(&tools, request.settings.tool_choice.as_ref(), model_id);
    let conversation = messages::convert(&request.messages, tool_config.is_some(), &mut warnings)?;

    let mut fields = Map::new();
    let inference = inference_config(&request.settings, options, model_id, &mut fields, &mut warnings);
    let mut body = Map::new();
    body.insert("system".into(), conversation.system.into());
    body.insert("messages".into(), conversation.messages.into());
    if !fields.is_empty() {
        body.insert("additionalModelRequestFields".into(), fields.into());
    }
    if family == Family::Anthropic {
        // Makes Claude report the stop sequence.
        body.insert("additionalModelResponseFieldPaths".into(), json!(["/delta/stop_sequence"]));
    }
    if !inference.is_empty() {
        body.insert("inferenceConfig".into(), inference.into());
    }
    put_other_options(&mut body, options);
    put(&mut body, "toolConfig", tool_config);
    put_output_format(&mut body, request, model_id, options);
    cache::mark(&mut body, &request.settings, model_id, &mut warnings);
    Ok(EncodedRequest {
        path: format!("/model/{}/converse-stream", utf8_percent_encode(model_id, COMPONENT)),
        headers: Vec::new(),
        body: Value::Object(body),
        warnings: warnings.into_vec(),
    })
}

fn put_output_format(
    body: &mut Map<String, Value>,
    request: &ModelRequest,
    model_id: &str,
    options: Option<&Map<String, Value>>,
) {
    let Some(format) = request.settings.response_format.as_ref() else { return };
    let takes = if model_id.contains("anthropic") {
        anthropic::has_structured_outputs(model_id) && !model_id.contains("opus-4-1")
    } else {
        FAMILIES_WITH_OUTPUT_SCHEMA.iter().any(|family| model_id.contains(family))
    };
    let takes = anthropic::takes_format(options, takes);
    let Some(schema) = anthropic::schema_form(&format.schema).filter(|_| takes) else { return };
    let structure = json!({ "jsonSchema": { "name": format.name, "schema": schema.to_string() } });
    let text_format = json!({ "type": "json_schema", "structure": structure });
    body.entry("outputConfig").or_insert_with(|| json!({ "textFormat": text_format }));
}

fn inference_config(
    settings: &CallSettings,
    options: Option<&Map<String, Value>>,
    model_id: &str,
    fields: &mut Map<String, Value>,
    warnings: &mut Warnings,
) -> Map<String, Value> {
    let family = Family::of(model_id);
    let option = |key: &str| options.and_then(|options| options.get(key)).filter(|value| !value.is_null());
    if let Some(Value::Object(given)) = option("additionalModelRequestFields") {
        fields.extend(given.clone());
    }
    if let Some(betas) = option("anthropicBeta") {
        fields.insert("anthropic_beta".into(), betas.clone());
    }
    let reasoning = Reasoning::of(option("reasoningConfig"));
    let mut settings = settings.clone();
    settings.temperature = clamp_temperature(settings.temperature, "bedrock", warnings);
    let claude = anthropic::models::model(model_id);
    let thinks_by_default = claude.off != anthropic::models::Off::Default;
    reasoning.put_thinking(family, thinks_by_default, fields, &mut settings, warnings);
    reasoning.put_effort(family, fields);
    if option("reasoningConfig").is_none() {
        thinking::put_setting(model_id, family, fields, &mut settings, warnings);
    }
    if family == Family::Anthropic {
        anthropic::thinking::drop_refused_sampling(&mut settings, claude, warnings);
    }
    let mut inference = Map::new();
    put_settings(&mut inference, &settings, &SETTINGS, warnings);
    inference
}

fn put_other_options(body: &mut Map<String, Value>, options: Option<&Map<String, Value>>) {
    for (key, value) in options.into_iter().flatten() {
        match (key.as_str(), value) {
            ("reasoningConfig" | "additionalModelRequestFields" | "anthropicBeta" | "structuredOutputMode", _) => {}
            ("serviceTier", Value::String(tier)) => drop(body.insert(key.clone(), json!({ "type": tier }))),
            _ => drop(body.insert(key.clone(), value.clone())),
        }
    }
}

fn tool_config(tools: &Tools<'_>, choice: Option<&ToolChoice>, model_id: &str) -> Option<Value> {
    if tools.functions.is_empty() && tools.provided.is_empty() {
        return None;
    }
    let choice = match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::None => return None,
        ToolChoice::Auto => json!({ "auto": {} }),
        ToolChoice::Required => json!({ "any": {} }),
        ToolChoice::Tool(name) => json!({ "tool": { "name": name } }),
    };
    let is_nova = model_id.contains("amazon.nova");
    let dialect = if is_nova { &tool_schema::NOVA } else { &tool_schema::ANTHROPIC };
    let functions = tools.functions.iter().flat_map(|tool| {
        let mut spec = Map::new();
        spec.insert("name".into(), tool.name.clone().into());
        let (description, schema) = tool_schema::described(&tool.description, &tool.input_schema, dialect);
        put(&mut spec, "description", (!description.trim().is_empty()).then_some(description));
        spec.insert("inputSchema".into(), json!({ "json": schema }));
        let mark = messages::cache_point(tool.provider_options.as_ref());
        [json!({ "toolSpec": spec })].into_iter().chain(mark)
    });
    let tools: Vec<Value> = functions.chain(tools.provided.iter().map(|tool| tool.wire.clone())).collect();
    Some(json!({ "tools": tools, "toolChoice": choice }))
}
