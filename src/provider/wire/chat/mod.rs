//! Chat completions: OpenAI's own and its relatives groq, mistral and any OpenAI-compatible server.
//!
//! One base with small variations, named by [`Dialect`]; what each takes and sends is in `docs/providers.md`.

mod decode;
mod dialect;
mod echo;
mod format;
mod messages;
mod mistral;
mod options;
mod reasoning;
mod tool_calls;
mod usage;

use serde_json::{Map, Value, json};

pub(crate) use dialect::Dialect;
pub(super) use messages::function_call;

use super::{EncodedRequest, KnownOptions, WireDecoder, WireFormat, settings::Warnings, values::put};
use crate::chat::{ModelRequest, ToolChoice, ToolSpec};

/// The chat completions format.
#[derive(Clone, Debug)]
pub(crate) struct ChatWire {
    dialect: Dialect,
    /// Path and query below the base URL.
    path: String,
    server: reasoning::Server,
    /// Whether tokens are to be counted, which a stream does only when asked.
    include_usage: bool,
}

impl ChatWire {
    /// The format at `/chat/completions`; `query` (such as `api-version=1.0.0`) is added when there is one.
    pub(crate) fn new(dialect: Dialect, query: Option<&str>) -> Self {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        // groq and mistral count unasked.
        let include_usage = matches!(dialect, Dialect::OpenAi | Dialect::Compatible(_));
        let server = reasoning::Server::Usual;
        ChatWire { dialect, path: format!("/chat/completions{query}"), server, include_usage }
    }

    /// The same at an address, which may tell more about a compatible server.
    pub(crate) fn at(self, base_url: Option<&str>) -> Self {
        let server = match &self.dialect {
            Dialect::Compatible(name) => reasoning::Server::of(name, base_url),
            _ => self.server,
        };
        ChatWire { server, ..self }
    }

    /// The same without asking for a count of tokens, for a server that refuses the question.
    pub(crate) fn without_usage(self) -> Self {
        ChatWire { include_usage: false, ..self }
    }

    /// As azure serves OpenAI's; `api_version` is `v1` unless set.
    pub(crate) fn azure(api_version: &str) -> Self {
        let path = format!("/v1/chat/completions?api-version={api_version}");
        ChatWire { dialect: Dialect::OpenAi, path, server: reasoning::Server::Azure, include_usage: true }
    }
}

impl WireFormat for ChatWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, String> {
        let mut warnings = Warnings::default();
        let mut body = Map::new();
        body.insert("model".into(), model_id.into());
        let reasoning_model = options::put(&mut body, request, model_id, (&self.dialect, self.server), &mut warnings);
        let messages = match &self.dialect {
            Dialect::Mistral => mistral::messages(&request.messages)?,
            dialect => {
                let model = (reasoning_model, dialect.sees_pictures_of_results(model_id));
                messages::messages(&request.messages, dialect, model, &mut warnings)?
            }
        };
        body.insert("messages".into(), messages.into());
        put_tools(&mut body, &request.tools, request.settings.tool_choice.as_ref(), &self.dialect);
        let options = options::of_provider(request, &self.dialect, self.server);
        format::put(&mut body, request, model_id, &self.dialect, &options);
        body.insert("stream".into(), true.into());
        if self.include_usage {
            // Options of the user's own win.
            body.entry("stream_options").or_insert_with(|| json!({ "include_usage": true }));
        }
        let warnings = warnings.into_vec();
        Ok(EncodedRequest { path: self.path.clone(), headers: Vec::new(), body: Value::Object(body), warnings })
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::ChatDecoder::new(self.dialect.clone()))
    }

    fn known_options(&self) -> Option<KnownOptions> {
        options::known(&self.dialect, self.server)
    }
}

/// Tools and tool choice; nothing at all without an active tool.
fn put_tools(body: &mut Map<String, Value>, tools: &[ToolSpec], choice: Option<&ToolChoice>, dialect: &Dialect) {
    if tools.is_empty() {
        return;
    }
    let mistral = *dialect == Dialect::Mistral;
    let only = match choice {
        // Mistral cannot be told to call one tool by name: it is shown only that one.
        Some(ToolChoice::Tool(name)) if mistral => Some(name.as_str()),
        _ => None,
    };
    let tools: Vec<Value> =
        tools.iter().filter(|tool| only.is_none_or(|name| tool.name == name)).map(function_tool).collect();
    body.insert("tools".into(), tools.into());
    let choice = match choice.unwrap_or(&ToolChoice::Auto) {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required | ToolChoice::Tool(_) if mistral => json!("any"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
    };
    body.insert("tool_choice".into(), choice);
}

/// `{type: "function", function: {name, description, parameters}}`; cohere uses it too.
pub(super) fn function_tool(tool: &ToolSpec) -> Value {
    let mut function = Map::new();
    function.insert("name".into(), tool.name.clone().into());
    put(&mut function, "description", (!tool.description.is_empty()).then(|| tool.description.clone()));
    function.insert("parameters".into(), tool.input_schema.clone());
    json!({ "type": "function", "function": function })
}
