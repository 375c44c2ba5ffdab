//! What OpenAI's model ids tell about a model; shared by the Responses and the chat completions format.
//!
//! Families are told by how an id begins, so that a model newer than this program is treated as the newest known one.

use super::effort::{Effort, LOW_TO_HIGH, NONE_TO_HIGH};

/// What is known of a model before it has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Reasons before it answers: its system role is `developer`, and it takes no sampling settings.
    Reasoning,
    /// Answers at once.
    Plain,
    /// Not a name that OpenAI gave: a deployment, an alias, another vendor's model behind the same protocol.
    Unknown,
}

/// Which kind of model this is.
pub(crate) fn kind(model_id: &str) -> Kind {
    let name = bare_name(model_id);
    if let Some(gpt) = Gpt::of(name) {
        // The chat variants answer at once. Azure writes 3.5 without the point.
        let plain = gpt.version.0 < 5 || gpt.version.0 == 35 || gpt.is("chat");
        return if plain { Kind::Plain } else { Kind::Reasoning };
    }
    if is_o_series(name) || name.starts_with("codex-") || name.starts_with("computer-use") {
        return Kind::Reasoning;
    }
    if ["chatgpt-", "davinci", "babbage"].iter().any(|family| name.starts_with(family)) {
        return Kind::Plain;
    }
    Kind::Unknown
}

/// The levels of effort a model has, lowest first.
pub(crate) fn efforts(model_id: &str) -> &'static [Effort] {
    let Some(gpt) = Gpt::of(bare_name(model_id)) else { return LOW_TO_HIGH };
    let first_fives = gpt.version == (5, 0);
    // Some variants never go without: `pro` thinks long, `codex` and the top of the sixth generation at least a little.
    let always = gpt.is("codex") || gpt.is("astra") || (gpt.version == (6, 1) && gpt.is("sol"));
    match (first_fives, gpt.is("pro"), always) {
        (true, true, _) => &[Effort::High],
        (false, true, _) => &[Effort::Medium, Effort::High],
        (_, _, true) => LOW_TO_HIGH,
        (true, ..) => &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High],
        (false, ..) => NONE_TO_HIGH,
    }
}

/// Whether a model that reasons takes sampling settings when its effort is `none`: from 5.1 on.
pub(crate) fn may_sample_without_effort(model_id: &str) -> bool {
    Gpt::of(bare_name(model_id)).is_some_and(|gpt| gpt.version >= (5, 1))
}

/// The id without what stands around it: `openai/gpt-6`, `ft:gpt-4o:team::id`.
fn bare_name(model_id: &str) -> &str {
    let name = model_id.rsplit('/').next().unwrap_or(model_id);
    let name = name.strip_prefix("ft:").unwrap_or(name);
    name.split(':').next().unwrap_or(name)
}

/// `o1`, `o4-mini`, `o10-preview`.
fn is_o_series(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('o') else { return false };
    let rest_after_digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    rest_after_digits.len() < rest.len() && (rest_after_digits.is_empty() || rest_after_digits.starts_with('-'))
}

/// An id of the form `gpt-<version>…`.
struct Gpt<'a> {
    version: (u32, u32),
    /// What follows the version.
    variant: &'a str,
}

impl<'a> Gpt<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let (major, rest) = leading_number(name.strip_prefix("gpt-")?)?;
        let minor = rest.strip_prefix('.').and_then(leading_number);
        let (minor, variant) = minor.unwrap_or((0, rest));
        Some(Gpt { version: (major, minor), variant })
    }

    /// Whether a word is among those after the version.
    fn is(&self, word: &str) -> bool {
        self.variant.split('-').any(|part| part == word)
    }
}

fn leading_number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}
