//! Messages and their parts, as they stand in `step.input.prompt` (docs/reference.md, "Messages").

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentRun, SharedText, ToolInput};

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The rules of the conversation; first, and at most once.
    System,
    /// The prompt's author, or whoever stands behind the prompt.
    User,
    /// The model.
    Assistant,
    /// Results of tool calls.
    Tool,
}

impl Role {
    /// The name used in JavaScript and on most wires.
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

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// What it says.
    pub content: Content,
    /// What single providers are told about it, such as where a cache ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_options: Option<ProviderOptions>,
}

/// A system message is a bare string; everything else is a list of parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// A bare string.
    Text(String),
    /// Parts in order.
    Parts(Vec<ContentPart>),
}

/// A part of a message's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ContentPart {
    /// Plain text.
    Text {
        text: SharedText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    /// What the model thought; sent back to providers that want it (signatures are in `provider_options`).
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
    /// A call the model made.
    ToolCall {
        tool_call_id: String,
        tool_name: String,
        /// The arguments as the model wrote them.
        input: ToolInput,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
    /// What came of a call, in a message of the role `tool`.
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        output: ToolOutput,
        /// The children that worked on the result, when agents did; never sent to a provider.
        #[serde(skip)]
        agents: Rc<[AgentRun]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_options: Option<ProviderOptions>,
    },
}

/// What a tool call gave, as it stands in the history.
///
/// `ErrorJson` holds `{error: message}`; [`ToolOutput::wire_text`] is what a provider is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum ToolOutput {
    /// A string that the tool returned.
    Text(String),
    /// Any other value that it returned.
    Json(Value),
    /// Text and what text cannot hold, from a tool of an MCP server.
    Content(Vec<ToolPart>),
    /// A failure in words, from a message that the prompt file made itself.
    ErrorText(String),
    /// A failure as a value; see [`ToolOutput::error`].
    ErrorJson(Value),
}

/// A part of a result that is more than text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ToolPart {
    /// Text.
    Text {
        /// What it says.
        text: String,
    },
    /// An image, a sound or another file.
    Media {
        /// Base64.
        data: String,
        /// Its MIME type.
        media_type: String,
    },
}

impl ToolPart {
    /// Its text; what is no text is named.
    pub fn text(&self) -> String {
        match self {
            ToolPart::Text { text } => text.clone(),
            ToolPart::Media { media_type, .. } => format!("[{media_type}]"),
        }
    }
}

impl ToolOutput {
    /// The error result of docs/reference.md, "Tools": `{error: message}`.
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

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        matches!(self, ToolOutput::ErrorText(_) | ToolOutput::ErrorJson(_))
    }

    /// The JSON value as scripts see it.
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

    /// What goes out as bare text, if anything does.
    fn bare_text(&self) -> Option<&str> {
        match self {
            // JSON around a text would cost tokens, and quotes in it would come back escaped.
            ToolOutput::Text(text) | ToolOutput::ErrorText(text) => Some(text),
            // Nothing in this JSON says more than the sentence in it.
            ToolOutput::ErrorJson(Value::Object(map)) if map.len() == 1 => map.get("error")?.as_str(),
            // Of an agent's answer the model is told what it said, not how it came to that.
            ToolOutput::Json(Value::Object(map)) if map.len() == 2 && map.contains_key("steps") => {
                map.get("response")?.as_str().filter(|response| !response.is_empty())
            }
            ToolOutput::Json(_) | ToolOutput::ErrorJson(_) | ToolOutput::Content(_) => None,
        }
    }
}

/// The text of a result, for wires that have no place for the rest of it: what is left out is named.
fn without_media(parts: &[ToolPart]) -> String {
    parts.iter().map(ToolPart::text).collect::<Vec<_>>().join("\n")
}

impl ContentPart {
    /// A plain text part.
    pub fn text(text: impl Into<SharedText>) -> Self {
        ContentPart::Text { text: text.into(), provider_options: None }
    }
}

impl Message {
    /// A system message; its content is a bare string.
    pub fn system(text: impl Into<String>) -> Self {
        Message { role: Role::System, content: Content::Text(text.into()), provider_options: None }
    }

    /// A message of text parts.
    pub fn text(role: Role, text: impl Into<SharedText>) -> Self {
        Message::parts(role, vec![ContentPart::text(text)])
    }

    /// A message of the given parts.
    pub fn parts(role: Role, parts: Vec<ContentPart>) -> Self {
        Message { role, content: Content::Parts(parts), provider_options: None }
    }

    /// The content, when it is a bare string.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Parts(_) => None,
        }
    }

    /// The parts; none when the content is a bare string.
    pub fn content_parts(&self) -> &[ContentPart] {
        match &self.content {
            Content::Text(_) => &[],
            Content::Parts(parts) => parts,
        }
    }

    /// All text of the message joined.
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
