//! Tools that Anthropic runs.

use serde_json::{Map, Value, json};

use super::models::Model;
use crate::wire::{
    UnsupportedContent,
    provider_tools::{self, Target, Tools, approximate, put_domains},
};
use lmthing_base::chat::{ModelRequest, WebSearch};

/// The version that all models with web search have. Later ones filter the results by code that the newest models write;
/// `defProviderTool` can ask for them.
const WEB_SEARCH: &str = "web_search_20250305";

/// Beta headers that tools need, by the beginning of their types.
const BETAS: [(&str, &str); 11] = [
    ("code_execution_20250522", "code-execution-2025-05-22"),
    ("code_execution_20250825", "code-execution-2025-08-25"),
    ("web_fetch_20250910", "web-fetch-2025-09-10"),
    ("web_fetch_20260209", "code-execution-web-tools-2026-02-09"),
    ("web_search_20260209", "code-execution-web-tools-2026-02-09"),
    ("mcp_toolset", "mcp-client-2025-11-20"),
    ("memory_20250818", "context-management-2025-06-27"),
    ("advisor_20260301", "advisor-tool-2026-03-01"),
    ("computer_20241022", "computer-use-2024-10-22"),
    ("computer_20250124", "computer-use-2025-01-24"),
    ("computer_20251124", "computer-use-2025-11-24"),
];

pub(super) fn choose<'a>(
    request: &'a ModelRequest,
    model_id: &str,
    model: Model,
) -> Result<Tools<'a>, UnsupportedContent> {
    let target = Target { names: &["anthropic"], model_id };
    provider_tools::choose(request, target, |search| model.web_search.then(|| web_search(search)))
}

fn web_search(search: &WebSearch) -> Value {
    let mut wire = json!({ "type": WEB_SEARCH, "name": "web_search" });
    if let Some(uses) = search.max_uses {
        wire["max_uses"] = uses.into();
    }
    put_domains(&mut wire, "allowed_domains", &search.allowed_domains);
    put_domains(&mut wire, "blocked_domains", &search.blocked_domains);
    if let Some(location) = &search.location {
        wire["user_location"] = approximate(location);
    }
    wire
}

/// The beta headers of the tools in a request, each once.
pub(super) fn betas(body: &Map<String, Value>) -> Vec<&'static str> {
    let mut betas = Vec::new();
    for tool in body.get("tools").and_then(Value::as_array).into_iter().flatten() {
        let Some(kind) = tool.get("type").and_then(Value::as_str) else { continue };
        let beta = BETAS.iter().find(|(start, _)| kind.starts_with(start)).map(|(_, beta)| *beta);
        betas.extend(beta.filter(|beta| !betas.contains(beta)));
    }
    betas
}
