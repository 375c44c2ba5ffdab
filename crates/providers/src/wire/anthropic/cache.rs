//! Prompt cache marks of the Messages API: `cache_control` in the last cached block.

use serde_json::{Map, Value, json};

use super::models;
use crate::wire::{
    blocks::{self, ListKind, MarkFormat, Marking},
    cache,
    settings::Warnings,
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CacheOption, CallSettings},
};

const WITHOUT_CACHE: [&str; 3] = ["claude-2", "claude-instant", "claude-3-sonnet"];

pub(super) fn mark(body: &mut Map<String, Value>, settings: &CallSettings, model_id: &str, warnings: &mut Warnings) {
    let has_cache = has_cache(model_id);
    let ttl = settings.cache.as_ref().and_then(CacheOption::ttl);
    if let Some(ttl) = ttl.filter(|_| !has_cache) {
        cache::warn_fixed(ttl, warnings);
    }
    let is_automatic = settings.cache != Some(CacheOption::Off) && has_cache;
    let marking =
        Marking { is_automatic, ttl: ttl.map(cache::of_mark), of_request: body.get("cache_control").cloned() };
    blocks::place_marks(&CacheControl, body, &marking, warnings);
}

fn has_cache(model_id: &str) -> bool {
    !WITHOUT_CACHE.iter().any(|old| model_id.contains(old))
}

pub(super) fn rules(model_id: &str, settings: &CallSettings) -> CacheRules {
    cache::rules::anthropic(has_cache(model_id).then(|| models::model(model_id).least_cached), settings)
}

struct CacheControl;

impl MarkFormat for CacheControl {
    fn mark(block: &Value) -> Option<&Value> {
        block.get("cache_control")
    }

    fn accepts(&self, kind: ListKind, list: &[Value]) -> bool {
        // A tool that Anthropic runs is sent as the author wrote it.
        if kind == ListKind::Tools && list.last().is_some_and(|tool| tool.get("input_schema").is_none()) {
            return false;
        }
        // The service refuses marks on blank text.
        let is_blank = |block: &Value| block["text"].as_str().is_some_and(|text| text.trim().is_empty());
        list.last().is_some_and(|block| !is_blank(block))
    }

    fn put(list: &mut Vec<Value>, ttl: Option<&str>) {
        if let Some(Value::Object(block)) = list.last_mut() {
            block.insert("cache_control".into(), blocks::mark(json!({ "type": "ephemeral" }), ttl));
        }
    }

    fn remove(list: &mut Vec<Value>, index: usize) {
        if let Some(Value::Object(block)) = list.get_mut(index) {
            block.shift_remove("cache_control");
        }
    }
}
