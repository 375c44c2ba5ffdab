//! Tools that services with chat completions run. They are elements of `tools`, plugins, or fields of the body.

use serde_json::{Map, Value, json};

use super::{dialect::Dialect, server::Server};
use crate::wire::{
    UnsupportedContent,
    provider_tools::{self, Target, Tools, put_domains, warn_lacking},
    settings::Warnings,
};
use lmthing_base::chat::{ModelRequest, ToolChoice, WebSearch};

pub(super) fn choose<'a>(
    request: &'a ModelRequest,
    dialect: &Dialect,
    server: Server,
    model_id: &str,
    warnings: &mut Warnings,
) -> Result<Tools<'a>, UnsupportedContent> {
    let names: &[&str] = if server == Server::Azure { &["azure", "openai"] } else { &[dialect.name()] };
    provider_tools::choose(request, Target { names, model_id }, |search| match (dialect, server) {
        (Dialect::Groq, _) => groq_search(search, model_id, warnings),
        (_, Server::OpenRouter) => Some(openrouter_search(search, warnings)),
        (_, Server::Perplexity) => Some(perplexity_search(search, warnings)),
        _ => None,
    })
}

fn groq_search(search: &WebSearch, model_id: &str, warnings: &mut Warnings) -> Option<Value> {
    if model_id.contains("gpt-oss") {
        warn_lacking(search, &["allowedDomains", "blockedDomains", "maxUses", "location"], "Groq", warnings);
        return Some(json!({ "type": "browser_search" }));
    }
    // These models always search, and take settings only.
    model_id.contains("compound").then(|| {
        let mut settings = json!({});
        put_domains(&mut settings, "include_domains", &search.allowed_domains);
        put_domains(&mut settings, "exclude_domains", &search.blocked_domains);
        warn_lacking(search, &["maxUses", "location"], "Groq", warnings);
        if settings == json!({}) { json!({}) } else { json!({ "search_settings": settings }) }
    })
}

fn openrouter_search(search: &WebSearch, warnings: &mut Warnings) -> Value {
    let mut plugin = json!({ "id": "web" });
    put_domains(&mut plugin, "include_domains", &search.allowed_domains);
    put_domains(&mut plugin, "exclude_domains", &search.blocked_domains);
    warn_lacking(search, &["maxUses", "location"], "OpenRouter", warnings);
    plugin
}

/// All models search; the settings narrow it.
fn perplexity_search(search: &WebSearch, warnings: &mut Warnings) -> Value {
    let mut fields = json!({});
    let blocked: Vec<String> = search.blocked_domains.iter().map(|domain| format!("-{domain}")).collect();
    put_domains(&mut fields, "search_domain_filter", &search.allowed_domains);
    put_domains(&mut fields, "search_domain_filter", &blocked);
    if let Some(location) = &search.location {
        let mut place = json!({});
        for (key, value) in [("country", &location.country), ("region", &location.region), ("city", &location.city)] {
            if let Some(value) = value {
                place[key] = value.clone().into();
            }
        }
        fields["web_search_options"] = json!({ "user_location": place });
    }
    warn_lacking(search, &["maxUses"], "Perplexity", warnings);
    fields
}

fn is_listed(wire: &Value) -> bool {
    wire.get("type").is_some()
}

/// The tools that have a `type`, and so belong into `tools`.
pub(super) fn listed<'a>(tools: &'a Tools<'_>) -> impl Iterator<Item = Value> + 'a {
    tools.provided.iter().filter(|tool| is_listed(&tool.wire)).map(|tool| tool.wire.clone())
}

/// `toolChoice` as the service can express it: no request can force a plugin or a field of the body.
pub(super) fn possible_choice<'c>(
    tools: &Tools<'_>,
    choice: Option<&'c ToolChoice>,
    warnings: &mut Warnings,
) -> &'c ToolChoice {
    match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::Tool(name) if tools.provided(name).is_some_and(|wire| !is_listed(wire)) => {
            warnings.changed("toolChoice", format!("the service cannot be made to use {name}, which it runs itself"));
            &ToolChoice::Auto
        }
        choice => choice,
    }
}

/// Puts the other tools: plugins, which have an `id`, and fields of the body.
pub(super) fn put_others(body: &mut Map<String, Value>, tools: &Tools<'_>) {
    for tool in tools.provided.iter().filter(|tool| !is_listed(&tool.wire)) {
        if tool.wire.get("id").is_none() {
            body.extend(tool.wire.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
        } else if let Value::Array(plugins) = body.entry("plugins").or_insert_with(|| json!([])) {
            plugins.push(tool.wire.clone());
        }
    }
}
