//! `reasoningConfig` options, which have different names in each family of models.

use serde_json::{Map, Value, json};

use crate::wire::{
    anthropic::thinking::{put_effort, within_limits},
    settings::{Warnings, drop_sampling},
    values::put,
};
use lmthing_base::chat::CallSettings;

pub(super) const DEFAULT_MAX_TOKENS: u64 = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Anthropic,
    OpenAi,
    Other,
}

impl Family {
    /// The id may have a region as prefix or be part of an ARN (`eu.anthropic.claude-…`).
    pub(super) fn of(model_id: &str) -> Self {
        if model_id.contains("anthropic") {
            Family::Anthropic
        } else if model_id.contains("openai.") {
            Family::OpenAi
        } else {
            Family::Other
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Reasoning<'a> {
    kind: Option<&'a str>,
    budget: Option<u64>,
    effort: Option<&'a str>,
}

impl<'a> Reasoning<'a> {
    pub(super) fn of(config: Option<&'a Value>) -> Self {
        let text = |key: &str| config.and_then(|config| config.get(key)).and_then(Value::as_str);
        Reasoning {
            kind: text("type"),
            budget: config.and_then(|config| config.get("budgetTokens")).and_then(Value::as_u64),
            effort: text("maxReasoningEffort"),
        }
    }

    /// Sets `thinking` of Anthropic models and adapts call settings. It is disabled explicitly if it is on by
    /// default.
    pub(super) fn put_thinking(
        &self,
        family: Family,
        thinks_by_default: bool,
        fields: &mut Map<String, Value>,
        settings: &mut CallSettings,
        warnings: &mut Warnings,
    ) {
        if family != Family::Anthropic {
            if self.budget.is_some() {
                warnings.changed("budgetTokens", "budgetTokens applies to Anthropic models only");
            }
            return;
        }
        match (self.kind, self.budget) {
            (Some("enabled"), mut budget @ Some(thoughts)) => {
                let limit = settings.max_output_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
                let limit = limit.saturating_add(thoughts);
                settings.max_output_tokens = Some(within_limits(limit, settings, &mut budget));
                fields.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": budget }));
            }
            (Some("enabled"), None) => {}
            (Some("adaptive"), _) => drop(fields.insert("thinking".into(), json!({ "type": "adaptive" }))),
            (Some("disabled"), _) if thinks_by_default => {
                fields.insert("thinking".into(), json!({ "type": "disabled" }));
                return;
            }
            _ => return,
        }
        drop_sampling(settings, ["temperature", "topP", "topK"], "when thinking is enabled", warnings);
    }

    pub(super) fn put_effort(&self, family: Family, fields: &mut Map<String, Value>) {
        let Some(effort) = self.effort else { return };
        match family {
            Family::Anthropic => put_effort(fields, Some(effort.into())),
            Family::OpenAi => drop(fields.insert("reasoning_effort".into(), effort.into())),
            Family::Other => {
                let mut config = Map::new();
                put(&mut config, "type", self.kind);
                put(&mut config, "budgetTokens", self.budget);
                config.insert("maxReasoningEffort".into(), effort.into());
                fields.insert("reasoningConfig".into(), config.into());
            }
        }
    }
}
