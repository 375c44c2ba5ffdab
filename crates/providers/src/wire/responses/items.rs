//! Items of tools that the provider runs: each is a call and its result.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::wire::{Output, output::generated_id, values::metadata};
use lmthing_base::chat::StreamPart;

/// Kinds of items that this program would have to run, so that they are no calls of the provider. xAI runs the custom
/// ones itself.
const OF_THE_CLIENT: [&str; 6] =
    ["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "custom_tool_call", "mcp_approval_request"];

const IMAGE: &str = "image_generation_call";
const SEARCH: &str = "web_search_call";

/// Fields of items that are the input of the call; the others are its result.
const INPUT_FIELDS: [&str; 6] = ["action", "arguments", "code", "container_id", "input", "queries"];

pub(super) fn is_run_by_provider(item: &Value, provider: &str) -> bool {
    let kind = kind(item);
    let is_other = ["", "message", "function_call", "reasoning"].contains(&kind);
    let in_container = item.pointer("/environment/type").and_then(Value::as_str).is_some_and(|place| place != "local");
    let is_hosted = in_container || (provider == "xai" && kind == "custom_tool_call");
    !is_other && (is_hosted || !OF_THE_CLIENT.contains(&kind))
}

pub(super) fn is_run_by_client(item: &Value, provider: &str) -> bool {
    OF_THE_CLIENT.contains(&kind(item)) && !is_run_by_provider(item, provider)
}

/// The items that the provider is running, and what it has run.
#[derive(Debug)]
pub(super) struct ProviderItems {
    provider: &'static str,
    running: BTreeMap<u64, Running>,
    pub searches: u64,
    pub any: bool,
}

#[derive(Debug)]
struct Running {
    id: String,
    streamed: String,
    is_code: bool,
}

impl ProviderItems {
    pub(super) fn new(provider: &'static str) -> Self {
        ProviderItems { provider, running: BTreeMap::new(), searches: 0, any: false }
    }

    pub(super) fn begin(&mut self, index: u64, item: &Value, out: &mut Output) {
        let id = string(item, "id").unwrap_or_else(|| generated_id("call"));
        out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: tool_name(item) });
        let is_code = kind(item) == "code_interpreter_call";
        self.running.insert(index, Running { id, streamed: String::new(), is_code });
    }

    /// A piece of the arguments, or of the code that the provider is to run.
    pub(super) fn input_delta(&mut self, index: u64, delta: &str, out: &mut Output) {
        let Some(running) = self.running.get_mut(&index) else { return };
        let mut piece = delta.to_owned();
        if running.is_code {
            // Code is the beginning of a JSON object here, as the input of the call is one.
            let quoted = Value::from(delta).to_string();
            let start = if running.streamed.is_empty() { "{\"code\":\"" } else { "" };
            piece = format!("{start}{}", &quoted[1..quoted.len() - 1]);
        }
        running.streamed.push_str(&piece);
        out.part(StreamPart::ToolInputDelta { id: running.id.clone(), delta: piece });
    }

    pub(super) fn end(&mut self, index: u64, mut item: Value, out: &mut Output) {
        if !self.running.contains_key(&index) {
            self.begin(index, &item, out);
        }
        let Some(Running { id, streamed, .. }) = self.running.remove(&index) else { return };
        self.any = true;
        if is_search(&item) {
            self.searches += 1;
        }
        let image = take_image(&mut item);
        let input = input(&item);
        if let Some(rest) = input.strip_prefix(&*streamed).filter(|rest| !rest.is_empty()) {
            out.part(StreamPart::ToolInputDelta { id: id.clone(), delta: rest.to_owned() });
        }
        let (tool_name, result, is_error) = (tool_name(&item), result(&item), is_failure(&item));
        let kept = metadata(self.provider, [("item", item)]);
        out.provider_call(id.clone(), tool_name.clone(), input, Some(kept));
        if let Some((media_type, data)) = image {
            out.part(StreamPart::File { media_type, data });
        }
        out.part(StreamPart::ToolResult { tool_call_id: id, tool_name, result, is_error, provider_metadata: None });
    }
}

pub(super) fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn string(item: &Value, key: &str) -> Option<String> {
    item.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An MCP server's or custom tool has a name; other items are named by their type.
fn tool_name(item: &Value) -> String {
    let kind = kind(item);
    string(item, "name").unwrap_or_else(|| kind.strip_suffix("_call").unwrap_or(kind).to_owned())
}

fn input(item: &Value) -> String {
    let given = INPUT_FIELDS.iter().filter_map(|key| Some((*key, item.get(*key)?)));
    let mut given: Vec<(&str, &Value)> = given.filter(|(_, value)| !value.is_null()).collect();
    match given.as_slice() {
        [("arguments", Value::String(text))] => text.clone(),
        [("action", action @ Value::Object(_))] => without(action, &["sources"]).to_string(),
        _ => {
            // The order in which code is streamed.
            given.sort_by_key(|(key, _)| *key != "code");
            Value::Object(given.into_iter().map(|(key, value)| (key.to_owned(), value.clone())).collect()).to_string()
        }
    }
}

fn result(item: &Value) -> Value {
    let hidden: Vec<&str> = ["id", "type", "name"].into_iter().chain(INPUT_FIELDS).collect();
    let mut result = without(item, &hidden);
    if let Some(sources) = item.pointer("/action/sources") {
        result["sources"] = sources.clone();
    }
    result
}

fn without(object: &Value, keys: &[&str]) -> Value {
    let fields = object.as_object().into_iter().flatten().filter(|(key, _)| !keys.contains(&key.as_str()));
    Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>())
}

fn is_failure(item: &Value) -> bool {
    item.get("status") == Some(&json!("failed")) || item.get("error").is_some_and(|error| !error.is_null())
}

/// Only searches are paid for, not opening a page that was found.
fn is_search(item: &Value) -> bool {
    let action = item.pointer("/action/type").and_then(Value::as_str);
    kind(item) == SEARCH && action.is_none_or(|action| action == "search") && !is_failure(item)
}

/// Takes a generated image out of its item, which would be sent again with every request.
fn take_image(item: &mut Value) -> Option<(String, String)> {
    if kind(item) != IMAGE {
        return None;
    }
    let format = string(item, "output_format").unwrap_or_else(|| "png".to_owned());
    match item.as_object_mut()?.shift_remove("result")? {
        Value::String(data) if !data.is_empty() => Some((format!("image/{format}"), data)),
        _ => None,
    }
}

/// The item of a call as it came. An image is referred to where the service has stored it.
pub(super) fn sent_back(item: &Value, references: bool) -> Option<Value> {
    if kind(item) != IMAGE {
        return Some(item.clone());
    }
    references.then(|| json!({ "type": "item_reference", "id": item.get("id") }))
}
