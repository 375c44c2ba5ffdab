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
    XHigh,
    Max,
}

pub(super) const NONE_TO_MAX: &[Effort] =
    &[Effort::None, Effort::Low, Effort::Medium, Effort::High, Effort::XHigh, Effort::Max];

pub(super) const NONE_TO_HIGH: &[Effort] = &[Effort::None, Effort::Low, Effort::Medium, Effort::High];

pub(super) const LOW_TO_MAX: &[Effort] = &[Effort::Low, Effort::Medium, Effort::High, Effort::XHigh, Effort::Max];

pub(super) const LOW_TO_HIGH: &[Effort] = &[Effort::Low, Effort::Medium, Effort::High];

pub(super) const MINIMAL_TO_XHIGH: &[Effort] =
    &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High, Effort::XHigh];

/// The levels up to `highest`.
pub(super) fn up_to(highest: Effort, levels: &'static [Effort]) -> &'static [Effort] {
    &levels[..levels.iter().position(|level| *level > highest).unwrap_or(levels.len())]
}

impl Effort {
    pub(super) fn name(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
            Effort::Max => "max",
        }
    }

    pub(super) fn of(reasoning: Reasoning) -> Self {
        match reasoning.nearest_level() {
            Reasoning::Off => Effort::None,
            Reasoning::Minimal => Effort::Minimal,
            Reasoning::Low => Effort::Low,
            Reasoning::Medium => Effort::Medium,
            Reasoning::High | Reasoning::Tokens(_) => Effort::High,
            Reasoning::XHigh => Effort::XHigh,
            Reasoning::Max => Effort::Max,
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
        Reasoning::Minimal => Some(1_024),
        Reasoning::Low => Some(2_048),
        Reasoning::Medium => Some(8_192),
        Reasoning::High => Some(24_576),
        Reasoning::XHigh => Some(32_768),
        Reasoning::Max => Some(49_152),
        Reasoning::Tokens(tokens) => Some(tokens),
    }
}

/// The levels that only models with named levels have; elsewhere a near measure takes their place.
fn is_named_only(reasoning: Reasoning) -> bool {
    matches!(reasoning, Reasoning::Minimal | Reasoning::XHigh | Reasoning::Max)
}

/// Warns where a model has no levels, and `instead` was used for `'minimal'`, `'xhigh'` or `'max'`.
pub(super) fn warn_without_levels(reasoning: Reasoning, instead: &str, warnings: &mut Warnings) {
    if let Some(level) = reasoning.level().filter(|_| is_named_only(reasoning)) {
        warnings.changed("reasoning", format!("this model has no level '{level}'; {instead} was used"));
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

pub(super) fn clamped_budget(
    reasoning: Option<Reasoning>,
    tokens: u64,
    (least, most): (u64, u64),
    warnings: &mut Warnings,
) -> u64 {
    let within = tokens.clamp(least.min(most), most);
    if let Some(level) = reasoning.filter(|reasoning| is_named_only(*reasoning)) {
        warn_without_levels(level, &format!("a budget of {within} tokens"), warnings);
    } else if within != tokens {
        warnings
            .changed("reasoning", format!("the model takes {least} to {most} tokens of thought; {within} was used"));
    }
    within
}
