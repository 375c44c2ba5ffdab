//! Marks for the prompt cache in the Messages API: `cache_control` inside the block that is the last to be kept.

use serde_json::{Map, Value, json};

use crate::{
    chat::CallSettings,
    provider::wire::{
        blocks::{self, MarkFormat, Place},
        settings::Warnings,
    },
};

/// Models from before there was a cache refuse a request with marks.
const WITHOUT_CACHE: [&str; 3] = ["claude-2", "claude-instant", "claude-3-sonnet"];

/// Marks the finished body.
pub(super) fn mark(body: &mut Map<String, Value>, settings: &CallSettings, model_id: &str, warnings: &mut Warnings) {
    let automatic = settings.cache != Some(false) && !WITHOUT_CACHE.iter().any(|old| model_id.contains(old));
    blocks::place_marks(&CacheControl, body, automatic, warnings);
}

struct CacheControl;

impl MarkFormat for CacheControl {
    fn mark(block: &Value) -> Option<&Value> {
        block.get("cache_control")
    }

    fn takes(&self, _place: Place, list: &[Value]) -> bool {
        // The service refuses a mark on text without text.
        let is_blank = |block: &Value| block["text"].as_str().is_some_and(|text| text.trim().is_empty());
        list.last().is_some_and(|block| !is_blank(block))
    }

    fn put(list: &mut Vec<Value>) {
        if let Some(Value::Object(block)) = list.last_mut() {
            block.insert("cache_control".into(), json!({ "type": "ephemeral" }));
        }
    }

    fn remove(list: &mut Vec<Value>, index: usize) {
        if let Some(Value::Object(block)) = list.get_mut(index) {
            block.shift_remove("cache_control");
        }
    }
}
