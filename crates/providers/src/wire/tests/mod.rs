//! Tests of all wire formats.

mod answers;
mod bad_ends;
mod cache;
mod chunks;
mod endings;
mod families;
mod history;
mod hosts;
mod media;
mod nonstandard_servers;
mod odd_servers;
mod ollama;
mod options;
mod output_format;
mod provider_calls;
mod provider_tools;
mod reasoning;
mod reasoning_options;
mod responses;
mod settings;
mod tiers;
mod whole;

use std::rc::Rc;

use serde_json::{Value, json};

use super::{
    EncodedRequest, WireFormat,
    anthropic::AnthropicWire,
    bedrock::BedrockWire,
    chat::{ChatWire, Dialect},
    cohere::CohereWire,
    google::GoogleWire,
    ollama::OllamaWire,
    responses::ResponsesWire,
};
use lmthing_base::chat::{CacheOption, CallSettings, Message, ModelRequest, Role, ToolSpec};

fn wires() -> [(&'static str, Box<dyn WireFormat>); 10] {
    [
        ("responses", Box::new(ResponsesWire::openai())),
        ("chat", Box::new(ChatWire::new(Dialect::OpenAi, None))),
        ("compatible", Box::new(ChatWire::new(Dialect::Compatible("lab".into()), Some("api-version=1.0.0")))),
        ("groq", Box::new(ChatWire::new(Dialect::Groq, None))),
        ("mistral", Box::new(ChatWire::new(Dialect::Mistral, None))),
        ("anthropic", Box::new(AnthropicWire)),
        ("google", Box::new(GoogleWire::generative_language())),
        ("cohere", Box::new(CohereWire)),
        ("bedrock", Box::new(BedrockWire)),
        ("ollama", Box::new(OllamaWire)),
    ]
}

fn wire(name: &str) -> Box<dyn WireFormat> {
    wires().into_iter().find(|(known, _)| *known == name).unwrap().1
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("the {name}"),
        input_schema: json!({ "type": "object", "properties": { "port": { "type": "string" } } }),
        provider_options: None,
        provider_tool: None,
    }
}

fn encode(wire: &dyn WireFormat, model: &str, messages: Vec<Message>, settings: CallSettings) -> EncodedRequest {
    let messages = messages.into_iter().map(Rc::new).collect();
    wire.encode(&ModelRequest { messages, tools: Vec::new(), settings, ..ModelRequest::default() }, model).unwrap()
}

fn body(name: &str, messages: Vec<Message>) -> Value {
    let settings = CallSettings { cache: Some(CacheOption::Off), ..CallSettings::default() };
    encode(wire(name).as_ref(), "m", messages, settings).body
}

fn with_options(name: &str, model: &str, options: Value, settings: CallSettings) -> EncodedRequest {
    let Value::Object(provider_options) = options else { panic!("options are an object") };
    encode(wire(name).as_ref(), model, vec![user("hi")], CallSettings { provider_options, ..settings })
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}
