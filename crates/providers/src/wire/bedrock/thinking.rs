//! The `reasoning` call setting for families of models on Bedrock.

use serde_json::{Map, Value, json};

use super::reasoning::{DEFAULT_MAX_TOKENS, Family};
use crate::wire::{
    anthropic::{models, thinking as claude},
    effort::{Effort, LOW_TO_HIGH, choose, warn_unsupported},
    openai_models,
    settings::{Warnings, drop_sampling},
    values::put,
};
use lmthing_base::chat::{CallSettings, Reasoning};

const REASONING_FIELDS: [&str; 5] =
    ["thinking", "output_config", "reasoning_effort", "reasoningConfig", "reasoning_config"];

pub(super) fn put_setting(
    model_id: &str,
    family: Family,
    fields: &mut Map<String, Value>,
    settings: &mut CallSettings,
    warnings: &mut Warnings,
) {
    let Some(reasoning) = settings.reasoning.filter(|_| !REASONING_FIELDS.iter().any(|key| fields.contains_key(*key)))
    else {
        return;
    };
    match family {
        Family::Anthropic => put_claude(model_id, fields, settings, warnings),
        Family::OpenAi => {
            let name = model_id.rsplit("openai.").next().unwrap_or(model_id);
            let levels = if name.contains("gpt-oss") { LOW_TO_HIGH } else { openai_models::efforts(name) };
            fields.insert("reasoning_effort".into(), choose(reasoning, levels, warnings).name().into());
        }
        Family::Other if nova_generation(model_id).is_some_and(|generation| generation >= 2) => {
            put_nova(reasoning, fields, settings, warnings);
        }
        Family::Other if reasoning == Reasoning::Off => {}
        Family::Other => warn_unsupported(warnings),
    }
}

fn put_claude(model_id: &str, fields: &mut Map<String, Value>, settings: &mut CallSettings, warnings: &mut Warnings) {
    let model = models::model(model_id);
    let mut plan = claude::Plan::of_setting(settings, model, warnings);
    if plan.thinks() {
        drop_sampling(settings, ["temperature", "topP", "topK"], "when thinking is enabled", warnings);
    }
    claude::put_effort(fields, plan.effort.take());
    let answer = settings.max_output_tokens;
    let mut limit = answer.unwrap_or(DEFAULT_MAX_TOKENS);
    if let Some(budget) = plan.budget {
        // Thinking counts as output.
        limit = limit.saturating_add(budget).min(if model.known { model.max_tokens } else { u64::MAX });
        limit = claude::within_limits(limit, settings, &mut plan.budget);
        settings.max_output_tokens = Some(limit);
    }
    put(fields, "thinking", plan.into_thinking(limit, answer, warnings));
}

fn put_nova(
    reasoning: Reasoning,
    fields: &mut Map<String, Value>,
    settings: &mut CallSettings,
    warnings: &mut Warnings,
) {
    if reasoning == Reasoning::Off {
        fields.insert("reasoningConfig".into(), json!({ "type": "disabled" }));
        return;
    }
    let effort = choose(reasoning, LOW_TO_HIGH, warnings);
    if effort == Effort::High {
        // The service refuses sampling settings and an output limit at this level.
        drop_sampling(settings, ["temperature", "topP", "topK"], "with high reasoning", warnings);
        if settings.max_output_tokens.take().is_some() {
            warnings.changed("maxOutputTokens", "maxOutputTokens is not supported with high reasoning");
        }
    }
    fields.insert("reasoningConfig".into(), json!({ "type": "enabled", "maxReasoningEffort": effort.name() }));
}

/// The generation in `us.amazon.nova-2-lite-v1:0`; the first one has no number.
fn nova_generation(model_id: &str) -> Option<u32> {
    let (_, name) = model_id.split_once("amazon.nova-")?;
    Some(name.split('-').next().and_then(|number| number.parse().ok()).unwrap_or(1))
}
