//! Properties of families of models, also for ids that are newer than this program.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{encode, tool, user, wire, with_options};
use crate::wire::{
    EncodedRequest, WireFormat,
    anthropic::AnthropicWire,
    chat::ChatWire,
    openai_models::{Kind, kind},
    responses::ResponsesWire,
};
use lmthing_base::chat::{CallSettings, Message, ModelRequest};

fn sampling() -> CallSettings {
    CallSettings { temperature: Some(0.3), top_p: Some(0.9), ..CallSettings::default() }
}

fn warned(encoded: &EncodedRequest) -> String {
    let settings: Vec<&str> = encoded.warnings.iter().filter_map(|warning| warning.setting.as_deref()).collect();
    settings.join(" ")
}

#[test]
fn openai_models_are_classified() {
    let of = |expected: Kind, ids: &[&str]| {
        for id in ids {
            assert_eq!(kind(id), expected, "{id}");
        }
    };
    of(Kind::Reasoning, &["o1", "o3-mini", "o4-mini-2025-04-16", "o5-mini", "o10", "ft:o4-mini-2025-04-16:us::x"]);
    of(
        Kind::Reasoning,
        &["gpt-5", "gpt-5-nano", "gpt-5.1", "gpt-5.5", "gpt-6", "gpt-7-nano", "gpt-12.3", "openai/gpt-6"],
    );
    of(Kind::Reasoning, &["codex-mini-latest", "gpt-5.3-codex", "computer-use-preview", "gpt-6-astra"]);
    of(Kind::Plain, &["gpt-4o", "gpt-4.1-mini", "gpt-4-turbo", "gpt-3.5-turbo", "gpt-35-turbo", "ft:gpt-4o:team::id"]);
    of(Kind::Plain, &["gpt-5-chat-latest", "gpt-5.1-chat-latest", "gpt-7-chat", "chatgpt-4o-latest"]);
    of(Kind::Unknown, &["my-deployment", "gpt-oss-120b", "gpt-image", "omni", "opus", "o", "qwen/qwen3-32b", ""]);
}

#[test]
fn openai_families_refuse_sampling_settings() {
    for (model, options, dropped) in [
        ("gpt-4o", json!({}), false),
        ("gpt-6-chat", json!({}), false),
        ("my-deployment", json!({}), false),
        ("gpt-6", json!({}), true),
        ("o5-mini", json!({}), true),
        ("gpt-5", json!({ "reasoningEffort": "none" }), true),
        ("gpt-5.1", json!({ "reasoningEffort": "none" }), false),
        ("gpt-5.5", json!({ "reasoningEffort": "none" }), false),
        ("gpt-7", json!({ "reasoningEffort": "none" }), false),
        ("gpt-7", json!({ "reasoningEffort": "low" }), true),
        ("smart", json!({ "forceReasoning": true }), true),
    ] {
        for name in ["responses", "chat"] {
            let encoded = with_options(name, model, json!({ "openai": options }), sampling());
            assert_eq!(encoded.body.get("temperature").is_none(), dropped, "{name} {model} {options}");
            assert_eq!(warned(&encoded), if dropped { "temperature topP" } else { "" }, "{name} {model} {options}");
        }
    }
}

#[test]
fn newer_openai_models_are_treated_like_their_family() {
    let settings = || CallSettings { max_output_tokens: Some(5), ..CallSettings::default() };
    let messages = || vec![Message::system("Be brief."), user("hi")];
    let chat = encode(wire("chat").as_ref(), "gpt-7-nano", messages(), settings());
    assert_eq!(chat.body["messages"][0]["role"], "developer");
    assert_eq!((&chat.body["max_completion_tokens"], chat.body.get("max_tokens")), (&json!(5), None));
    let plain = encode(wire("chat").as_ref(), "gpt-7-chat", messages(), settings());
    assert_eq!(plain.body["messages"][0]["role"], "system");
    assert_eq!(plain.body["max_tokens"], 5);
}

#[test]
fn an_azure_deployment_reasons_if_requested() {
    let wires: [Box<dyn WireFormat>; 2] = [Box::new(ResponsesWire::azure("v1")), Box::new(ChatWire::azure("v1"))];
    for (wire, place) in wires.iter().zip(["/reasoning/effort", "/reasoning_effort"]) {
        for (provider, model) in [("azure", "production"), ("openai", "my-gpt-4o"), ("azure", "gpt-4o")] {
            let options = json!({ provider: { "reasoningEffort": "extreme" } });
            let Value::Object(provider_options) = options else { return };
            let settings = CallSettings { provider_options, max_output_tokens: Some(5), ..sampling() };
            let encoded = encode(wire.as_ref(), model, vec![Message::system("Be brief."), user("hi")], settings);
            assert_eq!(encoded.body.pointer(place), Some(&json!("extreme")), "{model}");
            assert_eq!(encoded.body.get("temperature"), None, "{model}");
            let first = encoded.body.pointer("/input/0/role").or(encoded.body.pointer("/messages/0/role"));
            assert_eq!(first, Some(&json!("developer")), "{model}");
            assert_eq!(encoded.body.get("max_tokens"), None, "{model}");
        }
        let quiet = encode(wire.as_ref(), "production", vec![user("hi")], sampling());
        assert_eq!(quiet.body["temperature"], 0.3);
    }
}

#[test]
fn output_limits_depend_on_the_claude_family() {
    // (id, default of max_tokens, whether it is a limit, structured outputs)
    for (id, max_tokens, capped, structured) in [
        ("claude-2.1", 4_096, false, false),
        ("claude-3-haiku-20240307", 4_096, true, false),
        ("claude-3-5-haiku-latest", 8_192, true, false),
        ("claude-3-5-sonnet-20241022", 4_096, false, false),
        ("claude-3-opus-20240229", 4_096, false, false),
        ("claude-3-7-sonnet-20250219", 64_000, true, false),
        ("claude-sonnet-4-20250514", 64_000, true, false),
        ("claude-opus-4-20250514", 32_000, true, false),
        ("claude-opus-4-1-20250805", 32_000, true, true),
        ("claude-sonnet-4-5@20250929", 64_000, true, true),
        ("claude-haiku-4-5", 64_000, true, true),
        ("claude-opus-4-5", 64_000, true, true),
        ("claude-opus-4-6", 128_000, true, true),
        ("claude-opus-5", 128_000, true, true),
        ("claude-sonnet-6-5-20270101", 128_000, true, true),
        ("claude-fable-6", 128_000, true, true),
        ("claude-next", 128_000, true, true),
        ("kimi-k3", 4_096, false, false),
    ] {
        let settings = |max_output_tokens| CallSettings { max_output_tokens, ..CallSettings::default() };
        let unset = encode(&AnthropicWire, id, vec![user("hi")], settings(None));
        assert_eq!(unset.body["max_tokens"], max_tokens, "{id}");
        let large = encode(&AnthropicWire, id, vec![user("hi")], settings(Some(1_000_000)));
        assert_eq!(large.body["max_tokens"], if capped { max_tokens } else { 1_000_000 }, "{id}");
        assert_eq!(warned(&large), if capped { "maxOutputTokens" } else { "" }, "{id}");
        let messages = vec![Rc::new(user("hi"))];
        let request =
            ModelRequest { messages, tools: vec![tool("tide")], settings: settings(None), ..ModelRequest::default() };
        let headers = AnthropicWire.encode(&request, id).unwrap().headers;
        assert_eq!(headers.iter().any(|(_, value)| value.contains("structured-outputs")), structured, "{id}");
    }
}

#[test]
fn claude_families_refuse_sampling_settings() {
    for (id, anthropic, bedrock) in [
        ("claude-3-5-sonnet-20241022", "topP", ""),
        ("claude-opus-4-1", "topP", "topP"),
        ("claude-sonnet-4-6", "topP", "topP"),
        ("claude-opus-4-7", "temperature topP", "temperature topP"),
        ("claude-fable-6", "temperature topP", "temperature topP"),
        ("glm-5", "topP", ""),
    ] {
        assert_eq!(warned(&encode(&AnthropicWire, id, vec![user("hi")], sampling())), anthropic, "{id}");
        let on_bedrock = format!("us.anthropic.{id}-v1:0");
        let encoded = encode(wire("bedrock").as_ref(), &on_bedrock, vec![user("hi")], sampling());
        assert_eq!(warned(&encoded), bedrock, "{on_bedrock}");
    }
}
