//! Encodes requests of Gemini.

use serde_json::{Map, Value, json};

use super::{contents, format, schema, thinking, tools};
use crate::wire::{
    EncodedRequest, KnownOptions, UnsupportedContent,
    provider_tools::Tools,
    settings::{SettingNames, Warnings, put_settings},
    tier,
    values::{copy_options, options_of, put, set_option},
};
use lmthing_base::chat::{ModelRequest, ToolChoice, ToolSpec};

const SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("maxOutputTokens"),
    temperature: Some("temperature"),
    top_p: Some("topP"),
    top_k: Some("topK"),
    stop_sequences: Some("stopSequences"),
    seed: Some("seed"),
    presence_penalty: Some("presencePenalty"),
    frequency_penalty: Some("frequencyPenalty"),
};

const GENERATION_OPTIONS: [(&str, &str); 5] = [
    ("thinkingConfig", "thinkingConfig"),
    ("responseModalities", "responseModalities"),
    ("mediaResolution", "mediaResolution"),
    ("imageConfig", "imageConfig"),
    ("audioTimestamp", "audioTimestamp"),
];

const OPTIONS: [(&str, &str); 4] = [
    ("safetySettings", "safetySettings"),
    ("cachedContent", "cachedContent"),
    ("labels", "labels"),
    ("continuationToken", "continuationToken"),
];

const GEMINI_OPTIONS: [(&str, &str); 1] = [("serviceTier", "serviceTier")];

/// Options of Vertex AI that are headers.
const VERTEX_HEADERS: [(&str, &str); 2] =
    [("sharedRequestType", tier::VERTEX_HEADER), ("requestType", "x-vertex-ai-llm-request-type")];

const OTHERS: &[&str] = &["retrievalConfig", "structuredOutputs", "threshold"];

/// The categories that have a threshold.
const HARMS: [&str; 4] = ["HATE_SPEECH", "DANGEROUS_CONTENT", "HARASSMENT", "SEXUALLY_EXPLICIT"];

pub(super) fn known_options(names: &'static [&'static str]) -> KnownOptions {
    let tables: &[&[(&str, &str)]] = if names.contains(&"vertex") {
        &[&GENERATION_OPTIONS, &OPTIONS, &VERTEX_HEADERS]
    } else {
        &[&GENERATION_OPTIONS, &OPTIONS, &GEMINI_OPTIONS]
    };
    KnownOptions { names, tables, others: OTHERS }
}

pub(super) fn encode(
    request: &ModelRequest,
    model_id: &str,
    option_names: &[&str],
) -> Result<EncodedRequest, UnsupportedContent> {
    let mut warnings = Warnings::default();
    let options = options_of(&request.settings.provider_options, option_names);

    let tools = tools::choose(request, option_names, model_id, &mut warnings)?;
    let mut generation = Map::new();
    put_settings(&mut generation, &request.settings, &SETTINGS, &mut warnings);
    copy_options(options, &GENERATION_OPTIONS, &mut generation);
    format::put(&mut generation, request, model_id, options);
    thinking::put_thinking(&mut generation, &request.settings, model_id, &mut warnings);

    let gemma = model_id.to_ascii_lowercase().starts_with("gemma-");
    let conversation = contents::convert(&request.messages, gemma, option_names)?;
    let mut body = Map::new();
    // Sent even if empty, like in the TypeScript version.
    body.insert("generationConfig".into(), generation.into());
    body.insert("contents".into(), conversation.contents.into());
    if !conversation.system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": conversation.system }));
    }
    put_options(&mut body, options);
    let mut headers = Vec::new();
    if option_names.contains(&"vertex") {
        headers.extend(VERTEX_HEADERS.iter().filter_map(|(option, header)| {
            let value = set_option(options, option)?.as_str()?;
            Some((*header, value.to_owned()))
        }));
    } else {
        copy_options(options, &GEMINI_OPTIONS, &mut body);
    }
    put_tools(&mut body, &tools, option_names[0], request.settings.tool_choice.as_ref(), options);
    Ok(EncodedRequest { path: path(model_id), headers, body: Value::Object(body), warnings: warnings.into_vec() })
}

fn put_options(body: &mut Map<String, Value>, options: Option<&Map<String, Value>>) {
    if let Some(threshold) = set_option(options, "threshold") {
        let settings =
            HARMS.iter().map(|harm| json!({ "category": format!("HARM_CATEGORY_{harm}"), "threshold": threshold }));
        body.insert("safetySettings".into(), settings.collect());
    }
    copy_options(options, &OPTIONS, body);
}

/// `models/{model}`, or the id itself if it has a slash (`tunedModels/x`).
fn path(model_id: &str) -> String {
    let model = if model_id.contains('/') { model_id.to_owned() } else { format!("models/{model_id}") };
    format!("/{model}:streamGenerateContent?alt=sse")
}

fn put_tools(
    body: &mut Map<String, Value>,
    tools: &Tools<'_>,
    provider: &str,
    choice: Option<&ToolChoice>,
    options: Option<&Map<String, Value>>,
) {
    let retrieval = options.and_then(|options| options.get("retrievalConfig"));
    let mut config = Map::new();
    let mut wire: Vec<Value> = tools.provided.iter().map(|tool| tool.wire.clone()).collect();
    // Vertex AI does not know this field.
    if provider == "google" && !wire.is_empty() && tools.is_mixed() {
        config.insert("includeServerSideToolInvocations".into(), true.into());
    }
    if !tools.functions.is_empty() {
        let declarations: Vec<Value> = tools.functions.iter().map(declaration).collect();
        wire.push(json!({ "functionDeclarations": declarations }));
        let calling = match choice.unwrap_or(&ToolChoice::Auto) {
            // The service refuses `AUTO` together with tools of its own.
            ToolChoice::Auto if tools.is_mixed() => json!({ "mode": "VALIDATED" }),
            ToolChoice::Auto => json!({ "mode": "AUTO" }),
            ToolChoice::Required => json!({ "mode": "ANY" }),
            ToolChoice::None => json!({ "mode": "NONE" }),
            ToolChoice::Tool(name) if tools.provided(name).is_some() => json!({ "mode": "VALIDATED" }),
            ToolChoice::Tool(name) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
        };
        config.insert("functionCallingConfig".into(), calling);
    }
    if !wire.is_empty() {
        body.insert("tools".into(), wire.into());
    }
    put(&mut config, "retrievalConfig", retrieval.cloned());
    if !config.is_empty() {
        body.insert("toolConfig".into(), config.into());
    }
}

fn declaration(tool: &ToolSpec) -> Value {
    let mut wire = Map::new();
    wire.insert("name".into(), tool.name.clone().into());
    let (description, arguments) = schema::of_tool(&tool.description, &tool.input_schema);
    wire.insert("description".into(), description.into());
    if let Some((field, schema)) = arguments {
        wire.insert(field.into(), schema);
    }
    Value::Object(wire)
}
