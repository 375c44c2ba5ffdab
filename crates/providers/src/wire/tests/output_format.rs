//! Output schemas in requests of each provider.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{tool, user, wire};
use crate::wire::{WireFormat, chat::ChatWire};
use lmthing_base::chat::{CallSettings, Message, ModelRequest, ResponseFormat, Role};

/// A strict schema, as zod writes it.
fn strict_schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "sky": { "type": "string", "minLength": 1 }, "wind": { "type": "integer", "minimum": 0 } },
        "required": ["sky", "wind"],
        "additionalProperties": false
    })
}

fn non_strict_schema() -> Value {
    json!({ "type": "object", "properties": { "sky": { "type": "string" } }, "additionalProperties": false })
}

struct RequestParts {
    schema: Value,
    tools: bool,
    messages: Vec<Message>,
    options: Value,
}

impl Default for RequestParts {
    fn default() -> Self {
        RequestParts { schema: strict_schema(), tools: false, messages: vec![user("hi")], options: json!({}) }
    }
}

fn body(name: &str, model: &str, parts: RequestParts) -> Value {
    body_of(wire(name).as_ref(), model, parts)
}

fn body_of(wire: &dyn WireFormat, model: &str, parts: RequestParts) -> Value {
    let settings = CallSettings {
        response_format: Some(ResponseFormat { name: "weather".into(), schema: parts.schema }),
        provider_options: parts.options.as_object().unwrap().clone(),
        ..CallSettings::default()
    };
    let tools = if parts.tools { vec![tool("tide")] } else { Vec::new() };
    let messages = parts.messages.into_iter().map(Rc::new).collect();
    wire.encode(&ModelRequest { messages, tools, settings, ..ModelRequest::default() }, model).unwrap().body
}

fn format(name: &str, body: &Value) -> Value {
    let place = match name {
        "responses" => "/text/format",
        "anthropic" => "/output_config/format",
        "bedrock" => "/outputConfig/textFormat",
        "google" => "/generationConfig",
        _ => "/response_format",
    };
    body.pointer(place).cloned().unwrap_or_default()
}

#[test]
fn schemas_are_sent_in_each_format() {
    let object = |sky: Value, wind: Value| {
        json!({
            "type": "object", "properties": { "sky": sky, "wind": wind },
            "required": ["sky", "wind"], "additionalProperties": false
        })
    };
    let strict = object(json!({ "type": "string" }), json!({ "type": "integer", "minimum": 0 }));
    let plain = object(json!({ "type": "string" }), json!({ "type": "integer" }));
    let named = json!({ "name": "weather", "strict": true, "schema": strict });
    let chat = json!({ "type": "json_schema", "json_schema": named });
    let mut responses = named.clone();
    responses["type"] = "json_schema".into();
    let mut gemini = object(json!({ "type": "string", "minLength": 1 }), json!({ "type": "integer" }));
    gemini.as_object_mut().unwrap().shift_remove("additionalProperties");
    let cases = [
        ("responses", "gpt-4o", responses),
        ("chat", "gpt-5", chat.clone()),
        ("compatible", "qwen3", chat.clone()),
        ("groq", "openai/gpt-oss-120b", chat.clone()),
        ("mistral", "mistral-large-latest", chat),
        ("anthropic", "claude-sonnet-4-5", json!({ "type": "json_schema", "schema": plain })),
        ("google", "gemini-2.5-flash", json!({ "responseMimeType": "application/json", "responseSchema": gemini })),
        ("cohere", "command-a-03-2025", json!({ "type": "json_object", "json_schema": plain })),
    ];
    for (name, model, expected) in cases {
        assert_eq!(format(name, &body(name, model, RequestParts::default())), expected, "{name}");
    }
    let bedrock =
        format("bedrock", &body("bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0", RequestParts::default()));
    assert_eq!(
        (&bedrock["type"], &bedrock["structure"]["jsonSchema"]["name"]),
        (&json!("json_schema"), &json!("weather"))
    );
    let text = bedrock["structure"]["jsonSchema"]["schema"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), plain);
}

#[test]
fn schemas_that_cannot_be_strict_are_sent_unchanged() {
    for name in ["chat", "compatible", "mistral"] {
        let found =
            format(name, &body(name, "m", RequestParts { schema: non_strict_schema(), ..RequestParts::default() }));
        assert_eq!(
            found["json_schema"],
            json!({ "name": "weather", "strict": false, "schema": non_strict_schema() }),
            "{name}"
        );
    }
    let options = json!({ "openai": { "strictJsonSchema": false, "textVerbosity": "low" } });
    let found = body("responses", "gpt-5", RequestParts { options, ..RequestParts::default() });
    assert_eq!(
        (&found["text"]["format"]["strict"], &found["text"]["format"]["schema"]),
        (&json!(false), &strict_schema())
    );
    assert_eq!(found["text"]["verbosity"], "low");
}

#[test]
fn unsupported_models_get_no_schema() {
    let tools = || RequestParts { tools: true, ..RequestParts::default() };
    let begun = vec![user("hi"), Message::text(Role::Assistant, "{")];
    let off = |name: &str| RequestParts {
        options: json!({ name: { "structuredOutputs": false } }),
        ..RequestParts::default()
    };
    let list = || RequestParts {
        schema: json!({ "type": "array", "items": { "type": "string" } }),
        ..RequestParts::default()
    };
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let cases = [
        ("responses", "gpt-4-turbo", RequestParts::default()),
        ("responses", "gpt-5", list()),
        ("chat", "gpt-3.5-turbo", RequestParts::default()),
        ("compatible", "m", list()),
        ("compatible", "m", off("lab")),
        ("groq", "llama-3.3-70b-versatile", RequestParts::default()),
        ("groq", "openai/gpt-oss-20b", tools()),
        ("mistral", "m", off("mistral")),
        ("anthropic", "claude-3-7-sonnet-20250219", RequestParts::default()),
        ("anthropic", "claude-sonnet-4-5", RequestParts { messages: begun, ..RequestParts::default() }),
        ("anthropic", "claude-sonnet-4-5", RequestParts { schema: map, ..RequestParts::default() }),
        ("anthropic", "claude-sonnet-4-5", list()),
        ("bedrock", "amazon.nova-pro-v1:0", RequestParts::default()),
        ("bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0", RequestParts::default()),
        ("cohere", "command-a-03-2025", tools()),
        ("cohere", "command-light", RequestParts::default()),
    ];
    for (name, model, parts) in cases {
        assert_eq!(format(name, &body(name, model, parts)), Value::Null, "{name} {model}");
    }
    for (model, parts) in
        [("gemini-2.5-pro", tools()), ("models/Gemini-2.5-Flash", tools()), ("gemma-3-27b-it", RequestParts::default())]
    {
        assert_eq!(format("google", &body("google", model, parts)), json!({}), "{model}");
    }
}

#[test]
fn gemini_gets_json_schema_if_its_subset_is_insufficient() {
    let map = || json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let with = |model: &str, tools: bool| {
        format("google", &body("google", model, RequestParts { schema: map(), tools, ..RequestParts::default() }))
    };
    let json_schema = json!({ "responseMimeType": "application/json", "responseJsonSchema": map() });
    assert_eq!(with("gemini-2.5-flash", false), json_schema);
    assert_eq!(with("gemini-3-pro-preview", true), json_schema);
    // Aliases count as the newest model, also for thinking.
    assert_eq!(with("gemini-flash-latest", true), json_schema);
    assert_eq!(with("gemini-2.0-flash", false), json!({ "responseMimeType": "application/json" }));
    let list =
        RequestParts { schema: json!({ "type": "array", "items": { "type": "string" } }), ..RequestParts::default() };
    assert_eq!(format("google", &body("google", "gemini-2.0-flash", list))["responseSchema"]["type"], "array");
}

#[test]
fn format_and_effort_share_output_config() {
    let options = json!({ "anthropic": { "effort": "low" } });
    let found = body("anthropic", "claude-opus-4-5", RequestParts { options, ..RequestParts::default() });
    assert_eq!(found["output_config"]["effort"], "low");
    assert_eq!(found["output_config"]["format"]["type"], "json_schema");
}

#[test]
fn a_compatible_servers_own_option_wins() {
    let options = json!({ "lab": { "response_format": { "type": "text" } } });
    let found = body("compatible", "m", RequestParts { options, ..RequestParts::default() });
    assert_eq!(found["response_format"], json!({ "type": "text" }));
}

#[test]
fn schema_options_are_read_under_every_key() {
    let not_strict = |wire: &dyn WireFormat, name: &str| {
        let found = body_of(
            wire,
            "m",
            RequestParts { options: json!({ name: { "strictJsonSchema": false } }), ..RequestParts::default() },
        );
        found["response_format"]["json_schema"]["strict"] == false
    };
    let (azure, lab) = (ChatWire::azure("v1"), wire("compatible"));
    for name in ["azure", "openai"] {
        assert!(not_strict(&azure, name), "{name}");
    }
    for name in ["openai-compatible", "openaiCompatible", "lab"] {
        assert!(not_strict(lab.as_ref(), name), "{name}");
        let options = json!({ name: { "structuredOutputs": false } });
        let found = body("compatible", "m", RequestParts { options, ..RequestParts::default() });
        assert_eq!(found.get("response_format"), None, "{name}");
    }
}
