//! Settings of the prompt cache in each API: `options.cache` (docs/reference/model-settings.md#prompt-caching).

pub(super) mod rules;

use serde_json::{Map, Value, json};

use super::{encoded_request::EncodedRequest, openai_models, settings::Warnings, values::option};
use lmthing_base::{
    cache::json_length,
    chat::{CacheOption, CacheTtl, ProviderOptions},
    cost::tokens_of,
};

/// What of the setting an API takes.
#[derive(Clone, Copy, Debug)]
pub struct CacheForm {
    key: Option<KeyPlace>,
    /// Whether requests without a key of the author get one of the run.
    has_key_of_run: bool,
    lifetime: Lifetime,
}

#[derive(Clone, Copy, Debug)]
enum KeyPlace {
    Field(&'static str),
    Header(&'static str),
}

#[derive(Clone, Copy, Debug)]
enum Lifetime {
    /// Cannot be chosen.
    Fixed,
    /// The encoder has put it into the marks, or warned.
    Marks,
    /// A field with a mark for the whole request, which OpenRouter takes for Claude.
    WholeRequest,
    OpenAi,
}

const PROMPT_CACHE_KEY: Option<KeyPlace> = Some(KeyPlace::Field("prompt_cache_key"));

impl CacheForm {
    pub(super) const NONE: CacheForm = CacheForm { key: None, has_key_of_run: false, lifetime: Lifetime::Fixed };
    pub(super) const MARKS: CacheForm = CacheForm { lifetime: Lifetime::Marks, ..CacheForm::NONE };
    pub(super) const WHOLE_REQUEST: CacheForm = CacheForm { lifetime: Lifetime::WholeRequest, ..CacheForm::NONE };
    pub(super) const KEY: CacheForm = CacheForm { key: PROMPT_CACHE_KEY, ..CacheForm::NONE };
    pub(super) const XAI_CHAT: CacheForm =
        CacheForm { key: Some(KeyPlace::Header("x-grok-conv-id")), ..CacheForm::NONE };
    pub(super) const OPENAI: CacheForm =
        CacheForm { key: PROMPT_CACHE_KEY, has_key_of_run: true, lifetime: Lifetime::OpenAi };
}

/// OpenAI caches no shorter requests.
const LEAST_FOR_KEY_OF_RUN: u64 = 1_024;

/// More bytes than a token has by the estimate.
const MAX_TOKEN: u64 = 8;

impl EncodedRequest {
    /// Adds the settings of the cache. What provider options have set stays.
    pub(crate) fn put_cache(
        &mut self,
        setting: Option<&CacheOption>,
        key_of_run: Option<&str>,
        form: CacheForm,
        model_id: &str,
    ) {
        if setting == Some(&CacheOption::Off) {
            return;
        }
        let mut warnings = Warnings::default();
        match (setting.and_then(CacheOption::key), form.key) {
            (Some(key), Some(place)) => self.put_key(place, key),
            (Some(_), None) => warnings.changed("cache.key", "this provider takes no key, so cache.key was left out"),
            (None, Some(place)) if form.has_key_of_run => {
                // The length is only needed for a key.
                if let Some(key) = key_of_run.filter(|_| self.is_long_enough_for_key()) {
                    self.put_key(place, key);
                }
            }
            (None, _) => {}
        }
        let Value::Object(body) = &mut self.body else { return };
        if let Some(ttl) = setting.and_then(CacheOption::ttl) {
            put_lifetime(body, ttl, form.lifetime, model_id, &mut warnings);
        }
        if matches!(form.lifetime, Lifetime::OpenAi)
            && setting.is_some_and(CacheOption::is_detailed)
            && openai_models::has_cache_breakpoints(model_id)
        {
            mark_instructions(body);
        }
        self.warnings.extend(warnings.into_vec());
    }

    /// Whether what is written to the cache is kept for an hour, where the answer does not say. Only the marks of the
    /// setting are looked at.
    pub(crate) fn writes_for_an_hour(&self, setting: Option<&CacheOption>) -> bool {
        let is_long = |ttl: CacheTtl| of_mark(ttl) == of_mark(CacheTtl::OneHour);
        setting.and_then(CacheOption::ttl).is_some_and(is_long) && has_long_mark(&self.body)
    }

    fn put_key(&mut self, place: KeyPlace, key: &str) {
        match (place, &mut self.body) {
            (KeyPlace::Field(name), Value::Object(body)) => drop(body.entry(name).or_insert_with(|| key.into())),
            (KeyPlace::Field(_), _) => {}
            (KeyPlace::Header(name), _) => self.headers.push((name, key.to_owned())),
        }
    }

    /// Whether what the model reads has the fewest tokens that are cached, by an estimate.
    fn is_long_enough_for_key(&self) -> bool {
        let mut bytes = 0;
        let mut read = ["tools", "instructions", "input", "messages"].iter().filter_map(|key| self.body.get(*key));
        read.any(|value| {
            bytes += json_length(value, LEAST_FOR_KEY_OF_RUN * MAX_TOKEN);
            tokens_of(bytes) >= LEAST_FOR_KEY_OF_RUN
        })
    }
}

fn put_lifetime(
    body: &mut Map<String, Value>,
    ttl: CacheTtl,
    lifetime: Lifetime,
    model_id: &str,
    warnings: &mut Warnings,
) {
    match (lifetime, ttl) {
        (Lifetime::Marks, _) => {}
        (Lifetime::WholeRequest, _) => {
            let mark = json!({ "type": "ephemeral", "ttl": of_mark(ttl) });
            body.entry("cache_control").or_insert(mark);
        }
        // No service forgets what it has read sooner.
        (Lifetime::Fixed | Lifetime::OpenAi, CacheTtl::FiveMinutes) => {}
        (Lifetime::Fixed, _) => warn_fixed(ttl, warnings),
        (Lifetime::OpenAi, CacheTtl::OneHour) => {
            let details =
                "OpenAI's cache has no lifetime of an hour, so cache.ttl '1h' was left out; 'long' is its longest";
            warnings.changed("cache.ttl", details);
        }
        (Lifetime::OpenAi, CacheTtl::Long) => put_longest(body, model_id),
    }
}

/// A warning about a lifetime that a service does not offer.
pub(super) fn warn_fixed(ttl: CacheTtl, warnings: &mut Warnings) {
    let details = format!("the lifetime of this cache cannot be chosen, so cache.ttl '{}' was left out", ttl.name());
    warnings.changed("cache.ttl", details);
}

/// The lifetime in marks of Anthropic and Bedrock.
pub(super) fn of_mark(ttl: CacheTtl) -> &'static str {
    match ttl {
        CacheTtl::FiveMinutes => "5m",
        CacheTtl::OneHour | CacheTtl::Long => "1h",
    }
}

fn has_long_mark(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_long_mark),
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_mark = name == "cache_control" || name == "cachePoint";
            (is_mark && value["ttl"] == of_mark(CacheTtl::OneHour)) || has_long_mark(value)
        }),
        _ => false,
    }
}

/// The service refuses requests with both fields.
fn put_longest(body: &mut Map<String, Value>, model_id: &str) {
    const RETENTION: &str = "prompt_cache_retention";
    const OPTIONS: &str = "prompt_cache_options";
    if body.contains_key(RETENTION) {
        return;
    }
    match body.get_mut(OPTIONS) {
        Some(Value::Object(options)) => drop(options.entry("ttl").or_insert_with(|| "30m".into())),
        Some(_) => {}
        None if openai_models::has_cache_options(model_id) => {
            drop(body.insert(OPTIONS.into(), json!({ "ttl": "30m" })))
        }
        None => drop(body.insert(RETENTION.into(), "24h".into())),
    }
}

/// The mark that an author has set at the end of a part or message.
pub(super) fn breakpoint<'a>(options: Option<&'a ProviderOptions>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| option(options, name, "promptCacheBreakpoint"))
}

/// Puts a mark on a part.
pub(super) fn put_breakpoint(part: &mut Value, mark: Option<&Value>) {
    if let (Value::Object(part), Some(mark)) = (part, mark) {
        part.insert(BREAKPOINT.into(), mark.clone());
    }
}

const BREAKPOINT: &str = "prompt_cache_breakpoint";

/// Text with a mark, as a list of one part.
pub(super) fn marked_text(kind: &str, text: &str, mark: &Value) -> Value {
    json!([{ "type": kind, "text": text, BREAKPOINT: mark }])
}

/// Marks the end of the leading instructions, so that another conversation with the same ones reads them from the
/// cache. Without marks, the service stores only whole requests.
fn mark_instructions(body: &mut Map<String, Value>) {
    for (conversation, kind) in [("input", "input_text"), ("messages", "text")] {
        let Some(Value::Array(items)) = body.get_mut(conversation) else { continue };
        let parts = items.iter().filter_map(|item| item["content"].as_array().or_else(|| item["output"].as_array()));
        if parts.flatten().any(|part| part.get(BREAKPOINT).is_some()) {
            return;
        }
        let is_instruction = |item: &&mut Value| item["role"] == "system" || item["role"] == "developer";
        if let Some(item) = items.iter_mut().take_while(is_instruction).last()
            && let Some(text) = item["content"].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
        {
            item["content"] = marked_text(kind, &text, &json!({ "mode": "explicit" }));
        }
    }
}
