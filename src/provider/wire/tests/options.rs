//! Provider options and headers.

use std::rc::Rc;

use serde_json::json;

use super::{tool, user, with_options};
use crate::{
    chat::{CallSettings, ModelRequest, ToolSpec},
    provider::wire::{WireFormat, anthropic::AnthropicWire},
};

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
fn provider_options_reach_their_places() {
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
