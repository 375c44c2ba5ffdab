//! Prompt cache marks of the Messages API: `cache_control` in the last cached block.

use serde_json::{Map, Value, json};

use crate::wire::{
    blocks::{self, ListKind, MarkFormat},
    settings::Warnings,
};
use lmthing_base::chat::CallSettings;

const WITHOUT_CACHE: [&str; 3] = ["claude-2", "claude-instant", "claude-3-sonnet"];

pub(super) fn mark(body: &mut Map<String, Value>, settings: &CallSettings, model_id: &str, warnings: &mut Warnings) {
    let automatic = settings.cache != Some(false) && !WITHOUT_CACHE.iter().any(|old| model_id.contains(old));
    blocks::place_marks(&CacheControl, body, automatic, warnings);
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
