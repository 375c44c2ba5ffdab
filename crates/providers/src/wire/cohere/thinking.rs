//! Thinking settings of Cohere's models.

use serde_json::{Map, Value, json};

use crate::wire::{
    effort::{budget_within_limit, warn_unsupported, warn_without_levels},
    settings::Warnings,
    values::put,
};
use lmthing_base::chat::CallSettings;

/// The highest budget of a level.
const MAX_BUDGET: u64 = 32_768;

/// Families without thinking, which refuse the setting. Other models are assumed to support it.
const WITHOUT_REASONING: [&str; 9] = [
    "command-r",
    "command-light",
    "command-nightly",
    "command-a-03",
    "command-a-vision",
    "command-a-translate",
    "command-xlarge",
    "c4ai-",
    "aya",
];

pub(super) fn put_thinking(
    body: &mut Map<String, Value>,
    options: Option<&Map<String, Value>>,
    settings: &CallSettings,
    model_id: &str,
    warnings: &mut Warnings,
) {
    if let Some(Value::Object(thinking)) = options.and_then(|options| options.get("thinking")) {
        let mut wire = Map::new();
        let kind = thinking.get("type").filter(|kind| !kind.is_null()).cloned();
        wire.insert("type".into(), kind.unwrap_or_else(|| "enabled".into()));
        put(&mut wire, "token_budget", thinking.get("tokenBudget").filter(|budget| !budget.is_null()).cloned());
        body.insert("thinking".into(), wire.into());
        return;
    }
    let Some(reasoning) = settings.reasoning else { return };
    let thinks = model_id != "command" && !WITHOUT_REASONING.iter().any(|family| model_id.starts_with(family));
    match (thinks, budget_within_limit(reasoning, settings.max_output_tokens)) {
        (true, Some(tokens)) => {
            let tokens = if reasoning.level().is_some() { tokens.min(MAX_BUDGET) } else { tokens };
            warn_without_levels(reasoning, &format!("a budget of {tokens} tokens"), warnings);
            body.insert("thinking".into(), json!({ "type": "enabled", "token_budget": tokens }));
        }
        (true, None) => drop(body.insert("thinking".into(), json!({ "type": "disabled" }))),
        (false, Some(_)) => warn_unsupported(warnings),
        (false, None) => {}
    }
}
