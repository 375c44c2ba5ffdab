//! Maps the `reasoning` setting to levels of effort and token budgets (docs/reference/model-settings.md).

use super::settings::Warnings;
use lmthing_base::chat::Reasoning;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
}

pub(super) const LOW_TO_HIGH: &[Effort] = &[Effort::Low, Effort::Medium, Effort::High];

pub(super) const NONE_TO_HIGH: &[Effort] = &[Effort::None, Effort::Low, Effort::Medium, Effort::High];

const BUDGETS: [u64; 3] = [2_048, 8_192, 24_576];

impl Effort {
    pub(super) fn name(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        }
    }

    pub(super) fn of(reasoning: Reasoning) -> Self {
        match reasoning {
            Reasoning::Off => Effort::None,
            Reasoning::Low | Reasoning::Tokens(..=4_096) => Effort::Low,
            Reasoning::Medium | Reasoning::Tokens(..=16_384) => Effort::Medium,
            Reasoning::High | Reasoning::Tokens(_) => Effort::High,
        }
    }
}

pub(super) fn choose(reasoning: Reasoning, levels: &[Effort], warnings: &mut Warnings) -> Effort {
    let wanted = Effort::of(reasoning);
    // Prefer the next higher level: a lower one might be none.
    let chosen = levels.iter().find(|level| **level >= wanted).or(levels.last()).copied().unwrap_or(wanted);
    if wanted == Effort::None {
        // With `minimal`, a model hardly reasons.
        if chosen > Effort::Minimal {
            warn_always_on(&format!("'{}'", chosen.name()), warnings);
        }
    } else if chosen != wanted {
        let (wanted, chosen) = (wanted.name(), chosen.name());
        warnings.changed("reasoning", format!("this model has no level '{wanted}'; '{chosen}' was used"));
    }
    chosen
}

pub(super) fn warn_always_on(instead: &str, warnings: &mut Warnings) {
    warnings.changed("reasoning", format!("this model cannot go without reasoning; {instead} was used"));
}

pub(super) fn warn_unsupported(warnings: &mut Warnings) {
    warnings
        .changed("reasoning", "reasoning is not supported for this model; providerOptions can say it in its own words");
}

pub(super) fn budget(reasoning: Reasoning) -> Option<u64> {
    match reasoning {
        Reasoning::Off => None,
        Reasoning::Low => Some(BUDGETS[0]),
        Reasoning::Medium => Some(BUDGETS[1]),
        Reasoning::High => Some(BUDGETS[2]),
        Reasoning::Tokens(tokens) => Some(tokens),
    }
}

/// The same where reasoning counts towards the output limit: a level leaves at least half of the limit, or 4 096
/// tokens, for the answer. An explicit number is used as it is.
pub(super) fn budget_within_limit(reasoning: Reasoning, limit: Option<u64>) -> Option<u64> {
    let tokens = budget(reasoning)?;
    match limit {
        Some(limit) if !matches!(reasoning, Reasoning::Tokens(_)) => Some(tokens.min(limit - (limit / 2).min(4_096))),
        _ => Some(tokens),
    }
}

pub(super) fn clamped_budget(tokens: u64, least: u64, most: u64, warnings: &mut Warnings) -> u64 {
    let within = tokens.clamp(least.min(most), most);
    if within != tokens {
        warnings
            .changed("reasoning", format!("the model takes {least} to {most} tokens of thought; {within} was used"));
    }
    within
}
