//! Prompt cache marks of ConverseStream: `cachePoint` blocks after the cached blocks.

use serde_json::{Map, Value, json};

use crate::wire::{
    anthropic,
    blocks::{self, ListKind, MarkFormat, Marking},
    cache,
    settings::Warnings,
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CacheOption, CacheTtl, CallSettings},
};

const WITHOUT_CACHE: [&str; 7] = [
    "claude-v",
    "claude-instant",
    "claude-2",
    "claude-3-sonnet",
    "claude-3-haiku",
    "claude-3-opus",
    "claude-3-5-sonnet-20240620",
];

/// Models without a cache refuse marks, so unknown ones get none.
pub(super) fn mark(body: &mut Map<String, Value>, settings: &CallSettings, model_id: &str, warnings: &mut Warnings) {
    let (nova, claude) = (is_nova(model_id), is_claude(model_id));
    let is_automatic = settings.cache != Some(CacheOption::Off) && (nova || claude);
    // Nova has one lifetime, five minutes.
    let ttl = settings.cache.as_ref().and_then(CacheOption::ttl);
    if let Some(ttl) = ttl.filter(|ttl| !claude && *ttl != CacheTtl::FiveMinutes) {
        cache::warn_fixed(ttl, warnings);
    }
    let marking = Marking { is_automatic, ttl: ttl.filter(|_| claude).map(cache::of_mark), of_request: None };
    blocks::place_marks(&CachePoints { nova }, body, &marking, warnings);
}

fn is_nova(model_id: &str) -> bool {
    model_id.contains("amazon.nova")
}

fn is_claude(model_id: &str) -> bool {
    model_id.contains("anthropic") && !WITHOUT_CACHE.iter().any(|old| model_id.contains(old))
}

pub(super) fn rules(model_id: &str, settings: &CallSettings) -> CacheRules {
    let least = is_claude(model_id).then(|| anthropic::models::model(model_id).least_cached);
    cache::rules::bedrock(least, is_nova(model_id), settings)
}

struct CachePoints {
    nova: bool,
}

impl MarkFormat for CachePoints {
    fn mark(block: &Value) -> Option<&Value> {
        block.get("cachePoint")
    }

    fn accepts(&self, kind: ListKind, list: &[Value]) -> bool {
        // Nova caches only text, and refuses marks after tools and their results.
        let is_text = |block: &Value| block.get("text").is_some() || Self::mark(block).is_some();
        !self.nova || (kind != ListKind::Tools && list.iter().all(is_text))
    }

    fn put(list: &mut Vec<Value>, ttl: Option<&str>) {
        list.push(json!({ "cachePoint": blocks::mark(json!({ "type": "default" }), ttl) }));
    }

    fn remove(list: &mut Vec<Value>, index: usize) {
        list.remove(index);
    }
}
