//! Reads the result of a tool call.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallResult {
    pub is_error: bool,
    /// The structured result, if the server gave one.
    pub structured: Option<Value>,
    pub parts: Vec<McpContent>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum McpContent {
    Text(String),
    /// An image, a sound or another file.
    Media {
        /// In Base64.
        data: String,
        media_type: String,
    },
}

impl ToolCallResult {
    /// Reads the result of `tools/call`. Content that does not follow the protocol is kept as text.
    pub(super) fn read(mut result: Value) -> Self {
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let structured = result.get_mut("structuredContent").map(Value::take).filter(|value| !value.is_null());
        let parts = match result.get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks.into_iter().map(McpContent::read).collect(),
            Some(Value::String(text)) => vec![McpContent::Text(text)],
            _ => Vec::new(),
        };
        ToolCallResult { is_error, structured, parts }
    }

    /// All parts as text; media are represented by their type.
    pub fn text(&self) -> String {
        let text = |part: &McpContent| match part {
            McpContent::Text(text) => text.clone(),
            McpContent::Media { media_type, .. } => format!("[{media_type}]"),
        };
        self.parts.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    pub fn has_media(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, McpContent::Media { .. }))
    }
}

impl McpContent {
    pub(super) fn read(mut block: Value) -> Self {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let read = match kind.as_str() {
            "text" => take_text(&mut block, "text").map(McpContent::Text),
            "image" | "audio" => media(&mut block, "data"),
            "resource" => block.get_mut("resource").and_then(|resource| McpContent::of_resource(resource.take())),
            "resource_link" => take_text(&mut block, "uri").map(|uri| McpContent::Text(format!("[resource {uri}]"))),
            _ => None,
        };
        read.unwrap_or_else(|| McpContent::Text(block.to_string()))
    }

    fn readable(self) -> Self {
        match self {
            McpContent::Media { data, media_type } if is_text(&media_type) => {
                let text = STANDARD.decode(&data).ok().and_then(|bytes| String::from_utf8(bytes).ok());
                text.map_or(McpContent::Media { data, media_type }, McpContent::Text)
            }
            other => other,
        }
    }

    /// Reads a resource: text, or bytes with a type.
    pub(super) fn of_resource(mut resource: Value) -> Option<Self> {
        match take_text(&mut resource, "text") {
            Some(text) => Some(McpContent::Text(text)),
            None => media(&mut resource, "blob").map(McpContent::readable),
        }
    }
}

fn is_text(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim();
    name.starts_with("text/") || name == "application/json"
}

fn media(block: &mut Value, key: &str) -> Option<McpContent> {
    let data = take_text(block, key)?;
    let media_type = take_text(block, "mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
    Some(McpContent::Media { data, media_type })
}

/// Takes the text without copying, as it may be ten megabytes.
fn take_text(block: &mut Value, key: &str) -> Option<String> {
    match block.get_mut(key)? {
        Value::String(text) => Some(std::mem::take(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn content_becomes_parts() {
        let answer = ToolCallResult::read(json!({"content": [
            {"type": "text", "text": "a"},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x:y", "text": "b"}},
            {"type": "resource", "resource": {"uri": "x:t", "blob": "Yw==", "mimeType": "text/plain; charset=utf-8"}},
            {"type": "resource_link", "uri": "x:z", "name": "z"},
            {"type": "odd", "n": 1},
        ]}));
        assert!(answer.has_media() && !answer.is_error && answer.structured.is_none());
        assert_eq!(answer.text(), "a\n[image/png]\nb\nc\n[resource x:z]\n{\"type\":\"odd\",\"n\":1}");
    }

    #[test]
    fn odd_answers_are_read_all_the_same() {
        assert_eq!(ToolCallResult::read(json!("x")).parts, []);
        assert_eq!(ToolCallResult::read(json!({"content": "x"})).text(), "x");
        let answer = ToolCallResult::read(json!({"structuredContent": {"a": 1}, "isError": true}));
        assert_eq!((answer.structured, answer.is_error), (Some(json!({"a": 1})), true));
    }
}
