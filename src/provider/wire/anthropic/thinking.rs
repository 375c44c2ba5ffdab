//! How Claude is asked to think, at Anthropic and at Bedrock.

use serde_json::{Map, Value, json};

use super::models::{Model, Off, Thinking};
use crate::{
    chat::{CallSettings, Reasoning, ToolChoice},
    provider::wire::{
        effort::{Effort, bounded, budget, warn_always_on, warn_unsupported},
        settings::{Warnings, drop_sampling},
    },
};

/// Thought tokens when thinking is enabled without a budget; also the fewest the service takes.
const LEAST_BUDGET: u64 = 1_024;

/// Kept for the answer itself where budget and answer share a limit.
const ROOM_FOR_ANSWER: u64 = 4_096;

/// What a model is told about thinking.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::provider::wire) struct Plan {
    /// `thinking` as it goes out, without the budget.
    thinking: Option<Map<String, Value>>,
    /// How many tokens it may think, where that is a limit of its own.
    pub budget: Option<u64>,
    /// `output_config.effort`.
    pub effort: Option<Value>,
}

impl Plan {
    /// What `reasoning` of the call settings means to this model.
    pub(in crate::provider::wire) fn of_setting(
        settings: &CallSettings,
        model: Model,
        warnings: &mut Warnings,
    ) -> Self {
        let Some(reasoning) = settings.reasoning else { return Plan::default() };
        if reasoning == Reasoning::Off {
            return Plan::off(model, warnings);
        }
        if model.thinking == Thinking::Never {
            warn_unsupported(warnings);
            return Plan::default();
        }
        let adaptive = match model.thinking {
            Thinking::Adaptive => true,
            Thinking::Both => !matches!(reasoning, Reasoning::Tokens(_)),
            Thinking::Never | Thinking::Budget => false,
        };
        let effort = adaptive.then(|| Effort::of(reasoning).name().into());
        if matches!(settings.tool_choice, Some(ToolChoice::Required | ToolChoice::Tool(_))) {
            // The service refuses the two together, and the tool is what the prompt depends on.
            warnings.changed("reasoning", "Claude does not think when toolChoice forces a tool");
            return Plan { effort, ..Plan::default() };
        }
        if adaptive {
            return Plan { thinking: Some(of_type("adaptive")), effort, budget: None };
        }
        Plan { thinking: Some(of_type("enabled")), budget: budget(reasoning), effort: None }
    }

    fn off(model: Model, warnings: &mut Warnings) -> Self {
        match model.off {
            Off::Unsaid => Plan::default(),
            Off::Said => Plan { thinking: Some(of_type("disabled")), ..Plan::default() },
            Off::Impossible => {
                warn_always_on("'low'", warnings);
                Plan { effort: Some("low".into()), ..Plan::default() }
            }
        }
    }

    /// What `providerOptions` say; `None` where they say nothing about it.
    pub(super) fn of_options(
        options: Option<&Map<String, Value>>,
        model: Model,
        warnings: &mut Warnings,
    ) -> Option<Self> {
        let option = |key: &str| options.and_then(|options| options.get(key)).filter(|value| !value.is_null());
        let (thinking, effort) = (option("thinking"), option("effort").cloned());
        if thinking.is_none() && effort.is_none() {
            return None;
        }
        let mut plan = Plan { effort, ..Plan::default() };
        let setting = |key: &str| thinking.and_then(|thinking| thinking.get(key)).filter(|value| !value.is_null());
        let kind = setting("type").and_then(Value::as_str).unwrap_or_default();
        // Older models think only when asked to, and need not be told that they should not.
        if kind.is_empty() || (kind == "disabled" && model.off == Off::Unsaid) {
            return Some(plan);
        }
        let mut wire = of_type(kind);
        if let Some(display) = setting("display") {
            wire.insert("display".into(), display.clone());
        }
        if kind == "enabled" {
            plan.budget = setting("budgetTokens").and_then(Value::as_u64);
            if plan.budget.is_none() {
                warnings.changed("thinking.budgetTokens", format!("unset; {LEAST_BUDGET} was used"));
                plan.budget = Some(LEAST_BUDGET);
            }
        }
        plan.thinking = Some(wire);
        Some(plan)
    }

    /// Whether the model is asked to think, which sampling settings do not go with.
    pub(in crate::provider::wire) fn thinks(&self) -> bool {
        self.thinking.as_ref().is_some_and(|thinking| thinking.get("type").is_some_and(|kind| kind != "disabled"))
    }

    /// `thinking` as it goes out, its budget within a limit that it shares with an answer of so many tokens.
    pub(in crate::provider::wire) fn into_thinking(
        self,
        limit: u64,
        answer: Option<u64>,
        warnings: &mut Warnings,
    ) -> Option<Value> {
        let mut thinking = self.thinking?;
        if let Some(budget) = self.budget {
            let room = answer.unwrap_or(ROOM_FOR_ANSWER).min(ROOM_FOR_ANSWER);
            let most = limit - room.min(limit / 2);
            thinking.insert("budget_tokens".into(), bounded(budget, LEAST_BUDGET, most, warnings).into());
        }
        Some(thinking.into())
    }
}

/// A limit on thoughts and answer together, cut to what the limits of the run leave; the budget is cut to fit without a word,
/// since nobody has set it too high. The fewest thoughts that the service takes stay.
pub(in crate::provider::wire) fn within_limits(limit: u64, settings: &CallSettings, budget: &mut Option<u64>) -> u64 {
    let Some(wanted) = *budget else { return settings.within_limits(limit) };
    let within = settings.within_limits(limit).max(limit.min(2 * LEAST_BUDGET));
    if within < limit {
        *budget = Some(wanted.min((within / 2).max(LEAST_BUDGET)));
    }
    within
}

fn of_type(kind: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), kind.into())])
}

/// Drops sampling settings that the model refuses, whether it thinks or not.
pub(in crate::provider::wire) fn drop_refused_sampling(
    settings: &mut CallSettings,
    model: Model,
    warnings: &mut Warnings,
) {
    if !model.sampling {
        drop_sampling(settings, ["temperature", "topK", "topP"], "for this model", warnings);
    } else if !model.temperature_with_top_p && settings.temperature.is_some() && settings.top_p.take().is_some() {
        warnings.changed("topP", "topP is not supported when temperature is set");
    }
}

/// Sets one key of `output_config`, which has several writers.
pub(in crate::provider::wire) fn put_effort(map: &mut Map<String, Value>, effort: Option<Value>) {
    if let Some(effort) = effort {
        map.entry("output_config").or_insert_with(|| json!({}))["effort"] = effort;
    }
}
