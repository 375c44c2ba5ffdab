//! Tools that OpenAI, Azure and xAI run.

use serde_json::{Map, Value, json};

use crate::wire::{
    UnsupportedContent, openai_models,
    provider_tools::{self, Target, Tools, approximate, put_domains, warn_lacking},
    settings::Warnings,
};
use lmthing_base::chat::{ModelRequest, ProviderToolKind, WebSearch};

const XAI: &str = "xai";

pub(super) fn is_xai(names: &[&str]) -> bool {
    names == [XAI]
}

pub(super) fn choose<'a>(
    request: &'a ModelRequest,
    names: &[&str],
    model_id: &str,
    warnings: &mut Warnings,
) -> Result<Tools<'a>, UnsupportedContent> {
    provider_tools::choose(request, Target { names, model_id }, |search| {
        if is_xai(names) {
            return Some(xai_search(search, warnings));
        }
        // The name of a deployment says nothing of its model.
        (names.contains(&"azure") || openai_models::has_web_search(model_id)).then(|| web_search(search))
    })
}

fn web_search(search: &WebSearch) -> Value {
    let mut wire = json!({ "type": "web_search" });
    let mut filters = json!({});
    put_domains(&mut filters, "allowed_domains", &search.allowed_domains);
    put_domains(&mut filters, "blocked_domains", &search.blocked_domains);
    if filters != json!({}) {
        wire["filters"] = filters;
    }
    if let Some(location) = &search.location {
        wire["user_location"] = approximate(location);
    }
    wire
}

fn xai_search(search: &WebSearch, warnings: &mut Warnings) -> Value {
    let mut wire = json!({ "type": "web_search" });
    put_domains(&mut wire, "allowed_domains", &search.allowed_domains);
    put_domains(&mut wire, "excluded_domains", &search.blocked_domains);
    warn_lacking(search, &["maxUses", "location"], "xAI", warnings);
    wire
}

/// The limit is one of the request, on all tools that the provider runs. A limit of the author's own wins.
pub(super) fn put_max_uses(body: &mut Map<String, Value>, request: &ModelRequest, provider: &str, tools: &Tools<'_>) {
    if provider == XAI || tools.provided.is_empty() {
        return;
    }
    let limit = request.tools.iter().find_map(|spec| match spec.provider_tool.as_ref().map(|tool| &tool.kind) {
        Some(ProviderToolKind::WebSearch(search)) => search.max_uses.filter(|_| tools.provided(&spec.name).is_some()),
        _ => None,
    });
    if let Some(limit) = limit {
        body.entry("max_tool_calls").or_insert_with(|| limit.into());
    }
}

/// `tool_choice` for a tool that the provider runs: its type, and for an MCP server its name.
pub(super) fn forced(tool: &Value) -> Value {
    let mut choice = json!({ "type": tool.get("type") });
    for key in ["name", "server_label"] {
        if let Some(name) = tool.get(key) {
            choice[key] = name.clone();
        }
    }
    choice
}
