//! Properties of OpenAI's models by id. Unknown newer models are treated like the newest known one of their family.

use super::effort::{Effort, LOW_TO_HIGH, LOW_TO_MAX, NONE_TO_MAX, up_to};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A reasoning model: uses the role `developer`, and has no sampling settings.
    Reasoning,
    Plain,
    /// Not a name of OpenAI's: a deployment, an alias, or another vendor's model.
    Unknown,
}

pub(super) fn kind(model_id: &str) -> Kind {
    let name = bare_name(model_id);
    if let Some(gpt) = Gpt::of(name) {
        // Chat variants do not reason. Azure writes `35` for 3.5.
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

pub(super) fn efforts(model_id: &str) -> &'static [Effort] {
    let Some(gpt) = Gpt::of(bare_name(model_id)) else { return LOW_TO_HIGH };
    let first_fives = gpt.version == (5, 0);
    // Variants that cannot reason less: `codex`, and the top models of the sixth generation.
    let always = gpt.is("codex") || gpt.is("astra") || (gpt.version == (6, 1) && gpt.is("sol"));
    let highest = match gpt.version {
        (5, 6..) | (6.., _) => Effort::Max,
        (5, 2..) => Effort::XHigh,
        (5, 1) if gpt.is("max") => Effort::XHigh,
        _ => Effort::High,
    };
    match (first_fives, gpt.is("pro"), always) {
        (true, true, _) => &[Effort::High],
        (false, true, _) => up_to(highest, &LOW_TO_MAX[1..]),
        (_, _, true) => up_to(highest, LOW_TO_MAX),
        (true, ..) => &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High],
        (false, ..) => up_to(highest, NONE_TO_MAX),
    }
}

pub(super) fn may_sample_without_effort(model_id: &str) -> bool {
    Gpt::of(bare_name(model_id)).is_some_and(|gpt| gpt.version >= (5, 1))
}

/// The first generation with `prompt_cache_options` and breakpoints.
const WITH_CACHE_OPTIONS: (u32, u32) = (5, 6);

/// Whether the lifetime of the cache is chosen by `prompt_cache_options`; before, it is by `prompt_cache_retention`.
/// A name that is not one of OpenAI's is taken for a newer model.
pub(super) fn has_cache_options(model_id: &str) -> bool {
    kind(model_id) == Kind::Unknown || has_cache_breakpoints(model_id)
}

/// Models before gpt-4o, which cache nothing.
pub(super) fn is_before_cache(model_id: &str) -> bool {
    let name = bare_name(model_id);
    let is_old_gpt = Gpt::of(name).is_some_and(|gpt| {
        gpt.version.0 < 4 || gpt.version.0 == 35 || (gpt.version == (4, 0) && !gpt.variant.starts_with('o'))
    });
    is_old_gpt || ["davinci", "babbage"].iter().any(|old| name.starts_with(old))
}

pub(super) fn has_cache_breakpoints(model_id: &str) -> bool {
    let gpt = Gpt::of(bare_name(model_id));
    // Azure writes `35` for 3.5.
    gpt.is_some_and(|gpt| gpt.version >= WITH_CACHE_OPTIONS && gpt.version.0 != 35)
}

/// Whether a model has the tool `web_search` of the Responses API; unknown ones are asked.
pub(super) fn has_web_search(model_id: &str) -> bool {
    const WITHOUT_SEARCH: [&str; 7] = ["gpt-3.5", "gpt-4-", "gpt-4.1-nano", "chatgpt-", "o1", "davinci", "babbage"];
    let name = bare_name(model_id);
    name != "gpt-4" && !WITHOUT_SEARCH.iter().any(|old| name.starts_with(old))
}

/// Removes prefixes and suffixes, as in `openai/gpt-6` and `ft:gpt-4o:team::id`.
fn bare_name(model_id: &str) -> &str {
    let name = model_id.rsplit('/').next().unwrap_or(model_id);
    let name = name.strip_prefix("ft:").unwrap_or(name);
    name.split(':').next().unwrap_or(name)
}

fn is_o_series(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('o') else { return false };
    let rest_after_digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    rest_after_digits.len() < rest.len() && (rest_after_digits.is_empty() || rest_after_digits.starts_with('-'))
}

struct Gpt<'a> {
    version: (u32, u32),
    variant: &'a str,
}

impl<'a> Gpt<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let (major, rest) = leading_number(name.strip_prefix("gpt-")?)?;
        let minor = rest.strip_prefix('.').and_then(leading_number);
        let (minor, variant) = minor.unwrap_or((0, rest));
        Some(Gpt { version: (major, minor), variant })
    }

    fn is(&self, word: &str) -> bool {
        self.variant.split('-').any(|part| part == word)
    }
}

fn leading_number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}
