//! Conversion of files and outcomes to MCP tools and results.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, Tool},
};
use serde_json::Value;

use super::super::{Outcome, ServedFile};
use lmthing_base::diagnostic::closest;

pub(super) fn tool(file: &ServedFile) -> Tool {
    let input = Arc::new(file.input.clone());
    let tool = Tool::new_with_raw(file.name.clone(), file.description.clone().map(Into::into), input);
    match &file.output {
        Some(output) => tool.with_raw_output_schema(Arc::new(output.clone())),
        None => tool,
    }
}

/// Structured content is sent only if the tool declares an output schema, as clients validate against it.
pub(super) fn result(outcome: Outcome, promises_data: bool) -> CallToolResult {
    let text = |text: String| vec![ContentBlock::text(text)];
    match outcome {
        Outcome::Text(said) => CallToolResult::success(text(said)),
        Outcome::Output(data) if promises_data && data.is_object() => CallToolResult::structured(data),
        Outcome::Output(Value::String(said)) => CallToolResult::success(text(said)),
        Outcome::Output(data) => CallToolResult::success(text(data.to_string())),
        Outcome::Failed(why) => CallToolResult::error(text(why)),
    }
}

/// A protocol error rather than a tool result, as the client has made the mistake and not the model.
pub(super) fn unknown(name: &str, files: &[ServedFile]) -> ErrorData {
    let meant = closest(name, files.iter().map(|file| file.name.as_str()));
    let tip = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
    ErrorData::invalid_params(format!("there is no tool {name:?}{tip}"), None)
}
