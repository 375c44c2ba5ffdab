//! Token counts of chat completions, whose names differ between servers.

use serde::Deserialize;

use super::dialect::Dialect;
use crate::wire::{lenient, output::usage};
use lmthing_base::chat::Usage;

#[derive(Debug, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, deserialize_with = "lenient::count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::object")]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default, deserialize_with = "lenient::object")]
    completion_tokens_details: Option<CompletionDetails>,
    /// Moonshot.
    #[serde(default, deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
    /// DeepSeek.
    #[serde(default, deserialize_with = "lenient::count")]
    prompt_cache_hit_tokens: Option<u64>,
    /// Gateways to Anthropic's models.
    #[serde(default, deserialize_with = "lenient::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    cache_creation_input_tokens: Option<u64>,
    /// Perplexity.
    #[serde(default, deserialize_with = "lenient::count")]
    num_search_queries: Option<u64>,
    /// OpenRouter.
    #[serde(default, deserialize_with = "lenient::object")]
    server_tool_use: Option<ServerToolUse>,
}

#[derive(Debug, Deserialize)]
struct ServerToolUse {
    #[serde(default, deserialize_with = "lenient::count")]
    web_search_requests: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct PromptDetails {
    #[serde(default, deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
    /// OpenRouter.
    #[serde(default, deserialize_with = "lenient::count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct CompletionDetails {
    #[serde(default, deserialize_with = "lenient::count")]
    reasoning_tokens: Option<u64>,
}

impl WireUsage {
    pub(super) fn read(self, dialect: &Dialect) -> Option<Usage> {
        if self.prompt_tokens.is_none() && self.completion_tokens.is_none() {
            return None;
        }
        let details = self.prompt_tokens_details.as_ref();
        let cached = details
            .and_then(|details| details.cached_tokens)
            .or(self.cached_tokens)
            .or(self.prompt_cache_hit_tokens)
            .or(self.cache_read_input_tokens);
        let written = details.and_then(|details| details.cache_write_tokens).or(self.cache_creation_input_tokens);
        let reasoning = self.completion_tokens_details.and_then(|details| details.reasoning_tokens);
        let is_reported = cached.is_some();
        let (cached, reasoning) = match dialect {
            // Mistral and Groq do not report cached tokens, which is different from 0.
            Dialect::Mistral => (None, None),
            Dialect::Groq => (None, reasoning),
            _ => (Some(cached.unwrap_or(0)), Some(reasoning.unwrap_or(0))),
        };
        let has_cache_count = is_reported && cached.is_some();
        let usage = usage(self.prompt_tokens, self.completion_tokens, cached, reasoning);
        let web_searches = self.server_tool_use.and_then(|tools| tools.web_search_requests).or(self.num_search_queries);
        Some(Usage { cache_write_tokens: written, has_cache_count, web_searches, ..usage })
    }
}
