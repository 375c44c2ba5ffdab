//! What Claude's model ids tell about a model.
//!
//! A model newer than this program is treated as the newest known one.

/// Limits and abilities of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider::wire) struct Model {
    /// The default of `max_tokens`; also the limit of known models.
    pub max_tokens: u64,
    /// Whether the limit is one to hold to.
    pub known: bool,
    pub structured_outputs: bool,
    pub thinking: Thinking,
    pub off: Off,
    /// Whether it takes temperature, top_p and top_k.
    pub sampling: bool,
    /// Whether it takes temperature and top_p in one request.
    pub temperature_with_top_p: bool,
}

/// How a model is asked to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider::wire) enum Thinking {
    Never,
    /// With a number of tokens.
    Budget,
    /// It decides by itself, guided by an effort.
    Adaptive,
    /// Either way.
    Both,
}

/// How a model is kept from thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider::wire) enum Off {
    /// It thinks only when asked to.
    Unsaid,
    /// It has to be told.
    Said,
    /// It thinks whatever it is told, and refuses to be told.
    Impossible,
}

type Version = (u32, u32);

/// What is known of a model.
pub(in crate::provider::wire) fn model(id: &str) -> Model {
    let Some(name) = Name::of(id) else {
        // Another vendor's model behind this protocol, perhaps on a small machine: a limit above its own would fail
        // every request, while an answer cut short says so. Their thinking follows the protocol's older form.
        return Model { thinking: Thinking::Budget, off: Off::Said, ..Model::of_limit(4_096, false) };
    };
    let (max_tokens, known) = name.limit();
    // What came in the second half of 2025 changed more than one thing.
    let recent = name.version >= (4, 5) || (name.is("opus") && name.version >= (4, 1));
    Model {
        structured_outputs: recent,
        temperature_with_top_p: !recent,
        thinking: match name.version {
            (..=2, _) | (3, ..7) => Thinking::Never,
            (3, _) | (4, ..=5) => Thinking::Budget,
            (4, 6) => Thinking::Both,
            _ => Thinking::Adaptive,
        },
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
            thinking: Thinking::Never,
            off: Off::Unsaid,
            sampling: true,
            temperature_with_top_p: true,
        }
    }
}

/// The parts of an id: `claude-3-5-haiku-20241022`, `us.anthropic.claude-opus-4-1-20250805-v1:0`, `claude-sonnet-4.5`.
struct Name<'a> {
    version: Version,
    words: Vec<&'a str>,
}

/// Of an id without a version: it stands for the newest model of all.
const NEWEST: Version = (u32::MAX, 0);

impl<'a> Name<'a> {
    fn of(id: &'a str) -> Option<Self> {
        let name = &id[id.rfind("claude")? + "claude".len()..];
        let mut numbers = Vec::new();
        let mut words = Vec::new();
        for part in name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
            // The first models were called `claude-v2`; later a `v1` is the revision and stands behind the version.
            let number = part.strip_prefix('v').filter(|_| numbers.is_empty()).unwrap_or(part).parse::<u32>();
            match number {
                // A date is no version.
                Ok(number) if number < 1_000 => numbers.push((words.len(), number)),
                Ok(_) => break,
                Err(_) => words.push(part),
            }
        }
        let version = match numbers[..] {
            [] if words.first() == Some(&"instant") => (1, 0),
            [] => NEWEST,
            // The minor version follows the major one at once.
            [(place, major), (next, minor), ..] if next == place => (major, minor),
            [(_, major), ..] => (major, 0),
        };
        Some(Name { version, words })
    }

    fn is(&self, family: &str) -> bool {
        self.words.contains(&family)
    }

    /// The largest answer, and whether that is certain.
    fn limit(&self) -> (u64, bool) {
        match self.version {
            (4, 5) | (3, 7..) => (64_000, true),
            (4, ..5) if self.is("opus") => (32_000, true),
            (4, ..5) => (64_000, true),
            (3, 5) if self.is("haiku") => (8_192, true),
            (3, 0) if self.is("haiku") => (4_096, true),
            // What every one of the old models takes; some take more.
            (..=3, _) => (4_096, false),
            _ => (128_000, true),
        }
    }

    fn off(&self) -> Off {
        match self.version {
            (..=4, _) => Off::Unsaid,
            (5, ..5) if self.is("opus") || self.is("sonnet") => Off::Said,
            (5, _) if self.is("haiku") => Off::Said,
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
            let name = Name::of(id).unwrap();
            assert_eq!(name.version, version, "{id}");
            assert!(family.is_empty() || name.is(family), "{id}");
        }
        assert!(Name::of("kimi-k2").is_none());
    }
}
