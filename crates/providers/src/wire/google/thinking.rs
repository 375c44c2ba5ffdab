//! Thinking settings of Gemini.

use serde_json::{Map, Value, json};

use super::model_name::{bare_name, version};
use crate::wire::{
    effort::{
        Effort, LOW_TO_MAX, MINIMAL_TO_XHIGH, budget_within_limit, choose, clamped_budget, up_to, warn_always_on,
        warn_unsupported,
    },
    settings::Warnings,
};
use lmthing_base::chat::{CallSettings, Reasoning};

pub(super) fn put_thinking(
    generation: &mut Map<String, Value>,
    settings: &CallSettings,
    model_id: &str,
    warnings: &mut Warnings,
) {
    let Some(reasoning) = settings.reasoning else { return };
    let given = generation.get("thinkingConfig").and_then(Value::as_object);
    if given.is_some_and(|given| given.contains_key("thinkingBudget") || given.contains_key("thinkingLevel")) {
        return;
    }
    let name = &*bare_name(model_id);
    // From version 3 on models have levels, 2.5 has budgets, and older ones do not think.
    let (key, value) = match version(name) {
        Some((3.., _)) => ("thinkingLevel", Value::from(level(reasoning, name, warnings).name())),
        Some((2, 5..)) if !name.contains("image") && !name.contains("tts") => {
            ("thinkingBudget", tokens(reasoning, settings.max_output_tokens, name, warnings).into())
        }
        _ if reasoning == Reasoning::Off => return,
        _ => return warn_unsupported(warnings),
    };
    if let Value::Object(config) = generation.entry("thinkingConfig").or_insert_with(|| json!({})) {
        config.insert(key.to_owned(), value);
    }
}

fn level(reasoning: Reasoning, name: &str, warnings: &mut Warnings) -> Effort {
    // Flash models from 3.0 to 3.7 support `minimal`.
    let minimal = name.contains("flash") && version(name).is_some_and(|version| version < (3, 8));
    let highest = if name.contains("hydrogen") { Effort::XHigh } else { Effort::High };
    choose(reasoning, up_to(highest, if minimal { MINIMAL_TO_XHIGH } else { LOW_TO_MAX }), warnings)
}

fn tokens(reasoning: Reasoning, limit: Option<u64>, name: &str, warnings: &mut Warnings) -> u64 {
    let pro = name.contains("pro");
    let limits = match (pro, name.contains("lite")) {
        (true, _) => (128, 32_768),
        (_, true) => (512, 24_576),
        _ => (1, 24_576),
    };
    match budget_within_limit(reasoning, limit) {
        Some(tokens) => clamped_budget(Some(reasoning), tokens, limits, warnings),
        None if pro => {
            warn_always_on("a budget of 128 tokens", warnings);
            limits.0
        }
        None => 0,
    }
}
