//! Reasoning settings of chat completions, except OpenAI's (`wire/openai_reasoning.rs`).

use serde_json::{Map, Value, json};

use super::{hosts, server::Server};
use crate::wire::{
    effort::{
        Effort, LOW_TO_HIGH, MINIMAL_TO_XHIGH, NONE_TO_HIGH, NONE_TO_MAX, choose, up_to, warn_always_on,
        warn_unsupported, warn_without_levels,
    },
    openai_models::{self, Kind, efforts},
    settings::Warnings,
};
use lmthing_base::chat::Reasoning;

const REASONING_FIELDS: [&str; 6] =
    ["reasoning_effort", "reasoning", "reasoning_format", "thinking", "enable_thinking", "thinking_budget"];

/// Groq: gpt-oss has levels, qwen can be turned on and off. Older models would write `<think>` into the text.
pub(super) fn put_groq(
    body: &mut Map<String, Value>,
    reasoning: Option<Reasoning>,
    model_id: &str,
    warnings: &mut Warnings,
) {
    let Some(reasoning) = reasoning.filter(|_| !is_configured(body)) else { return };
    let off = reasoning == Reasoning::Off;
    if model_id.contains("gpt-oss") {
        // It separates reasoning by default and refuses `reasoning_format`.
        body.insert("reasoning_effort".into(), choose(reasoning, LOW_TO_HIGH, warnings).name().into());
    } else if model_id.contains("qwen") {
        warn_without_levels(reasoning, "its own measure", warnings);
        body.insert("reasoning_effort".into(), if off { "none" } else { "default" }.into());
        if !off {
            body.insert("reasoning_format".into(), "parsed".into());
        }
    } else if model_id.contains("deepseek-r") {
        if off {
            warn_always_on("its own measure", warnings);
        }
        warn_without_levels(reasoning, "its own measure", warnings);
        body.insert("reasoning_format".into(), "parsed".into());
    } else if !off {
        warn_unsupported(warnings);
    }
}

/// Mistral: magistral always reasons, with a special prompt; newer general models have levels.
pub(super) fn put_mistral(
    body: &mut Map<String, Value>,
    reasoning: Option<Reasoning>,
    model_id: &str,
    warnings: &mut Warnings,
) {
    let Some(reasoning) = reasoning.filter(|_| !is_configured(body) && !body.contains_key("prompt_mode")) else {
        return;
    };
    let off = reasoning == Reasoning::Off;
    if model_id.starts_with("magistral") {
        if off {
            return warn_always_on("its own measure", warnings);
        }
        warn_without_levels(reasoning, "its own measure", warnings);
        body.insert("prompt_mode".into(), "reasoning".into());
    } else if let Some(levels) = mistral_levels(model_id) {
        body.insert("reasoning_effort".into(), choose(reasoning, levels, warnings).name().into());
    } else if !off {
        warn_unsupported(warnings);
    }
}

fn mistral_levels(model_id: &str) -> Option<&'static [Effort]> {
    let rest = model_id.strip_prefix("mistral-")?;
    let (size, version) = rest.split_once('-').unwrap_or((rest, "latest"));
    // Versions are year and month. Models reason from March 2026 on; other version formats are newer.
    let before = version.len() == 4 && version.parse::<u32>().is_ok_and(|date| date < 2603);
    match size {
        "small" | "medium" if !before => Some(&[Effort::None, Effort::High]),
        "large" if !before => Some(NONE_TO_HIGH),
        _ => None,
    }
}

pub(super) fn put_compatible(
    body: &mut Map<String, Value>,
    reasoning: Option<Reasoning>,
    model_id: &str,
    server: Server,
    warnings: &mut Warnings,
) {
    let Some(reasoning) = reasoning.filter(|_| !is_configured(body)) else { return };
    if server == Server::OpenRouter {
        let wire = match reasoning {
            Reasoning::Off => json!({ "enabled": false }),
            Reasoning::Tokens(tokens) => json!({ "max_tokens": tokens }),
            level => json!({ "effort": choose(level, MINIMAL_TO_XHIGH, warnings).name() }),
        };
        body.insert("reasoning".into(), wire);
        return;
    }
    if hosts::put_reasoning(body, reasoning, server, warnings) {
        return;
    }
    let levels = match openai_models::kind(model_id) {
        Kind::Reasoning => efforts(model_id),
        _ if model_id.contains("gpt-oss") => LOW_TO_HIGH,
        _ if model_id.contains("grok-4.6") => up_to(Effort::XHigh, NONE_TO_MAX),
        _ => NONE_TO_HIGH,
    };
    body.insert("reasoning_effort".into(), choose(reasoning, levels, warnings).name().into());
}

fn is_configured(body: &Map<String, Value>) -> bool {
    let in_template = |key: &String| key.contains("think") || key.contains("reason");
    let template = body.get("chat_template_kwargs").and_then(Value::as_object);
    REASONING_FIELDS.iter().any(|key| body.contains_key(*key))
        || template.is_some_and(|kwargs| kwargs.keys().any(in_template))
}
