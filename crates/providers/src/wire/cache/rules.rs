//! What the prompt cache of each service does, with the pages that say so (as of November 2026).

use lmthing_base::{
    cache::{AutomaticMarks, CacheCertainty, CacheKind, CacheMarks, CacheRules, CacheSetting, SettingEffect},
    chat::{CacheOption, CallSettings},
};

use super::openai_models;

/// OpenAI and Azure: developers.openai.com, "Prompt caching"; learn.microsoft.com, "Prompt caching".
///
/// Requests of 1 024 tokens and more are cached, from gpt-4o on. Before gpt-5.6 the longest known beginning is read, in
/// steps of 128 tokens. From then on beginnings end at a mark, which the service puts after the newest message. The
/// schema of the output is a part of the beginning. The key routes requests to a cache.
pub(in crate::wire) fn openai(model_id: &str, settings: &CallSettings) -> CacheRules {
    const SETTINGS: &[(CacheSetting, SettingEffect)] = &[
        (CacheSetting::ResponseFormat, SettingEffect::Everything),
        (CacheSetting::Reasoning, SettingEffect::Possible),
        (CacheSetting::ToolChoice, SettingEffect::Possible),
        (CacheSetting::Tier, SettingEffect::Possible),
        (CacheSetting::Cache, SettingEffect::Possible),
        (CacheSetting::ProviderOptions("openai"), SettingEffect::Possible),
        (CacheSetting::ProviderOptions("azure"), SettingEffect::Possible),
    ];
    if openai_models::is_before_cache(model_id) {
        return CacheRules::NONE;
    }
    let rules =
        CacheRules { certainty: CacheCertainty::Promised, settings: SETTINGS, ..CacheRules::automatic(1_024, 128) };
    if !openai_models::has_cache_breakpoints(model_id) {
        return rules;
    }
    let is_marked = settings.cache.as_ref().is_some_and(CacheOption::is_detailed);
    let automatic = if is_marked { AutomaticMarks::InstructionsAndNewest } else { AutomaticMarks::Newest };
    let own = &[("openai", "promptCacheBreakpoint"), ("azure", "promptCacheBreakpoint")];
    CacheRules { kind: CacheKind::Marks(CacheMarks { automatic, text_only: false, own }), step: 1, ..rules }
}

/// Anthropic: platform.claude.com, "Prompt caching" and "Tool use with prompt caching".
///
/// Tools, system prompt and messages are cached up to the marks. Another choice of tools or other thinking leaves those
/// of tools and system prompt, another schema of the output nothing.
pub(in crate::wire) fn anthropic(least: Option<u64>, settings: &CallSettings) -> CacheRules {
    const SETTINGS: &[(CacheSetting, SettingEffect)] = &settings_of_marks("anthropic");
    let Some(least) = least else { return CacheRules::NONE };
    // A mark of the whole request is one after its end.
    let is_marked = settings.provider_options.get("anthropic").is_some_and(|own| !own["cacheControl"].is_null());
    let marks = CacheMarks {
        automatic: match automatic(settings) {
            AutomaticMarks::None if is_marked => AutomaticMarks::Newest,
            automatic => automatic,
        },
        text_only: false,
        own: &[("anthropic", "cacheControl"), ("anthropic", "cache_control")],
    };
    CacheRules {
        kind: CacheKind::Marks(marks),
        least,
        certainty: CacheCertainty::Promised,
        settings: SETTINGS,
        ..CacheRules::NONE
    }
}

/// Bedrock: docs.aws.amazon.com, "Prompt caching for faster model inference".
///
/// Claude as at Anthropic. Nova caches texts only.
pub(in crate::wire) fn bedrock(least: Option<u64>, is_nova: bool, settings: &CallSettings) -> CacheRules {
    const SETTINGS: &[(CacheSetting, SettingEffect)] = &settings_of_marks("bedrock");
    const NOVA: u64 = 1_024;
    let Some(least) = least.or(is_nova.then_some(NOVA)) else { return CacheRules::NONE };
    let marks = CacheMarks { automatic: automatic(settings), text_only: is_nova, own: &[("bedrock", "cachePoint")] };
    CacheRules {
        kind: CacheKind::Marks(marks),
        least,
        certainty: CacheCertainty::Promised,
        settings: SETTINGS,
        ..CacheRules::NONE
    }
}

const fn settings_of_marks(provider: &'static str) -> [(CacheSetting, SettingEffect); 6] {
    [
        (CacheSetting::ResponseFormat, SettingEffect::Everything),
        (CacheSetting::ToolChoice, SettingEffect::Messages),
        (CacheSetting::Reasoning, SettingEffect::Messages),
        (CacheSetting::Cache, SettingEffect::Possible),
        (CacheSetting::Tier, SettingEffect::Possible),
        (CacheSetting::ProviderOptions(provider), SettingEffect::Possible),
    ]
}

fn automatic(settings: &CallSettings) -> AutomaticMarks {
    if settings.cache == Some(CacheOption::Off) { AutomaticMarks::None } else { AutomaticMarks::All }
}

/// Google and Vertex: ai.google.dev, "Context caching"; implicit caches of Gemini from 2.5 on, which are no promise.
pub(in crate::wire) fn gemini(version: Option<(u32, u32)>, is_flash: bool) -> CacheRules {
    const SETTINGS: &[(CacheSetting, SettingEffect)] = &[
        (CacheSetting::ResponseFormat, SettingEffect::Possible),
        (CacheSetting::Reasoning, SettingEffect::Possible),
        (CacheSetting::ToolChoice, SettingEffect::Possible),
        (CacheSetting::Tier, SettingEffect::Possible),
        (CacheSetting::ProviderOptions("google"), SettingEffect::Possible),
        (CacheSetting::ProviderOptions("vertex"), SettingEffect::Possible),
    ];
    let Some(version) = version.filter(|version| *version >= (2, 5)) else { return CacheRules::NONE };
    let least = match is_flash {
        true if version < (3, 5) => 1_024,
        false if version < (3, 0) => 2_048,
        _ => 4_096,
    };
    CacheRules {
        tolerance: 10,
        certainty: CacheCertainty::BestEffort,
        settings: SETTINGS,
        ..CacheRules::automatic(least, 1)
    }
}

/// DeepSeek: api-docs.deepseek.com, "Context caching". Blocks of 64 tokens.
pub(in crate::wire) const DEEPSEEK: CacheRules =
    CacheRules { tolerance: 5, certainty: CacheCertainty::Promised, ..CacheRules::automatic(64, 64) };

/// xAI: docs.x.ai, "Prompt caching". Nothing is said of sizes; counts are multiples of 64 or 128.
pub(in crate::wire) const XAI: CacheRules =
    CacheRules { tolerance: 10, certainty: CacheCertainty::BestEffort, ..CacheRules::automatic(128, 64) };

/// A server with OpenAI's protocol, of which only this is known.
pub(in crate::wire) const COMPATIBLE: CacheRules = CacheRules { tolerance: 10, ..CacheRules::automatic(1_024, 128) };
