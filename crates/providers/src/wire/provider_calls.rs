//! Calls that a provider has run. Their blocks are kept as they came, and go back to this provider only.

use serde_json::{Value, json};

use super::values::{metadata, option};
use lmthing_base::chat::{ContentPart, ProviderOptions};

/// Takes the content at a JSON pointer out of a block. The part of the answer holds it; the metadata hold the rest.
pub(super) fn take_content(provider: &str, mut block: Value, at: &'static str) -> (Value, ProviderOptions) {
    let content = block.pointer_mut(at).map(Value::take).unwrap_or_default();
    (content, metadata(provider, [("block", block), ("contentAt", json!(at))]))
}

/// Metadata with a whole block, which nothing else of the answer shows.
pub(super) fn whole_block(provider: &str, block: Value) -> ProviderOptions {
    metadata(provider, [("block", block)])
}

/// The block of a part, as it came from this provider. `None` for parts of others.
pub(super) fn block_of(part: &ContentPart, provider: &str) -> Option<Value> {
    match part {
        ContentPart::ToolCall { input, provider_executed: true, provider_options, .. } => {
            with_content(provider_options.as_ref(), provider, || input.value().clone())
        }
        ContentPart::ToolResult { output, provider_options, .. } => {
            with_content(provider_options.as_ref(), provider, || output.to_value())
        }
        ContentPart::Reasoning { provider_options, .. } => {
            with_content(provider_options.as_ref(), provider, || Value::Null)
        }
        _ => None,
    }
}

fn with_content(options: Option<&ProviderOptions>, provider: &str, content: impl FnOnce() -> Value) -> Option<Value> {
    let mut block = option(options, provider, "block")?.clone();
    if let Some(place) =
        option(options, provider, "contentAt").and_then(Value::as_str).and_then(|at| block.pointer_mut(at))
    {
        *place = content();
    }
    Some(block)
}
