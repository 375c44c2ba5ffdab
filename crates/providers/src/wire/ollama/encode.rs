//! Encodes requests of Ollama's chat API.

use serde_json::{Map, Value, json};

use super::{messages::messages, options, window::window};
use crate::wire::{
    EncodedRequest,
    chat::function_tool,
    effort::{self, Effort, LOW_TO_HIGH, choose},
    media::UnsupportedContent,
    provider_tools::{self, Target, Tools},
    settings::{SettingNames, Warnings, put_settings},
    values::options_of,
};
use lmthing_base::chat::{CallSettings, ModelRequest, Reasoning, ToolChoice, ToolSpec};

const PARAMETERS: SettingNames = SettingNames {
    max_output_tokens: Some("num_predict"),
    temperature: Some("temperature"),
    top_p: Some("top_p"),
    top_k: Some("top_k"),
    stop_sequences: Some("stop"),
    seed: Some("seed"),
    presence_penalty: Some("presence_penalty"),
    frequency_penalty: Some("frequency_penalty"),
};

pub(super) fn encode(request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
    let mut warnings = Warnings::default();
    let settings = &request.settings;
    let own = options_of(&settings.provider_options, &["ollama"]);
    let mut body = Map::new();
    body.insert("model".into(), model_id.into());
    body.insert("messages".into(), messages(&request.messages, &mut warnings)?.into());
    let tools = provider_tools::choose(request, Target { names: &["ollama"], model_id }, |_| None)?;
    put_tools(&mut body, &tools, settings.tool_choice.as_ref(), &mut warnings);
    body.insert("stream".into(), true.into());
    options::put_fields(own, &mut body);
    put_format(&mut body, settings, own);
    if let Some(reasoning) = settings.reasoning.filter(|_| !body.contains_key("think")) {
        body.insert("think".into(), think(reasoning, model_id, &mut warnings));
    }
    let mut parameters = Map::new();
    put_settings(&mut parameters, settings, &PARAMETERS, &mut warnings);
    options::put_parameters(own, &mut parameters);
    let limit = parameters.get("num_predict").and_then(Value::as_u64);
    let thoughts = thoughts(&body, settings.reasoning);
    parameters.entry("num_ctx").or_insert_with(|| window(&body, limit, thoughts).into());
    body.insert("options".into(), parameters.into());
    Ok(EncodedRequest {
        path: "/api/chat".into(),
        headers: Vec::new(),
        body: Value::Object(body),
        warnings: warnings.into_vec(),
    })
}

/// Ollama has no choice of tools, so those that the model must not call are left out.
fn put_tools(body: &mut Map<String, Value>, tools: &Tools<'_>, choice: Option<&ToolChoice>, warnings: &mut Warnings) {
    let is_sent = |tool: &&ToolSpec| match choice {
        Some(ToolChoice::None) => false,
        Some(ToolChoice::Tool(name)) => tool.name == *name,
        _ => true,
    };
    let functions = tools.functions.iter().filter(is_sent).map(function_tool);
    let tools: Vec<Value> = functions.chain(tools.provided.iter().map(|tool| tool.wire.clone())).collect();
    if tools.is_empty() {
        return;
    }
    if matches!(choice, Some(ToolChoice::Required | ToolChoice::Tool(_))) {
        warnings.changed("toolChoice", "Ollama cannot force a call; the model may answer without one");
    }
    body.insert("tools".into(), tools.into());
}

/// The grammar of a format would keep the model from calling tools.
fn put_format(body: &mut Map<String, Value>, settings: &CallSettings, own: Option<&Map<String, Value>>) {
    let Some(format) = settings.response_format.as_ref() else { return };
    let is_off = own.and_then(|own| own.get("structuredOutputs")) == Some(&json!(false));
    if !is_off && !body.contains_key("tools") {
        body.entry("format").or_insert_with(|| format.schema.clone());
    }
}

/// gpt-oss has levels, other models think or do not.
fn think(reasoning: Reasoning, model_id: &str, warnings: &mut Warnings) -> Value {
    if model_id.contains("gpt-oss") {
        return choose(reasoning, LOW_TO_HIGH, warnings).name().into();
    }
    (Effort::of(reasoning) != Effort::None).into()
}

/// Tokens to expect of thoughts. Ollama takes no budget for them.
fn thoughts(body: &Map<String, Value>, reasoning: Option<Reasoning>) -> u64 {
    match body.get("think") {
        None | Some(Value::Bool(false)) => 0,
        Some(_) => effort::budget(reasoning.unwrap_or(Reasoning::Medium)).unwrap_or(0),
    }
}
