//! Thinking settings of Claude, at Anthropic and Bedrock.

use serde_json::{Map, Value, json};

use super::models::{Model, Off, Thinking};
use crate::wire::{
    effort::{budget, choose, clamped_budget, warn_always_on, warn_unsupported},
    settings::{Warnings, drop_sampling},
    values::{put, with_snake_case},
};
use lmthing_base::chat::{CallSettings, Reasoning, ToolChoice};

const MIN_BUDGET: u64 = 1_024;

/// Tokens reserved for the answer where the thinking budget shares its limit.
const ANSWER_RESERVE: u64 = 4_096;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    thinking: Option<Map<String, Value>>,
    pub budget: Option<u64>,
    pub effort: Option<Value>,
    /// The setting that the budget is for.
    level: Option<Reasoning>,
}

impl Plan {
    pub(crate) fn of_setting(settings: &CallSettings, model: Model, warnings: &mut Warnings) -> Self {
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
        let effort = adaptive.then(|| choose(reasoning, model.efforts, warnings).name().into());
        if matches!(settings.tool_choice, Some(ToolChoice::Required | ToolChoice::Tool(_))) {
            // The service refuses the combination, and the prompt depends on the tool.
            warnings.changed("reasoning", "Claude does not think when toolChoice forces a tool");
            return Plan { effort, ..Plan::default() };
        }
        if adaptive {
            return Plan { thinking: Some(with_type("adaptive")), effort, ..Plan::default() };
        }
        let (thinking, budget) = (Some(with_type("enabled")), budget(reasoning));
        Plan { thinking, budget, level: Some(reasoning), ..Plan::default() }
    }

    fn off(model: Model, warnings: &mut Warnings) -> Self {
        match model.off {
            Off::Default => Plan::default(),
            Off::Explicit => Plan { thinking: Some(with_type("disabled")), ..Plan::default() },
            Off::Impossible => {
                warn_always_on("'low'", warnings);
                Plan { effort: Some("low".into()), ..Plan::default() }
            }
        }
    }

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
        let binding = setting("blockBinding");
        if (kind.is_empty() && binding.is_none()) || (kind == "disabled" && model.off == Off::Default) {
            return Some(plan);
        }
        let mut wire = if kind.is_empty() { Map::new() } else { with_type(kind) };
        put(&mut wire, "block_binding", binding.map(with_snake_case));
        if let Some(display) = setting("display") {
            wire.insert("display".into(), display.clone());
        }
        if kind == "enabled" {
            plan.budget = setting("budgetTokens").and_then(Value::as_u64);
            if plan.budget.is_none() {
                warnings.changed("thinking.budgetTokens", format!("unset; {MIN_BUDGET} was used"));
                plan.budget = Some(MIN_BUDGET);
            }
        }
        plan.thinking = Some(wire);
        Some(plan)
    }

    pub(crate) fn thinks(&self) -> bool {
        self.thinking.as_ref().is_some_and(|thinking| thinking.get("type").is_some_and(|kind| kind != "disabled"))
    }

    pub(crate) fn into_thinking(self, limit: u64, answer: Option<u64>, warnings: &mut Warnings) -> Option<Value> {
        let mut thinking = self.thinking?;
        if let Some(budget) = self.budget {
            let room = answer.unwrap_or(ANSWER_RESERVE).min(ANSWER_RESERVE);
            let most = limit - room.min(limit / 2);
            let budget = clamped_budget(self.level, budget, (MIN_BUDGET, most), warnings);
            thinking.insert("budget_tokens".into(), budget.into());
        }
        Some(thinking.into())
    }
}

/// Reduces a limit on thinking and answer to the limits of the run, and the budget with it, without a warning. At
/// least the minimal budget remains.
pub(crate) fn within_limits(limit: u64, settings: &CallSettings, budget: &mut Option<u64>) -> u64 {
    let Some(wanted) = *budget else { return settings.within_limits(limit) };
    let within = settings.within_limits(limit).max(limit.min(2 * MIN_BUDGET));
    if within < limit {
        *budget = Some(wanted.min((within / 2).max(MIN_BUDGET)));
    }
    within
}

fn with_type(kind: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), kind.into())])
}

pub(crate) fn drop_refused_sampling(settings: &mut CallSettings, model: Model, warnings: &mut Warnings) {
    if !model.sampling {
        drop_sampling(settings, ["temperature", "topK", "topP"], "for this model", warnings);
    } else if !model.temperature_with_top_p && settings.temperature.is_some() && settings.top_p.take().is_some() {
        warnings.changed("topP", "topP is not supported when temperature is set");
    }
}

pub(crate) fn put_effort(map: &mut Map<String, Value>, effort: Option<Value>) {
    if let Some(effort) = effort {
        map.entry("output_config").or_insert_with(|| json!({}))["effort"] = effort;
    }
}
