//! Settings and provider options of chat completions.

use serde_json::{Map, Value};

use super::{dialect::Dialect, hosts, reasoning, server::Server};
use crate::wire::{
    KnownOptions,
    openai_reasoning::{self, Api, Plan},
    settings::{SettingNames, Warnings, put_settings},
    values::{self, copy_options, options_of},
};
use lmthing_base::chat::ModelRequest;

const CHAT_SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("max_tokens"),
    temperature: Some("temperature"),
    top_p: Some("top_p"),
    top_k: None,
    stop_sequences: Some("stop"),
    seed: Some("seed"),
    presence_penalty: Some("presence_penalty"),
    frequency_penalty: Some("frequency_penalty"),
};

const MISTRAL_SETTINGS: SettingNames = SettingNames {
    max_output_tokens: Some("max_tokens"),
    temperature: Some("temperature"),
    top_p: Some("top_p"),
    top_k: None,
    stop_sequences: None,
    seed: Some("random_seed"),
    presence_penalty: None,
    frequency_penalty: None,
};

const OPENAI_OPTIONS: [(&str, &str); 15] = [
    ("logitBias", "logit_bias"),
    ("user", "user"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("textVerbosity", "verbosity"),
    ("maxCompletionTokens", "max_completion_tokens"),
    ("store", "store"),
    ("metadata", "metadata"),
    ("prediction", "prediction"),
    ("reasoningEffort", "reasoning_effort"),
    ("serviceTier", "service_tier"),
    ("promptCacheKey", "prompt_cache_key"),
    ("promptCacheOptions", "prompt_cache_options"),
    ("promptCacheRetention", "prompt_cache_retention"),
    ("safetyIdentifier", "safety_identifier"),
    ("topLogprobs", "top_logprobs"),
];

const GROQ_OPTIONS: [(&str, &str); 5] = [
    ("reasoningFormat", "reasoning_format"),
    ("reasoningEffort", "reasoning_effort"),
    ("serviceTier", "service_tier"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("user", "user"),
];

const MISTRAL_OPTIONS: [(&str, &str); 7] = [
    ("safePrompt", "safe_prompt"),
    ("documentImageLimit", "document_image_limit"),
    ("documentPageLimit", "document_page_limit"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("reasoningEffort", "reasoning_effort"),
    ("promptCacheKey", "prompt_cache_key"),
    ("promptMode", "prompt_mode"),
];

const COMPATIBLE_OPTIONS: [(&str, &str); 3] =
    [("reasoningEffort", "reasoning_effort"), ("user", "user"), ("textVerbosity", "verbosity")];

const OPENAI_OTHERS: &[&str] =
    &["logprobs", "structuredOutputs", "strictJsonSchema", "forceReasoning", "systemMessageMode"];

/// Options of lmthing about the output schema.
const SCHEMA_OPTIONS: &[&str] = &["structuredOutputs", "strictJsonSchema"];

const AZURE_NAMES: [&str; 2] = ["azure", "openai"];

fn names(dialect: &Dialect, server: Server) -> Vec<&str> {
    match dialect {
        Dialect::OpenAi if server == Server::Azure => AZURE_NAMES.to_vec(),
        Dialect::Compatible(name) => vec![name, "openaiCompatible", "openai-compatible"],
        dialect => vec![dialect.name()],
    }
}

/// The provider's options. For compatible servers, those of all keys are merged.
pub(super) fn of_provider(request: &ModelRequest, dialect: &Dialect, server: Server) -> Map<String, Value> {
    let all = &request.settings.provider_options;
    let names = names(dialect, server);
    match dialect {
        Dialect::Compatible(_) => {
            let blocks = names.iter().rev().filter_map(|name| options_of(all, &[*name]));
            blocks.flatten().map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        _ => options_of(all, &names).cloned().unwrap_or_default(),
    }
}

pub(super) fn known(dialect: &Dialect, server: Server) -> Option<KnownOptions> {
    let known = |names, tables, others| Some(KnownOptions { names, tables, others });
    match dialect {
        Dialect::OpenAi if server == Server::Azure => known(&AZURE_NAMES, &[&OPENAI_OPTIONS], OPENAI_OTHERS),
        Dialect::OpenAi => known(&["openai"], &[&OPENAI_OPTIONS], OPENAI_OTHERS),
        Dialect::Groq => known(&["groq"], &[&GROQ_OPTIONS], SCHEMA_OPTIONS),
        Dialect::Mistral => known(&["mistral"], &[&MISTRAL_OPTIONS], SCHEMA_OPTIONS),
        Dialect::Compatible(_) => None,
    }
}

/// Returns the role of system messages.
pub(super) fn put(
    body: &mut Map<String, Value>,
    request: &ModelRequest,
    model_id: &str,
    (dialect, server): (&Dialect, Server),
    warnings: &mut Warnings,
) -> Option<&'static str> {
    let settings = &request.settings;
    let setting_names = if *dialect == Dialect::Mistral { &MISTRAL_SETTINGS } else { &CHAT_SETTINGS };
    put_settings(body, settings, setting_names, warnings);
    let all = &settings.provider_options;
    match dialect {
        Dialect::OpenAi => {
            let options = options_of(all, &names(dialect, server));
            copy_options(options, &OPENAI_OPTIONS, body);
            put_logprobs(body, options);
            let api = if server == Server::Azure { Api::AzureDeployment } else { Api::Chat };
            let plan = openai_reasoning::plan(api, model_id, settings, options, warnings);
            values::put(body, "reasoning_effort", plan.effort.clone());
            adapt_to_reasoning_model(body, model_id, &plan, warnings);
            return openai_reasoning::system_role(options, plan.reasons);
        }
        Dialect::Groq => {
            copy_options(options_of(all, &["groq"]), &GROQ_OPTIONS, body);
            reasoning::put_groq(body, settings.reasoning, model_id, warnings);
        }
        Dialect::Mistral => {
            copy_options(options_of(all, &["mistral"]), &MISTRAL_OPTIONS, body);
            reasoning::put_mistral(body, settings.reasoning, model_id, warnings);
        }
        Dialect::Compatible(_) => {
            for name in names(dialect, server).into_iter().rev() {
                put_compatible(body, options_of(all, &[name]), server);
            }
            hosts::adapt_options(body, server);
            reasoning::put_compatible(body, settings.reasoning, model_id, server, warnings);
        }
    }
    Some("system")
}

fn put_logprobs(body: &mut Map<String, Value>, options: Option<&Map<String, Value>>) {
    match options.and_then(|options| options.get("logprobs")) {
        Some(Value::Bool(true)) => {
            body.insert("logprobs".into(), true.into());
            body.entry("top_logprobs").or_insert_with(|| 0.into());
        }
        Some(Value::Number(count)) => {
            body.insert("logprobs".into(), true.into());
            body.insert("top_logprobs".into(), Value::Number(count.clone()));
        }
        _ => {}
    }
}

/// Reasoning models support no sampling settings, and have `max_completion_tokens`.
fn adapt_to_reasoning_model(body: &mut Map<String, Value>, model_id: &str, plan: &Plan, warnings: &mut Warnings) {
    let drop = |body: &mut Map<String, Value>, key: &str, setting: &str, warnings: &mut Warnings| {
        if body.shift_remove(key).is_some() {
            warnings.changed(setting, format!("{setting} is not supported for reasoning models"));
        }
    };
    if !plan.reasons {
        if model_id.starts_with("gpt-4o-search-preview") || model_id.starts_with("gpt-4o-mini-search-preview") {
            drop(body, "temperature", "temperature", warnings);
        }
        return;
    }
    if !plan.takes_sampling {
        drop(body, "temperature", "temperature", warnings);
        drop(body, "top_p", "topP", warnings);
        drop(body, "logprobs", "logprobs", warnings);
        drop(body, "top_logprobs", "topLogprobs", warnings);
    }
    drop(body, "frequency_penalty", "frequencyPenalty", warnings);
    drop(body, "presence_penalty", "presencePenalty", warnings);
    drop(body, "logit_bias", "logitBias", warnings);
    if let Some(limit) = body.shift_remove("max_tokens") {
        body.entry("max_completion_tokens").or_insert(limit);
    }
}

fn put_compatible(body: &mut Map<String, Value>, options: Option<&Map<String, Value>>, server: Server) {
    let tables: [&[(&str, &str)]; 2] = [&COMPATIBLE_OPTIONS, hosts::options(server)];
    for table in tables {
        copy_options(options, table, body);
    }
    for (key, value) in options.into_iter().flatten() {
        let is_copied = tables.iter().copied().flatten().any(|(name, _)| name == key);
        if !is_copied && !SCHEMA_OPTIONS.contains(&key.as_str()) && !value.is_null() {
            body.insert(key.clone(), value.clone());
        }
    }
}
