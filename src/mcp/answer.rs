//! What a call of a tool came to, as plain data. Must not know how it was asked.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

/// An answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The server says that the call failed.
    pub(crate) is_error: bool,
    /// The result as data, if the server gave any.
    pub(crate) structured: Option<Value>,
    /// The result for a reader, in order.
    pub(crate) parts: Vec<AnswerPart>,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnswerPart {
    /// Text.
    Text(String),
    /// An image, a sound or another file.
    Media {
        /// Base64.
        data: String,
        /// Its MIME type.
        media_type: String,
    },
}

impl Answer {
    /// Reads what `tools/call` gave. Servers do not always keep to the protocol: what is no content is shown as it is.
    pub(super) fn read(mut result: Value) -> Self {
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let structured = result.get_mut("structuredContent").map(Value::take).filter(|value| !value.is_null());
        let parts = match result.get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks.into_iter().map(AnswerPart::read).collect(),
            Some(Value::String(text)) => vec![AnswerPart::Text(text)],
            _ => Vec::new(),
        };
        Answer { is_error, structured, parts }
    }

    /// All its text.
    pub(crate) fn text(&self) -> String {
        let text = |part: &AnswerPart| match part {
            AnswerPart::Text(text) => text.clone(),
            AnswerPart::Media { media_type, .. } => format!("[{media_type}]"),
        };
        self.parts.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// Whether there is something that text cannot hold.
    pub(crate) fn has_media(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, AnswerPart::Media { .. }))
    }
}

impl AnswerPart {
    /// Reads a content block.
    pub(super) fn read(mut block: Value) -> Self {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let read = match kind.as_str() {
            "text" => take_text(&mut block, "text").map(AnswerPart::Text),
            "image" | "audio" => media(&mut block, "data"),
            "resource" => block.get_mut("resource").and_then(|resource| AnswerPart::of_resource(resource.take())),
            "resource_link" => take_text(&mut block, "uri").map(|uri| AnswerPart::Text(format!("[resource {uri}]"))),
            _ => None,
        };
        read.unwrap_or_else(|| AnswerPart::Text(block.to_string()))
    }

    /// Text that was sent as bytes, as text.
    fn readable(self) -> Self {
        match self {
            AnswerPart::Media { data, media_type } if is_text(&media_type) => {
                let text = STANDARD.decode(&data).ok().and_then(|bytes| String::from_utf8(bytes).ok());
                text.map_or(AnswerPart::Media { data, media_type }, AnswerPart::Text)
            }
            other => other,
        }
    }

    /// Reads what stands in a resource: text, or bytes of some type.
    pub(super) fn of_resource(mut resource: Value) -> Option<Self> {
        match take_text(&mut resource, "text") {
            Some(text) => Some(AnswerPart::Text(text)),
            None => media(&mut resource, "blob").map(AnswerPart::readable),
        }
    }
}

fn is_text(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim();
    name.starts_with("text/") || name == "application/json"
}

fn media(block: &mut Value, key: &str) -> Option<AnswerPart> {
    let data = take_text(block, key)?;
    let media_type = take_text(block, "mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
    Some(AnswerPart::Media { data, media_type })
}

/// Taken, not copied: it may be ten megabytes.
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
        let answer = Answer::read(json!({"content": [
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
        assert_eq!(Answer::read(json!("x")).parts, []);
        assert_eq!(Answer::read(json!({"content": "x"})).text(), "x");
        let answer = Answer::read(json!({"structuredContent": {"a": 1}, "isError": true}));
        assert_eq!((answer.structured, answer.is_error), (Some(json!({"a": 1})), true));
    }
}
