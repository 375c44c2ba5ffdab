//! Encodes requests of the Responses API.

use serde_json::{Map, Value, json};

use super::{input, options, tools};
use crate::wire::{
    EncodedRequest, UnsupportedContent,
    openai_format::{self, takes_schema},
    openai_models::{Kind, kind},
    openai_reasoning::{self, Api, Plan},
    provider_tools::Tools,
    settings::{SettingNames, Warnings, put_settings},
    tool_schema,
    values::{options_of, put, set_option},
};
use lmthing_base::chat::{CallSettings, ModelRequest, ToolChoice};

const SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("max_output_tokens"),
    temperature: Some("temperature"),
    top_p: Some("top_p"),
    top_k: None,
    stop_sequences: None,
    seed: None,
    presence_penalty: None,
    frequency_penalty: None,
};

const XAI_SETTINGS: SettingNames = SettingNames { top_k: Some("top_k"), seed: Some("seed"), ..SETTINGS };

pub(super) fn encode(
    request: &ModelRequest,
    model_id: &str,
    path: &str,
    option_names: &[&str],
) -> Result<EncodedRequest, UnsupportedContent> {
    let mut warnings = Warnings::default();
    let options = options_of(&request.settings.provider_options, option_names);
    let api = if option_names.contains(&"azure") { Api::AzureDeployment } else { Api::Responses };
    let plan = openai_reasoning::plan(api, model_id, &request.settings, options, &mut warnings);
    let reasoning_model = plan.reasons;
    let is_xai = tools::is_xai(option_names);
    let store = options.and_then(|options| options.get("store")) != Some(&Value::Bool(false));

    let tools = tools::choose(request, option_names, model_id, &mut warnings)?;
    let mut body = Map::new();
    body.insert("model".into(), model_id.into());
    // xAI takes no references to stored items.
    let references = store && !is_xai;
    let system_role = openai_reasoning::system_role(options, reasoning_model);
    let input = input::Input { system_role, store: references, option_names, warnings: &mut warnings };
    let mut items = input.items(&request.messages)?;
    if !is_xai {
        options::put_items(&mut items, options);
    }
    body.insert("input".into(), items.into());
    let setting_names = if is_xai { &XAI_SETTINGS } else { &SETTINGS };
    put_settings(&mut body, &request.settings, setting_names, &mut warnings);
    options::put(&mut body, options, is_xai);
    put_output_format(&mut body, &request.settings, model_id, options);
    put_reasoning(&mut body, options, model_id, plan, &mut warnings);
    if (reasoning_model || is_xai) && !store {
        // Items that the service does not store must contain encrypted reasoning.
        options::include(&mut body, "reasoning.encrypted_content");
    }
    put_tools(&mut body, &tools, request.settings.tool_choice.as_ref());
    if let Some(choice) = options::allowed_tools(options.filter(|_| !is_xai), &tools, &mut warnings) {
        body.insert("tool_choice".into(), choice);
    }
    tools::put_max_uses(&mut body, request, option_names[0], &tools);
    body.insert("stream".into(), true.into());
    Ok(EncodedRequest {
        path: path.to_owned(),
        headers: Vec::new(),
        body: Value::Object(body),
        warnings: warnings.into_vec(),
    })
}

fn put_reasoning(
    body: &mut Map<String, Value>,
    options: Option<&Map<String, Value>>,
    model_id: &str,
    plan: Plan,
    warnings: &mut Warnings,
) {
    let mut reasoning = Map::new();
    put(&mut reasoning, "effort", plan.effort);
    for (name, field) in options::REASONING {
        let Some(value) = set_option(options, name) else { continue };
        if !plan.reasons && kind(model_id) == Kind::Plain {
            warnings.changed(name, format!("{name} is not supported for non-reasoning models"));
        } else {
            reasoning.insert(field.into(), value.clone());
        }
    }
    if !reasoning.is_empty() {
        body.insert("reasoning".into(), reasoning.into());
    }
    if plan.takes_sampling {
        return;
    }
    for (key, setting) in [("temperature", "temperature"), ("top_p", "topP")] {
        if body.shift_remove(key).is_some() {
            warnings.changed(setting, format!("{setting} is not supported for reasoning models"));
        }
    }
}

fn put_tools(body: &mut Map<String, Value>, tools: &Tools<'_>, choice: Option<&ToolChoice>) {
    if tools.functions.is_empty() && tools.provided.is_empty() {
        return;
    }
    let mut wire: Vec<Value> = tools
        .functions
        .iter()
        .map(|tool| {
            let mut wire = Map::new();
            wire.insert("type".into(), "function".into());
            wire.insert("name".into(), tool.name.clone().into());
            let (description, schema) =
                tool_schema::described(&tool.description, &tool.input_schema, &tool_schema::OPENAI);
            put(&mut wire, "description", (!description.is_empty()).then_some(description));
            wire.insert("parameters".into(), schema);
            Value::Object(wire)
        })
        .collect();
    wire.extend(tools.provided.iter().map(|tool| tool.wire.clone()));
    body.insert("tools".into(), wire.into());
    let choice = match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::None => json!("none"),
        ToolChoice::Tool(name) => match tools.provided(name) {
            Some(provided) => tools::forced(provided),
            None => json!({ "type": "function", "name": name }),
        },
    };
    body.insert("tool_choice".into(), choice);
}

fn put_output_format(
    body: &mut Map<String, Value>,
    settings: &CallSettings,
    model_id: &str,
    options: Option<&Map<String, Value>>,
) {
    let Some(format) = settings.response_format.as_ref().filter(|_| takes_schema(model_id)) else { return };
    let Some(mut wire) = openai_format::json_schema(format, options) else { return };
    wire.insert("type".into(), "json_schema".into());
    if let Value::Object(text) = body.entry("text").or_insert_with(|| json!({})) {
        text.entry("format").or_insert(wire.into());
    }
}
