//! Provider options of the Responses API.

use serde_json::{Map, Value, json};

use super::tools;
use crate::wire::{
    KnownOptions,
    provider_tools::Tools,
    settings::Warnings,
    values::{copy_nested_options, copy_options, set_option},
};

type Options<'a> = Option<&'a Map<String, Value>>;

const OPENAI: [(&str, &str); 15] = [
    ("conversation", "conversation"),
    ("include", "include"),
    ("instructions", "instructions"),
    ("maxToolCalls", "max_tool_calls"),
    ("metadata", "metadata"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("previousResponseId", "previous_response_id"),
    ("promptCacheKey", "prompt_cache_key"),
    ("promptCacheRetention", "prompt_cache_retention"),
    ("safetyIdentifier", "safety_identifier"),
    ("serviceTier", "service_tier"),
    ("store", "store"),
    ("topLogprobs", "top_logprobs"),
    ("truncation", "truncation"),
    ("user", "user"),
];

/// Options with further names inside.
const OPENAI_NESTED: [(&str, &str); 2] =
    [("contextManagement", "context_management"), ("promptCacheOptions", "prompt_cache_options")];

const OPENAI_OTHERS: &[&str] = &[
    "allowedTools",
    "compactionTrigger",
    "forceReasoning",
    "includeWebSearchSources",
    "logprobs",
    "reasoningContext",
    "reasoningEffort",
    "reasoning_effort",
    "reasoningEffortUpdate",
    "reasoningMode",
    "reasoningSummary",
    "strictJsonSchema",
    "systemMessageMode",
    "textFormat",
    "textVerbosity",
];

const XAI: [(&str, &str); 11] = [
    ("include", "include"),
    ("maxTurns", "max_turns"),
    ("minP", "min_p"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("previousResponseId", "previous_response_id"),
    ("promptCacheKey", "prompt_cache_key"),
    ("safetyIdentifier", "safety_identifier"),
    ("serviceTier", "service_tier"),
    ("store", "store"),
    ("topLogprobs", "top_logprobs"),
    ("user", "user"),
];

const XAI_OTHERS: &[&str] =
    &["logprobs", "reasoningEffort", "reasoning_effort", "reasoningSummary", "strictJsonSchema"];

/// Options that are fields of `reasoning`, with their names there.
pub(super) const REASONING: [(&str, &str); 3] =
    [("reasoningSummary", "summary"), ("reasoningMode", "mode"), ("reasoningContext", "context")];

pub(super) fn known(names: &'static [&'static str]) -> KnownOptions {
    if tools::is_xai(names) {
        return KnownOptions { names, tables: &[&XAI], others: XAI_OTHERS };
    }
    KnownOptions { names, tables: &[&OPENAI, &OPENAI_NESTED], others: OPENAI_OTHERS }
}

/// Adds the fields that depend on options alone.
pub(super) fn put(body: &mut Map<String, Value>, options: Options<'_>, is_xai: bool) {
    if is_xai {
        copy_options(options, &XAI, body);
        if body.contains_key("top_logprobs") || set_option(options, "logprobs") == Some(&Value::Bool(true)) {
            body.insert("logprobs".into(), true.into());
        }
        return;
    }
    copy_options(options, &OPENAI, body);
    copy_nested_options(options, &OPENAI_NESTED, body);
    for (name, field) in [("textVerbosity", "verbosity"), ("textFormat", "format")] {
        if let Some(value) = set_option(options, name) {
            body.entry("text").or_insert_with(|| json!({}))[field] = value.clone();
        }
    }
    put_logprobs(body, options);
    if set_option(options, "includeWebSearchSources") == Some(&Value::Bool(true)) {
        include(body, "web_search_call.action.sources");
    }
}

fn put_logprobs(body: &mut Map<String, Value>, options: Options<'_>) {
    const MAX_LOGPROBS: u64 = 20;
    let count = match set_option(options, "logprobs") {
        Some(Value::Bool(true)) => json!(MAX_LOGPROBS),
        Some(Value::Number(count)) => Value::Number(count.clone()),
        _ => return,
    };
    body.insert("top_logprobs".into(), count);
    include(body, "message.output_text.logprobs");
}

/// Adds an entry to the list of what the answer has to include.
pub(super) fn include(body: &mut Map<String, Value>, what: &str) {
    let list = body.entry("include").or_insert_with(|| json!([]));
    if let Value::Array(list) = list
        && !list.iter().any(|item| item == what)
    {
        list.push(what.into());
    }
}

/// Adds items that are no messages: a change of the effort comes first, the request to compact last.
pub(super) fn put_items(items: &mut Vec<Value>, options: Options<'_>) {
    if let Some(effort) = set_option(options, "reasoningEffortUpdate") {
        items.insert(0, json!({ "type": "configuration_update", "reasoning": { "effort": effort } }));
    }
    if set_option(options, "compactionTrigger") == Some(&Value::Bool(true)) {
        items.push(json!({ "type": "compaction_trigger" }));
    }
}

/// `tool_choice` for the option `allowedTools`. Names that no tool has are left out with a warning.
pub(super) fn allowed_tools(options: Options<'_>, tools: &Tools<'_>, warnings: &mut Warnings) -> Option<Value> {
    let allowed = set_option(options, "allowedTools")?;
    let names = allowed.get("toolNames")?.as_array()?.iter().filter_map(Value::as_str);
    let mut list = Vec::new();
    for name in names {
        match tools.provided(name) {
            Some(provided) => list.push(tools::forced(provided)),
            None if tools.functions.iter().any(|tool| tool.name == name) => {
                list.push(json!({ "type": "function", "name": name }));
            }
            None => warnings.changed("allowedTools", format!("allowedTools: there is no tool '{name}'")),
        }
    }
    let mode = allowed.get("mode").and_then(Value::as_str).unwrap_or("auto");
    (!list.is_empty()).then(|| json!({ "type": "allowed_tools", "mode": mode, "tools": list }))
}
