//! Properties of Claude models by id. Unknown newer models are treated like the newest known one.

use crate::wire::effort::{Effort, LOW_TO_MAX};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// The default of `max_tokens`, and the limit of known models.
    pub max_tokens: u64,
    pub known: bool,
    pub structured_outputs: bool,
    pub web_search: bool,
    pub thinking: Thinking,
    /// The levels of models with adaptive thinking.
    pub efforts: &'static [Effort],
    pub off: Off,
    pub sampling: bool,
    pub temperature_with_top_p: bool,
    /// The fewest tokens that are cached.
    pub least_cached: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thinking {
    Never,
    Budget,
    Adaptive,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Off {
    Default,
    Explicit,
    Impossible,
}

type Version = (u32, u32);

const TO_4_6: &[Effort] = &[Effort::Low, Effort::Medium, Effort::High, Effort::Max];

pub(crate) fn model(id: &str) -> Model {
    let Some(name) = ModelName::of(id) else {
        // Another vendor's model with this protocol, possibly a small local one: a limit above its own would fail
        // every request, while a truncated response is reported. Such servers implement the older form of thinking.
        return Model { thinking: Thinking::Budget, off: Off::Explicit, ..Model::of_limit(4_096, false) };
    };
    let (max_tokens, known) = name.limit();
    // Several features were introduced in the second half of 2025.
    let recent = name.version >= (4, 5) || (name.is("opus") && name.version >= (4, 1));
    Model {
        structured_outputs: recent,
        web_search: name.version >= (3, 5),
        temperature_with_top_p: !recent,
        least_cached: name.least_cached(),
        thinking: match name.version {
            (..=2, _) | (3, ..7) => Thinking::Never,
            (3, _) | (4, ..=5) => Thinking::Budget,
            (4, 6) => Thinking::Both,
            _ => Thinking::Adaptive,
        },
        efforts: if name.version < (4, 7) { TO_4_6 } else { LOW_TO_MAX },
        off: name.off(),
        sampling: name.version < (4, 7),
        ..Model::of_limit(max_tokens, known)
    }
}

impl Model {
    fn of_limit(max_tokens: u64, known: bool) -> Self {
        Model {
            max_tokens,
            known,
            structured_outputs: false,
            web_search: true,
            thinking: Thinking::Never,
            efforts: LOW_TO_MAX,
            off: Off::Default,
            sampling: true,
            temperature_with_top_p: true,
            least_cached: 1_024,
        }
    }
}

struct ModelName<'a> {
    version: Version,
    words: Vec<&'a str>,
}

const NEWEST: Version = (u32::MAX, 0);

impl<'a> ModelName<'a> {
    fn of(id: &'a str) -> Option<Self> {
        let name = &id[id.rfind("claude")? + "claude".len()..];
        let mut numbers = Vec::new();
        let mut words = Vec::new();
        for part in name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
            // The first models were called `claude-v2`. A `v1` after the version is a revision.
            let number = part.strip_prefix('v').filter(|_| numbers.is_empty()).unwrap_or(part).parse::<u32>();
            match number {
                Ok(number) if number < 1_000 => numbers.push((words.len(), number)),
                Ok(_) => break,
                Err(_) => words.push(part),
            }
        }
        let version = match numbers[..] {
            [] if words.first() == Some(&"instant") => (1, 0),
            [] => NEWEST,
            // The minor version must follow the major one directly.
            [(place, major), (next, minor), ..] if next == place => (major, minor),
            [(_, major), ..] => (major, 0),
        };
        Some(ModelName { version, words })
    }

    fn is(&self, family: &str) -> bool {
        self.words.contains(&family)
    }

    fn limit(&self) -> (u64, bool) {
        match self.version {
            (4, 5) | (3, 7..) => (64_000, true),
            (4, ..5) if self.is("opus") => (32_000, true),
            (4, ..5) => (64_000, true),
            (3, 5) if self.is("haiku") => (8_192, true),
            (3, 0) if self.is("haiku") => (4_096, true),
            (..=3, _) => (4_096, false),
            _ => (128_000, true),
        }
    }

    /// platform.claude.com, "Prompt caching": limitations.
    fn least_cached(&self) -> u64 {
        match self.version {
            (4, 5) if self.is("haiku") => 4_096,
            (..=3, _) if self.is("haiku") => 2_048,
            (4, 5..=7) if self.is("opus") => 4_096,
            (..=4, _) => 1_024,
            _ if self.is("sonnet") || self.is("haiku") => 1_024,
            _ => 512,
        }
    }

    fn off(&self) -> Off {
        match self.version {
            (..=4, _) => Off::Default,
            (5, ..5) if self.is("opus") || self.is("sonnet") => Off::Explicit,
            (5, _) if self.is("haiku") => Off::Explicit,
            _ => Off::Impossible,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_a_version_and_a_family() {
        for (id, version, family) in [
            ("claude-opus-4-6", (4, 6), "opus"),
            ("claude-sonnet-4-5-20250929", (4, 5), "sonnet"),
            ("claude-sonnet-4-5@20250929", (4, 5), "sonnet"),
            ("anthropic/claude-sonnet-4.5:beta", (4, 5), "sonnet"),
            ("claude-sonnet-4-20250514", (4, 0), "sonnet"),
            ("claude-3-5-haiku-latest", (3, 5), "haiku"),
            ("claude-3-haiku-20240307", (3, 0), "haiku"),
            ("us.anthropic.claude-opus-4-1-20250805-v1:0", (4, 1), "opus"),
            ("anthropic.claude-opus-4-6-v1", (4, 6), "opus"),
            ("anthropic.claude-opus-5-v1:0", (5, 0), "opus"),
            (
                "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0",
                (4, 5),
                "haiku",
            ),
            ("anthropic.claude-v2:1", (2, 1), ""),
            ("claude-instant-1.2", (1, 2), "instant"),
            ("claude-fable-6", (6, 0), "fable"),
            ("claude-opus-4-10", (4, 10), "opus"),
            ("claude-opus-latest", NEWEST, "opus"),
        ] {
            let name = ModelName::of(id).unwrap();
            assert_eq!(name.version, version, "{id}");
            assert!(family.is_empty() || name.is(family), "{id}");
        }
        assert!(ModelName::of("kimi-k2").is_none());
    }
}
