//! Thinking settings of Gemini.

use serde_json::{Map, Value, json};

use super::model_name::{bare_name, version};
use crate::wire::{
    effort::{Effort, LOW_TO_HIGH, budget_within_limit, choose, clamped_budget, warn_always_on, warn_unsupported},
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
    let levels = if minimal { &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High] } else { LOW_TO_HIGH };
    choose(reasoning, levels, warnings)
}

fn tokens(reasoning: Reasoning, limit: Option<u64>, name: &str, warnings: &mut Warnings) -> u64 {
    let pro = name.contains("pro");
    let (least, most) = match (pro, name.contains("lite")) {
        (true, _) => (128, 32_768),
        (_, true) => (512, 24_576),
        _ => (1, 24_576),
    };
    match budget_within_limit(reasoning, limit) {
        Some(tokens) => clamped_budget(tokens, least, most, warnings),
        None if pro => {
            warn_always_on("a budget of 128 tokens", warnings);
            least
        }
        None => 0,
    }
}
