//! How Gemini is asked to think.

use serde_json::{Map, Value, json};

use crate::{
    chat::Reasoning,
    provider::wire::{
        effort::{Effort, LOW_TO_HIGH, bounded, budget, choose, warn_always_on, warn_unsupported},
        settings::Warnings,
    },
};

/// Writes `thinkingConfig` unless `providerOptions` have said how much the model is to think.
pub(super) fn put_thinking(
    generation: &mut Map<String, Value>,
    reasoning: Option<Reasoning>,
    model_id: &str,
    warnings: &mut Warnings,
) {
    let Some(reasoning) = reasoning else { return };
    let given = generation.get("thinkingConfig").and_then(Value::as_object);
    if given.is_some_and(|given| given.contains_key("thinkingBudget") || given.contains_key("thinkingLevel")) {
        return;
    }
    let Some((key, value)) = thinking(reasoning, model_id, warnings) else { return };
    // What else was asked for, such as `includeThoughts`, stays.
    if let Value::Object(config) = generation.entry("thinkingConfig").or_insert_with(|| json!({})) {
        config.insert(key.to_owned(), value);
    }
}

/// The newer models have levels, those of 2.5 a number of tokens, the older ones do not think.
fn thinking(reasoning: Reasoning, model_id: &str, warnings: &mut Warnings) -> Option<(&'static str, Value)> {
    match version(model_id) {
        Some((3.., _)) => Some(("thinkingLevel", level(reasoning, model_id, warnings).name().into())),
        Some((2, 5..)) => Some(("thinkingBudget", tokens(reasoning, model_id, warnings).into())),
        _ => {
            if reasoning != Reasoning::Off {
                warn_unsupported(warnings);
            }
            None
        }
    }
}

fn level(reasoning: Reasoning, model_id: &str, warnings: &mut Warnings) -> Effort {
    // The quick models of the third generation can all but leave it; from 3.8 on none can.
    let minimal = model_id.contains("flash") && version(model_id).is_some_and(|version| version < (3, 8));
    let levels = if minimal { &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High] } else { LOW_TO_HIGH };
    choose(reasoning, levels, warnings)
}

fn tokens(reasoning: Reasoning, model_id: &str, warnings: &mut Warnings) -> u64 {
    let (least, most) = if model_id.contains("pro") {
        (128, 32_768)
    } else if model_id.contains("lite") {
        (512, 24_576)
    } else {
        (1, 24_576)
    };
    match budget(reasoning) {
        Some(tokens) => bounded(tokens, least, most, warnings),
        None if model_id.contains("pro") => {
            warn_always_on("128 tokens", warnings);
            least
        }
        None => 0,
    }
}

/// The version in an id, `None` for models that are not Gemini's. An alias without one (`gemini-flash-latest`) stands for
/// the newest.
fn version(model_id: &str) -> Option<(u32, u32)> {
    const NEWEST: (u32, u32) = (u32::MAX, 0);
    let name = model_id.rsplit('/').next().unwrap_or(model_id).strip_prefix("gemini-")?;
    let number = name.split('-').next().unwrap_or(name);
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => Some(NEWEST),
    }
}
