//! Messages and their parts, as in `step.input.prompt` (docs/reference/messages.md).

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentRun, SharedText, ToolInput};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    /// The name in JavaScript and in most wire formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// Options or metadata for one provider each, keyed by provider name (`{anthropic: {cacheControl: …}}`).
///
/// A provider reads its own key and ignores the others.
pub type ProviderOptions = serde_json::Map<String, Value>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub role: Role,
    pub content: Content,
    /// Options of single providers for this message, such as where a cached prefix ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_options: Option<ProviderOptions>,
}

/// A system message is a bare string; everything else is a list of parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ContentPart {
    Text {
        text: SharedText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    /// What the model thought. It is sent back to providers that want it; signatures are in `provider_options`.
    Reasoning {
        text: SharedText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    /// An image in a user message: an `http(s)` URL, a `data:` URL or bare base64.
    Image {
        image: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    /// A file in a user message (or one a model made): an `http(s)` URL, a `data:` URL or bare base64, and its MIME
    /// type.
    File {
        data: String,
        media_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filename: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    ToolCall {
        tool_call_id: String,
        tool_name: String,
        /// The arguments as the model wrote them.
        input: ToolInput,
        /// Whether the provider has run the call itself.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        provider_executed: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    /// The result of a call: in a message of the role `tool`, or, if the provider has run the call itself, in the
    /// assistant's.
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        output: ToolOutput,
        /// The runs of the agents that produced the result; never sent to a provider.
        #[serde(skip)]
        agents: Rc<[AgentRun]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum ToolOutput {
    Text(String),
    Json(Value),
    /// Text and media, from a tool of an MCP server.
    Content(Vec<ToolPart>),
    /// A failure as text, from a message that the prompt file built itself.
    ErrorText(String),
    /// A failure as `{error: message}`; see [`ToolOutput::error`].
    ErrorJson(Value),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ToolPart {
    Text { text: String },
    Media { data: String, media_type: String },
}

impl ToolPart {
    pub fn text(&self) -> String {
        match self {
            ToolPart::Text { text } => text.clone(),
            ToolPart::Media { media_type, .. } => format!("[{media_type}]"),
        }
    }
}

impl ToolOutput {
    /// The error result of docs/reference/tools.md: `{error: message}`.
    pub fn error(message: impl Into<String>) -> Self {
        ToolOutput::ErrorJson(serde_json::json!({ "error": message.into() }))
    }

    /// A string result is text, anything else JSON.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::String(text) => ToolOutput::Text(text),
            other => ToolOutput::Json(other),
        }
    }

    pub fn is_error(&self) -> bool {
        matches!(self, ToolOutput::ErrorText(_) | ToolOutput::ErrorJson(_))
    }

    pub fn to_value(&self) -> Value {
        match self {
            ToolOutput::Text(text) | ToolOutput::ErrorText(text) => Value::String(text.clone()),
            ToolOutput::Json(value) | ToolOutput::ErrorJson(value) => value.clone(),
            ToolOutput::Content(parts) => serde_json::json!(parts),
        }
    }

    /// The text for wires that take strings only: text bare, `{error: message}` as the message, an agent's result
    /// `{response, steps}` as the response, other values as compact JSON.
    pub fn wire_text(&self) -> String {
        match (self.bare_text(), self) {
            (Some(text), _) => text.to_owned(),
            (None, ToolOutput::Content(parts)) => without_media(parts),
            (None, _) => self.to_value().to_string(),
        }
    }

    /// The value for wires that take JSON: as [`ToolOutput::wire_text`] where that is bare text, else the JSON itself.
    pub fn wire_value(&self) -> Value {
        match (self.bare_text(), self) {
            (Some(text), _) => Value::String(text.to_owned()),
            (None, ToolOutput::Content(parts)) => Value::String(without_media(parts)),
            (None, _) => self.to_value(),
        }
    }

    fn bare_text(&self) -> Option<&str> {
        match self {
            // JSON around a text would cost tokens, and its quotes would be escaped.
            ToolOutput::Text(text) | ToolOutput::ErrorText(text) => Some(text),
            ToolOutput::ErrorJson(Value::Object(map)) if map.len() == 1 => map.get("error")?.as_str(),
            // The model receives an agent's response, not its steps.
            ToolOutput::Json(Value::Object(map)) if map.len() == 2 && map.contains_key("steps") => {
                map.get("response")?.as_str().filter(|response| !response.is_empty())
            }
            ToolOutput::Json(_) | ToolOutput::ErrorJson(_) | ToolOutput::Content(_) => None,
        }
    }
}

/// The text of a result for wire formats without media: each omitted part is named by its media type.
fn without_media(parts: &[ToolPart]) -> String {
    parts.iter().map(ToolPart::text).collect::<Vec<_>>().join("\n")
}

impl ContentPart {
    pub fn text(text: impl Into<SharedText>) -> Self {
        ContentPart::Text { text: text.into(), provider_options: None }
    }
}

impl Message {
    /// A system message; its content is a bare string.
    pub fn system(text: impl Into<String>) -> Self {
        Message { role: Role::System, content: Content::Text(text.into()), provider_options: None }
    }

    pub fn text(role: Role, text: impl Into<SharedText>) -> Self {
        Message::parts(role, vec![ContentPart::text(text)])
    }

    pub fn parts(role: Role, parts: Vec<ContentPart>) -> Self {
        Message { role, content: Content::Parts(parts), provider_options: None }
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Parts(_) => None,
        }
    }

    pub fn content_parts(&self) -> &[ContentPart] {
        match &self.content {
            Content::Text(_) => &[],
            Content::Parts(parts) => parts,
        }
    }

    pub fn plain_text(&self) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::Parts(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    ContentPart::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect(),
        }
    }
}
