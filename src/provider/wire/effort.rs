//! `reasoning` of the call settings in the words wires have for it: levels of effort and numbers of tokens.
//!
//! What each provider is sent is in `docs/providers.md`, "Reasoning".

use super::settings::Warnings;
use crate::chat::Reasoning;

/// How hard a model thinks, from not at all to as much as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
}

/// The levels nearly every model that reasons has.
pub(crate) const LOW_TO_HIGH: &[Effort] = &[Effort::Low, Effort::Medium, Effort::High];

/// The levels of models that can also answer at once.
pub(crate) const NONE_TO_HIGH: &[Effort] = &[Effort::None, Effort::Low, Effort::Medium, Effort::High];

/// Thought tokens for the three levels, where a wire takes numbers only. Every model that takes one takes these.
const BUDGETS: [u64; 3] = [2_048, 8_192, 24_576];

impl Effort {
    /// As wires write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        }
    }

    /// The level asked for, or the one nearest to a number of tokens.
    pub(crate) fn of(reasoning: Reasoning) -> Self {
        match reasoning {
            Reasoning::Off => Effort::None,
            Reasoning::Low | Reasoning::Tokens(..=4_096) => Effort::Low,
            Reasoning::Medium | Reasoning::Tokens(..=16_384) => Effort::Medium,
            Reasoning::High | Reasoning::Tokens(_) => Effort::High,
        }
    }
}

/// The level among those a model has, lowest first, with a warning where it is not the one asked for.
pub(crate) fn choose(reasoning: Reasoning, levels: &[Effort], warnings: &mut Warnings) -> Effort {
    let wanted = Effort::of(reasoning);
    // Rather a little more thought than less: less might be none.
    let chosen = levels.iter().find(|level| **level >= wanted).or(levels.last()).copied().unwrap_or(wanted);
    if wanted == Effort::None {
        // With `minimal` a model hardly thinks.
        if chosen > Effort::Minimal {
            warn_always_on(&format!("'{}'", chosen.name()), warnings);
        }
    } else if chosen != wanted {
        let (wanted, chosen) = (wanted.name(), chosen.name());
        warnings.changed("reasoning", format!("this model has no level '{wanted}'; '{chosen}' was used"));
    }
    chosen
}

/// Says that reasoning was to be off, but cannot be.
pub(crate) fn warn_always_on(instead: &str, warnings: &mut Warnings) {
    warnings.changed("reasoning", format!("this model cannot go without reasoning; {instead} was used"));
}

/// Says that reasoning was asked of a model that has none, or none that lmthing knows how to ask for.
pub(crate) fn warn_unsupported(warnings: &mut Warnings) {
    warnings
        .changed("reasoning", "reasoning is not supported for this model; providerOptions can say it in its own words");
}

/// How many tokens the model may think; none when reasoning is off.
pub(crate) fn budget(reasoning: Reasoning) -> Option<u64> {
    match reasoning {
        Reasoning::Off => None,
        Reasoning::Low => Some(BUDGETS[0]),
        Reasoning::Medium => Some(BUDGETS[1]),
        Reasoning::High => Some(BUDGETS[2]),
        Reasoning::Tokens(tokens) => Some(tokens),
    }
}

/// The same where thoughts count against the answer's limit: a level leaves at least half of it, or 4 096 tokens, to the
/// answer. A number is the author's own.
pub(crate) fn budget_beside_answer(reasoning: Reasoning, limit: Option<u64>) -> Option<u64> {
    let tokens = budget(reasoning)?;
    match limit {
        Some(limit) if !matches!(reasoning, Reasoning::Tokens(_)) => Some(tokens.min(limit - (limit / 2).min(4_096))),
        _ => Some(tokens),
    }
}

/// A budget within what a model takes, with a warning where it was not.
pub(crate) fn bounded(tokens: u64, least: u64, most: u64, warnings: &mut Warnings) -> u64 {
    let within = tokens.clamp(least.min(most), most);
    if within != tokens {
        warnings
            .changed("reasoning", format!("the model takes {least} to {most} tokens of thought; {within} was used"));
    }
    within
}
