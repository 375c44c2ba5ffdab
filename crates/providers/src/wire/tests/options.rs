//! Provider options and headers.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{tool, user, with_options};
use crate::wire::{WireFormat, anthropic::AnthropicWire};
use lmthing_base::chat::{CallSettings, ContentPart, Message, ModelRequest, Role, ToolSpec};

#[test]
fn anthropic_headers_follow_model_tools_and_options() {
    let header = |model: &str, tools: Vec<ToolSpec>| {
        let request = ModelRequest { messages: vec![Rc::new(user("hi"))], tools, ..ModelRequest::default() };
        let encoded = AnthropicWire.encode(&request, model).unwrap();
        encoded.headers.into_iter().find(|(name, _)| *name == "anthropic-beta").unwrap().1
    };
    let streaming = "fine-grained-tool-streaming-2025-05-14";
    assert_eq!(header("claude-3-5-sonnet-20241022", vec![tool("tide")]), streaming);
    assert_eq!(header("claude-sonnet-4-5", vec![]), streaming);
    assert_eq!(header("claude-sonnet-4-5", vec![tool("tide")]), format!("{streaming},structured-outputs-2025-11-13"));
}

#[test]
fn provider_options_are_copied_into_bodies() {
    let options = json!({ "openai": {
        "reasoningEffort": "low", "parallelToolCalls": false, "user": "u", "textVerbosity": "low", "metadata": { "a": "b" },
        "serviceTier": "flex", "logprobs": 3,
    } });
    let body = with_options("responses", "o3", options, CallSettings::default()).body;
    assert_eq!(body["reasoning"], json!({ "effort": "low" }));
    assert_eq!(body["text"], json!({ "verbosity": "low" }));
    assert_eq!((&body["parallel_tool_calls"], &body["user"]), (&json!(false), &json!("u")));
    assert_eq!((&body["top_logprobs"], &body["include"]), (&json!(3), &json!(["message.output_text.logprobs"])));

    let options = json!({ "lab": { "reasoningEffort": "high", "do_sample": true } });
    let body = with_options("compatible", "m", options, CallSettings::default()).body;
    assert_eq!((&body["reasoning_effort"], &body["do_sample"]), (&json!("high"), &json!(true)));

    let options = json!({ "groq": { "reasoningFormat": "parsed" }, "openai": { "user": "not ours" } });
    let body = with_options("groq", "m", options, CallSettings::default()).body;
    assert_eq!((&body["reasoning_format"], body.get("user")), (&json!("parsed"), None));

    let options = json!({ "google": {
        "thinkingConfig": { "thinkingBudget": 0 }, "safetySettings": [{ "category": "c" }], "cachedContent": "x",
    } });
    let body = with_options("google", "m", options, CallSettings::default()).body;
    assert_eq!(body["generationConfig"], json!({ "thinkingConfig": { "thinkingBudget": 0 } }));
    assert_eq!((&body["safetySettings"][0]["category"], &body["cachedContent"]), (&json!("c"), &json!("x")));

    let options = json!({ "cohere": { "thinking": { "type": "enabled", "tokenBudget": 50 } } });
    let body = with_options("cohere", "m", options, CallSettings::default()).body;
    assert_eq!(body["thinking"], json!({ "type": "enabled", "token_budget": 50 }));
}

#[test]
fn claudes_reasoning_is_sent_back_unless_disabled() {
    let signed = json!({ "anthropic": { "signature": "sig" } }).as_object().cloned();
    let parts =
        vec![ContentPart::Reasoning { text: "Hm.".into(), provider_options: signed }, ContentPart::text("Ebb.")];
    let messages = [user("hi"), Message::parts(Role::Assistant, parts), user("sure?")].map(Rc::new).to_vec();
    let kinds = |options: Value| {
        let provider_options = options.as_object().cloned().unwrap();
        let settings = CallSettings { provider_options, cache: Some(false), ..CallSettings::default() };
        let request = ModelRequest { messages: messages.clone(), settings, ..ModelRequest::default() };
        let encoded = AnthropicWire.encode(&request, "claude-sonnet-4-5").unwrap();
        assert_eq!(encoded.warnings, []);
        let blocks = encoded.body["messages"][1]["content"].as_array().unwrap().clone();
        blocks.iter().map(|block| block["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(json!({})), ["thinking", "text"]);
    assert_eq!(kinds(json!({ "anthropic": { "sendReasoning": false } })), ["text"]);
}

#[test]
fn options_of_anthropic_have_their_beta_headers() {
    let options = json!({ "anthropic": {
        "serviceTier": "auto", "speed": "fast", "inferenceGeo": "us", "container": { "id": "c" },
        "contextManagement": { "edits": [{ "type": "clear_tool_uses_20250919", "clearToolInputs": true }] },
        "anthropicBeta": ["own-beta"],
    } });
    let encoded = with_options("anthropic", "claude-opus-5", options, CallSettings::default());
    let edits = json!({ "edits": [{ "type": "clear_tool_uses_20250919", "clear_tool_inputs": true }] });
    assert_eq!(encoded.body["context_management"], edits);
    assert_eq!((&encoded.body["container"], &encoded.body["service_tier"]), (&json!("c"), &json!("auto")));
    let betas = encoded.headers.iter().find(|(name, _)| *name == "anthropic-beta").map(|(_, value)| value.as_str());
    assert!(betas.unwrap().ends_with(",context-management-2025-06-27,fast-mode-2026-02-01,own-beta"), "{betas:?}");
}
