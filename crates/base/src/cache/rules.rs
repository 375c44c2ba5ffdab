//! What the prompt cache of a model does, as far as its provider documents it.

use serde_json::Value;

use crate::chat::CallSettings;

/// The prompt cache of a model. Prompts are cached in the order tools, system prompt, messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheRules {
    pub kind: CacheKind,
    /// The fewest tokens that are cached.
    pub least: u64,
    /// Lengths that are read are multiples of this many tokens.
    pub step: u64,
    /// How much less than expected may be read without a reason, in percent: some caches keep whole blocks only, or
    /// forget at times.
    pub tolerance: u64,
    pub certainty: CacheCertainty,
    /// Settings that matter to the cache.
    pub settings: &'static [(CacheSetting, SettingEffect)],
}

/// How far an answer that reads less than expected shows a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheCertainty {
    /// Whether there is a cache is not known: nothing is expected before a server has reported a count.
    Unknown,
    /// There is a cache, which may keep a request or not: it must have read something before it can have lost something.
    BestEffort,
    /// Every server of the provider caches and reports it.
    Promised,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Nothing is cached, or nothing is known about it.
    None,
    /// The longest known beginning of a request is read.
    Automatic,
    /// Beginnings are read that end at a mark of an earlier request.
    Marks(CacheMarks),
}

/// Which marks a wire format places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheMarks {
    /// The marks beyond those of the author.
    pub automatic: AutomaticMarks,
    /// Whether only turns of text are marked.
    pub text_only: bool,
    /// The names of the author's marks in `providerOptions`: that of the provider and that of the mark.
    pub own: &'static [(&'static str, &'static str)],
}

/// Where marks are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomaticMarks {
    None,
    /// At the end of the newest turn of the user.
    Newest,
    /// Also at the end of the system prompt.
    InstructionsAndNewest,
    /// At the end of the tools, the system prompt and the last two turns of the user.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheSetting {
    ToolChoice,
    Reasoning,
    ResponseFormat,
    Tier,
    Cache,
    /// `providerOptions` of this provider.
    ProviderOptions(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingEffect {
    /// Nothing is read after a change.
    Everything,
    /// Tools and system prompt are read after a change, messages are not.
    Messages,
    /// A change may matter; it is named where nothing else has changed and less was read.
    Possible,
}

impl CacheRules {
    pub const NONE: CacheRules = CacheRules {
        kind: CacheKind::None,
        least: 0,
        step: 1,
        tolerance: 5,
        certainty: CacheCertainty::Unknown,
        settings: &[],
    };

    /// A cache that needs no marks, of prompts of at least this many tokens.
    pub const fn automatic(least: u64, step: u64) -> Self {
        CacheRules { kind: CacheKind::Automatic, least, step, ..CacheRules::NONE }
    }

    /// The part of a beginning of so many tokens that is read.
    pub fn readable(&self, tokens: u64) -> u64 {
        match self.kind {
            CacheKind::None => 0,
            _ if tokens < self.least => 0,
            _ => tokens - tokens % self.step.max(1),
        }
    }
}

impl CacheSetting {
    /// The name in `config.options`.
    pub fn name(self) -> &'static str {
        match self {
            CacheSetting::ToolChoice => "toolChoice",
            CacheSetting::Reasoning => "reasoning",
            CacheSetting::ResponseFormat => "output",
            CacheSetting::Tier => "tier",
            CacheSetting::Cache => "cache",
            CacheSetting::ProviderOptions(_) => "providerOptions",
        }
    }

    pub(super) fn differs(self, before: &CallSettings, now: &CallSettings) -> bool {
        fn options<'a>(settings: &'a CallSettings, provider: &str) -> Option<&'a Value> {
            settings.provider_options.get(provider)
        }
        match self {
            CacheSetting::ToolChoice => before.tool_choice != now.tool_choice,
            CacheSetting::Reasoning => before.reasoning != now.reasoning,
            CacheSetting::ResponseFormat => before.response_format != now.response_format,
            CacheSetting::Tier => before.tier != now.tier,
            CacheSetting::Cache => before.cache != now.cache,
            CacheSetting::ProviderOptions(provider) => options(before, provider) != options(now, provider),
        }
    }
}
