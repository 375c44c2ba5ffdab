//! Counts the searches that the provider of a model object makes (docs/reference/provider-tools.md#cost).

use serde_json::Value;

use super::sdk_tools::Search;
use lmthing_base::chat::{StreamPart, Usage};

pub(super) struct Searches {
    /// The provider's web search, if the request has it.
    search: Option<Search>,
    calls: u64,
}

impl Searches {
    pub(super) fn new(search: Option<Search>) -> Self {
        Searches { search, calls: 0 }
    }

    pub(super) fn add(&mut self, part: &StreamPart) {
        let is_search = |name: &str| self.search.as_ref().is_some_and(|search| search.name == name);
        match part {
            StreamPart::ToolCall { tool_name, provider_executed: true, .. } if is_search(tool_name) => self.calls += 1,
            // OpenAI and xAI say only in the result that a page was opened or read.
            StreamPart::ToolResult { tool_name, result, .. } if is_search(tool_name) => {
                let is_other = result["action"]["type"].as_str().is_some_and(|action| action != "search");
                self.calls -= u64::from(is_other && self.calls > 0);
            }
            _ => {}
        }
    }

    /// Puts the count into the usage of an answer with this metadata.
    pub(super) fn put(&self, usage: &mut Usage, metadata: &Value) {
        let groundings = || metadata.as_object().into_iter().flat_map(|by_name| by_name.values());
        let has_grounding = groundings().any(|options| options.get("groundingMetadata").is_some());
        let count = match groundings().map(queries).sum() {
            0 => self.calls,
            queries => queries,
        };
        usage.web_searches = (count > 0).then_some(count);
        let is_uncounted = |search: &Search| !search.has_calls && count == 0 && !has_grounding;
        usage.has_uncounted_searches = self.search.as_ref().is_some_and(is_uncounted);
    }
}

/// The number of Google's queries, each once.
fn queries(options: &Value) -> u64 {
    let per_request = options["groundingMetadataPerRequest"].as_array().into_iter().flatten();
    let all = per_request.chain([&options["groundingMetadata"]]);
    let mut queries: Vec<&str> = all
        .filter_map(|grounding| grounding["webSearchQueries"].as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    queries.sort_unstable();
    queries.dedup();
    queries.len() as u64
}
