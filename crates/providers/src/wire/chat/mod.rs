//! Chat completions: OpenAI, Groq, Mistral and compatible servers, which differ by [`Dialect`]
//! (docs/reference/providers.md).

mod chunk;
mod decode;
mod dialect;
mod echo;
mod format;
mod hosts;
mod messages;
mod mistral;
mod options;
mod reasoning;
mod server;
mod sources;
mod tool_calls;
mod tools;
mod usage;

use serde_json::{Map, Value, json};

pub(crate) use dialect::Dialect;
pub(super) use messages::function_call;

use super::{
    CacheForm, EncodedRequest, KnownOptions, TierForm, UnsupportedContent, WireDecoder, WireFormat, cache::rules,
    provider_tools::Tools, settings::Warnings, tier, tool_schema, values::put,
};
use crate::identifiers::Identifiers;
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest, ToolChoice, ToolSpec},
};

#[derive(Clone, Debug)]
pub(crate) struct ChatWire {
    dialect: Dialect,
    path: String,
    server: server::Server,
    include_usage: bool,
}

impl ChatWire {
    pub(crate) fn new(dialect: Dialect, query: Option<&str>) -> Self {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        // Groq and Mistral always send counts.
        let include_usage = matches!(dialect, Dialect::OpenAi | Dialect::Compatible(_));
        let server = server::Server::Other;
        ChatWire { dialect, path: format!("/chat/completions{query}"), server, include_usage }
    }

    pub(crate) fn at(self, base_url: Option<&str>) -> Self {
        let server = match &self.dialect {
            Dialect::Compatible(name) => server::Server::of(name, base_url),
            _ => self.server,
        };
        ChatWire { server, ..self }
    }

    /// For servers that refuse the request for token counts.
    pub(crate) fn without_usage(self) -> Self {
        ChatWire { include_usage: false, ..self }
    }

    pub(crate) fn azure(api_version: &str) -> Self {
        let path = format!("/v1/chat/completions?api-version={api_version}");
        ChatWire { dialect: Dialect::OpenAi, path, server: server::Server::Azure, include_usage: true }
    }
}

impl WireFormat for ChatWire {
    fn encode(&self, request: &ModelRequest, model_id: &str) -> Result<EncodedRequest, UnsupportedContent> {
        let mut warnings = Warnings::default();
        let mut body = Map::new();
        body.insert("model".into(), model_id.into());
        let system_role = options::put(&mut body, request, model_id, (&self.dialect, self.server), &mut warnings);
        let tools = tools::choose(request, &self.dialect, self.server, model_id, &mut warnings)?;
        let messages = match &self.dialect {
            Dialect::Mistral => mistral::messages(&request.messages)?,
            dialect => {
                let model = (system_role, dialect.accepts_result_images(model_id));
                let mut messages = messages::messages(&request.messages, dialect, model, &mut warnings)?;
                hosts::adapt_thoughts(&mut messages, self.server, model_id);
                messages
            }
        };
        body.insert("messages".into(), messages.into());
        let choice = tools::possible_choice(&tools, request.settings.tool_choice.as_ref(), &mut warnings);
        put_tools(&mut body, &tools, choice, &self.dialect);
        tools::put_others(&mut body, &tools);
        let options = options::of_provider(request, &self.dialect, self.server);
        format::put(&mut body, request, (model_id, self.server), &self.dialect, &options);
        body.insert("stream".into(), true.into());
        if self.include_usage {
            body.entry("stream_options").or_insert_with(|| json!({ "include_usage": true }));
        }
        let warnings = warnings.into_vec();
        Ok(EncodedRequest { path: self.path.clone(), headers: Vec::new(), body: Value::Object(body), warnings })
    }

    fn decoder(&self) -> Box<dyn WireDecoder> {
        Box::new(decode::ChatDecoder::new(self.dialect.clone()))
    }

    fn whole_answer(&self, answer: &str) -> Option<Vec<String>> {
        // A chunk may have a whole message.
        let end = chunk::has_choices(answer).then(|| "[DONE]".to_owned());
        Some(std::iter::once(answer.to_owned()).chain(end).collect())
    }

    fn identifiers(&self, model_id: &str) -> Identifiers {
        self.dialect.identifiers(model_id)
    }

    fn tiers(&self) -> &'static [TierForm] {
        match (&self.dialect, self.server) {
            (Dialect::OpenAi, _) | (_, server::Server::OpenRouter) => tier::OPENAI,
            (Dialect::Groq, _) => tier::GROQ,
            (_, server::Server::XAi) => tier::XAI,
            _ => &[],
        }
    }

    fn cache_form(&self, model_id: &str) -> CacheForm {
        match (&self.dialect, self.server) {
            (Dialect::OpenAi, _) => CacheForm::OPENAI,
            (Dialect::Mistral, _) => CacheForm::KEY,
            (_, server::Server::XAi) => CacheForm::XAI_CHAT,
            (_, server::Server::OpenRouter) if model_id.starts_with("anthropic/") => CacheForm::WHOLE_REQUEST,
            _ => CacheForm::NONE,
        }
    }

    fn cache_rules(&self, model_id: &str, settings: &CallSettings) -> CacheRules {
        match (&self.dialect, self.server) {
            (Dialect::OpenAi, _) => rules::openai(model_id, settings),
            (_, server::Server::DeepSeek) => rules::DEEPSEEK,
            (_, server::Server::XAi) => rules::XAI,
            (Dialect::Compatible(_), _) => rules::COMPATIBLE,
            // Their counts are not read.
            (Dialect::Groq | Dialect::Mistral, _) => CacheRules::NONE,
        }
    }

    fn known_options(&self) -> Option<KnownOptions> {
        options::known(&self.dialect, self.server)
    }
}

fn put_tools(body: &mut Map<String, Value>, tools: &Tools<'_>, choice: &ToolChoice, dialect: &Dialect) {
    let mistral = *dialect == Dialect::Mistral;
    let only = match choice {
        // Mistral cannot force one tool, so only that one is sent.
        ToolChoice::Tool(name) if mistral => Some(name.as_str()),
        _ => None,
    };
    let functions = tools.functions.iter().filter(|tool| only.is_none_or(|name| tool.name == name)).map(function_tool);
    let wire: Vec<Value> = functions.chain(tools::listed(tools)).collect();
    if wire.is_empty() {
        return;
    }
    body.insert("tools".into(), wire.into());
    let choice = match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required | ToolChoice::Tool(_) if mistral => json!("any"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) if tools.provided(name).is_some() => json!("required"),
        ToolChoice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
    };
    body.insert("tool_choice".into(), choice);
}

pub(super) fn function_tool(tool: &ToolSpec) -> Value {
    let mut function = Map::new();
    function.insert("name".into(), tool.name.clone().into());
    let (description, schema) = tool_schema::described(&tool.description, &tool.input_schema, &tool_schema::OPENAI);
    put(&mut function, "description", (!description.is_empty()).then_some(description));
    function.insert("parameters".into(), schema);
    json!({ "type": "function", "function": function })
}
