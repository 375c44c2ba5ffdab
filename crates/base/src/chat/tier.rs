//! Service tiers: how fast a request is served, and at which price (docs/reference/model-settings.md).

/// A tier of `options.tier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Flex,
    Standard,
    Priority,
    Fast,
}

/// The tier of answers of batches, which no request can ask for.
pub const BATCH_TIER: &str = "batch";

/// The words of providers for a tier, in answers. The first one is its name in `options.tier`.
const WORDS: [(Tier, &[&str]); 4] = [
    (Tier::Flex, &["flex"]),
    (Tier::Standard, &["standard", "default", "standard_only", "on_demand", "auto", ""]),
    (Tier::Priority, &["priority", "performance"]),
    (Tier::Fast, &["fast"]),
];

impl Tier {
    pub fn name(self) -> &'static str {
        WORDS.iter().find(|(tier, _)| *tier == self).map_or("", |(_, words)| words[0])
    }

    /// The tier with this name in `options.tier`.
    pub fn from_name(name: &str) -> Option<Self> {
        WORDS.iter().find(|(_, words)| words[0] == name).map(|(tier, _)| *tier)
    }

    /// The tier that an answer names, in its provider's word; `None` if it is another one, such as that of batches.
    pub fn of_answer(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase();
        WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(tier, _)| *tier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_have_names_and_words_of_providers() {
        for (tier, words) in WORDS {
            assert_eq!(Tier::from_name(tier.name()), Some(tier));
            assert!(words.iter().all(|word| Tier::of_answer(word) == Some(tier)));
        }
        assert_eq!((Tier::from_name("default"), Tier::of_answer("batch")), (None, None));
        assert_eq!(Tier::of_answer("STANDARD"), Some(Tier::Standard));
    }
}
