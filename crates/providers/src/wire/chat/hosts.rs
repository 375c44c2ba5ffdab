//! What some hosts demand of chat completions, beyond OpenAI's protocol.

use serde_json::{Map, Value, json};

use super::server::Server;
use crate::wire::{
    effort::{Effort, choose, warn_without_levels},
    settings::Warnings,
};
use lmthing_base::chat::Reasoning;

const DEEPSEEK_OPTIONS: [(&str, &str); 2] = [("topLogprobs", "top_logprobs"), ("userId", "user_id")];

const OPENROUTER_OPTIONS: [(&str, &str); 9] = [
    ("cacheControl", "cache_control"),
    ("frequencyPenalty", "frequency_penalty"),
    ("includeReasoning", "include_reasoning"),
    ("logitBias", "logit_bias"),
    ("maxTokens", "max_tokens"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("presencePenalty", "presence_penalty"),
    ("topK", "top_k"),
    ("topP", "top_p"),
];

const XAI_OPTIONS: [(&str, &str); 8] = [
    ("maxTurns", "max_turns"),
    ("minP", "min_p"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("promptCacheKey", "prompt_cache_key"),
    ("safetyIdentifier", "safety_identifier"),
    ("searchParameters", "search_parameters"),
    ("serviceTier", "service_tier"),
    ("topLogprobs", "top_logprobs"),
];

/// Options of hosts that have a package of their own.
pub(super) fn options(server: Server) -> &'static [(&'static str, &'static str)] {
    match server {
        Server::DeepSeek => &DEEPSEEK_OPTIONS,
        Server::OpenRouter => &OPENROUTER_OPTIONS,
        Server::XAi => &XAI_OPTIONS,
        _ => &[],
    }
}

/// Changes options that are in the body to the forms that the host takes.
pub(super) fn adapt_options(body: &mut Map<String, Value>, server: Server) {
    match server {
        Server::DeepSeek => {
            if let Some(kind) = body.get_mut("thinking").and_then(|thinking| thinking.get_mut("type"))
                && kind == "adaptive"
            {
                *kind = "enabled".into();
            }
        }
        Server::OpenRouter => {
            if let Some(Value::Object(extra)) = body.shift_remove("extraBody") {
                body.extend(extra);
            }
            if let Some(count) = body.get("logprobs").filter(|value| value.is_number()).cloned() {
                body.insert("top_logprobs".into(), count);
            }
        }
        Server::XAi => {}
        _ => return,
    }
    if body.contains_key("top_logprobs") {
        body.insert("logprobs".into(), true.into());
    }
}

/// The levels that DeepSeek has while it thinks.
const DEEPSEEK_LEVELS: &[Effort] = &[Effort::Low, Effort::High, Effort::Max];

/// Adds the reasoning setting of hosts that have another one than `reasoning_effort`; `false` for others.
pub(super) fn put_reasoning(
    body: &mut Map<String, Value>,
    reasoning: Reasoning,
    server: Server,
    warnings: &mut Warnings,
) -> bool {
    let kind = if reasoning == Reasoning::Off { "disabled" } else { "enabled" };
    match server {
        Server::DeepSeek => {
            if reasoning != Reasoning::Off {
                let level = choose(reasoning, DEEPSEEK_LEVELS, warnings).name();
                body.insert("reasoning_effort".into(), level.into());
            }
        }
        Server::Moonshot | Server::Zai => warn_without_levels(reasoning, "its own measure", warnings),
        _ => return false,
    }
    body.insert("thinking".into(), json!({ "type": kind }));
    true
}

/// Whether the host takes a schema of the output; the others take JSON of any shape.
pub(super) fn takes_schema(server: Server) -> bool {
    !matches!(server, Server::DeepSeek | Server::Zai)
}

/// Earlier thoughts as a host wants them back. Most take `reasoning_content`, and ignore it where it is not needed.
pub(super) fn adapt_thoughts(messages: &mut [Value], server: Server, model_id: &str) {
    match server {
        Server::Cerebras => assistants(messages).for_each(|message| {
            if let Some(thoughts) = message.shift_remove("reasoning_content") {
                message.insert("reasoning".into(), thoughts);
            }
        }),
        // These refuse an assistant's message without the field.
        Server::DeepSeek if is_newer_deepseek(model_id) => assistants(messages).for_each(|message| {
            message.entry("reasoning_content").or_insert_with(|| "".into());
        }),
        // R1 refuses the thoughts of earlier questions.
        Server::DeepSeek => {
            let question = messages.iter().rposition(|message| message["role"] == "user").unwrap_or(0);
            assistants(&mut messages[..question]).for_each(|message| drop(message.shift_remove("reasoning_content")));
        }
        _ => {}
    }
}

fn assistants(messages: &mut [Value]) -> impl Iterator<Item = &mut Map<String, Value>> {
    messages.iter_mut().filter(|message| message["role"] == "assistant").filter_map(Value::as_object_mut)
}

/// From version 4 on; the first models have no version in their names.
fn is_newer_deepseek(model_id: &str) -> bool {
    !matches!(model_id, "deepseek-chat" | "deepseek-reasoner") && !model_id.contains("-r1")
}
