//! Provider options and headers.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{encode, tool, user, wire, with_options};
use crate::wire::{
    EncodedRequest, WireFormat,
    anthropic::AnthropicWire,
    chat::{ChatWire, Dialect},
    google::GoogleWire,
    responses::ResponsesWire,
};
use lmthing_base::chat::{CallSettings, ContentPart, Message, ModelRequest, ResponseFormat, Role, ToolSpec};

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
        let settings = CallSettings {
            provider_options,
            cache: Some(lmthing_base::chat::CacheOption::Off),
            ..CallSettings::default()
        };
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

fn asked(wire: &dyn WireFormat, model: &str, options: Value) -> EncodedRequest {
    let provider_options = options.as_object().cloned().unwrap();
    let messages = vec![Message::system("Be brief."), user("hi")];
    let encoded = encode(wire, model, messages, CallSettings { provider_options, ..CallSettings::default() });
    assert_eq!(encoded.warnings, [], "{options}");
    encoded
}

fn header<'a>(encoded: &'a EncodedRequest, name: &str) -> &'a str {
    encoded.headers.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

#[test]
fn each_option_has_its_place_in_the_body() {
    let router = ChatWire::new(Dialect::Compatible("openrouter".into()), None).at(None);
    let deepseek = ChatWire::new(Dialect::Compatible("deepseek".into()), None).at(None);
    let xai_chat = ChatWire::new(Dialect::Compatible("xai".into()), None).at(None);
    let responses: &[(Value, &str, Value)] = &[
        (json!({ "reasoningMode": "pro" }), "/reasoning", json!({ "mode": "pro" })),
        (json!({ "reasoningContext": "all_turns" }), "/reasoning/context", json!("all_turns")),
        (
            json!({ "textFormat": { "type": "text" }, "textVerbosity": "low" }),
            "/text",
            json!({ "verbosity": "low", "format": { "type": "text" } }),
        ),
        (
            json!({ "contextManagement": [{ "type": "compaction", "compactThreshold": 9 }] }),
            "/context_management",
            json!([{ "type": "compaction", "compact_threshold": 9 }]),
        ),
        (
            json!({ "promptCacheOptions": { "mode": "explicit", "comparisonResponseId": "r" } }),
            "/prompt_cache_options",
            json!({ "mode": "explicit", "comparison_response_id": "r" }),
        ),
        (json!({ "compactionTrigger": true }), "/input/2", json!({ "type": "compaction_trigger" })),
        (
            json!({ "reasoningEffortUpdate": "low" }),
            "/input/0",
            json!({ "type": "configuration_update", "reasoning": { "effort": "low" } }),
        ),
        (json!({ "includeWebSearchSources": true }), "/include", json!(["web_search_call.action.sources"])),
        (json!({ "systemMessageMode": "system" }), "/input/0/role", json!("system")),
        (json!({ "systemMessageMode": "remove" }), "/input/0/role", json!("user")),
        (json!({ "serviceTier": "ultrafast" }), "/service_tier", json!("ultrafast")),
    ];
    for (options, place, expected) in responses {
        let body = asked(&ResponsesWire::openai(), "gpt-5", json!({ "openai": options })).body;
        assert_eq!(body.pointer(place), Some(expected), "{options}");
    }
    let xai = ResponsesWire::xai();
    let others: Vec<(&dyn WireFormat, &str, Value, &str, Value)> = vec![
        (&xai, "xai", json!({ "minP": 0.1 }), "/min_p", json!(0.1)),
        (&xai, "xai", json!({ "maxTurns": 3 }), "/max_turns", json!(3)),
        (&xai, "xai", json!({ "topLogprobs": 2 }), "/logprobs", json!(true)),
        (&xai, "xai", json!({ "store": false }), "/include", json!(["reasoning.encrypted_content"])),
        (&xai_chat, "xai", json!({ "maxTurns": 3 }), "/max_turns", json!(3)),
        (&deepseek, "deepseek", json!({ "userId": "u" }), "/user_id", json!("u")),
        (&deepseek, "deepseek", json!({ "topLogprobs": 2 }), "/logprobs", json!(true)),
        (&deepseek, "deepseek", json!({ "thinking": { "type": "adaptive" } }), "/thinking/type", json!("enabled")),
        (&router, "openrouter", json!({ "models": ["a/b"] }), "/models/0", json!("a/b")),
        (&router, "openrouter", json!({ "logprobs": 3 }), "/top_logprobs", json!(3)),
        (&router, "openrouter", json!({ "extraBody": { "transforms": [] } }), "/transforms", json!([])),
        (&router, "openrouter", json!({ "parallelToolCalls": false }), "/parallel_tool_calls", json!(false)),
    ];
    for (wire, name, options, place, expected) in others {
        let body = asked(wire, "m", json!({ name: options })).body;
        assert_eq!(body.pointer(place), Some(&expected), "{name} {options}");
    }
    for (name, options, place, expected) in [
        ("openai", json!({ "promptCacheOptions": { "ttl": "30m" } }), "/prompt_cache_options/ttl", json!("30m")),
        ("openai", json!({ "systemMessageMode": "developer" }), "/messages/0/role", json!("developer")),
        ("openai", json!({ "systemMessageMode": "remove" }), "/messages/0/role", json!("user")),
        ("mistral", json!({ "promptCacheKey": "k" }), "/prompt_cache_key", json!("k")),
        ("google", json!({ "continuationToken": "t" }), "/continuationToken", json!("t")),
        ("google", json!({ "serviceTier": "flex" }), "/serviceTier", json!("flex")),
        (
            "google",
            json!({ "threshold": "OFF" }),
            "/safetySettings/3",
            json!({ "category": "HARM_CATEGORY_SEXUALLY_EXPLICIT", "threshold": "OFF" }),
        ),
        ("bedrock", json!({ "serviceTier": "flex" }), "/serviceTier", json!({ "type": "flex" })),
        ("bedrock", json!({ "guardrailConfig": { "trace": "enabled" } }), "/guardrailConfig/trace", json!("enabled")),
    ] {
        let wire = wire(if name == "openai" { "chat" } else { name });
        let body = asked(wire.as_ref(), "m", json!({ name: options })).body;
        assert_eq!(body.pointer(place), Some(&expected), "{name} {options}");
    }
}

#[test]
fn request_types_of_vertex_are_headers() {
    let options = json!({ "vertex": { "sharedRequestType": "priority", "requestType": "shared" } });
    let encoded = asked(&GoogleWire::vertex(), "gemini-3-pro", options);
    assert_eq!(header(&encoded, "x-vertex-ai-llm-shared-request-type"), "priority");
    assert_eq!(header(&encoded, "x-vertex-ai-llm-request-type"), "shared");
}

#[test]
fn only_allowed_tools_are_a_choice() {
    let allowed = json!({ "openai": { "allowedTools": { "toolNames": ["tide", "moon"], "mode": "required" } } });
    let settings = CallSettings { provider_options: allowed.as_object().cloned().unwrap(), ..CallSettings::default() };
    let request = ModelRequest {
        messages: vec![Rc::new(user("hi"))],
        tools: vec![tool("tide"), tool("port")],
        settings,
        ..ModelRequest::default()
    };
    let encoded = ResponsesWire::openai().encode(&request, "gpt-5").unwrap();
    let tools = json!([{ "type": "function", "name": "tide" }]);
    let choice = json!({ "type": "allowed_tools", "mode": "required", "tools": tools });
    assert_eq!(encoded.body["tool_choice"], choice);
    assert_eq!(encoded.body["tools"].as_array().unwrap().len(), 2);
    assert!(encoded.warnings[0].details.as_deref().unwrap().contains("there is no tool 'moon'"));
}

#[test]
fn newer_options_of_anthropic_have_their_beta_headers() {
    let context = json!({ "toolName": "bash" });
    let custom = json!({ "type": "custom", "providerReference": { "anthropic": "skill_1" } });
    for (options, place, expected, beta) in [
        (
            json!({ "taskBudget": { "type": "tokens", "total": 20_000 } }),
            "/output_config/task_budget/total",
            json!(20_000),
            "task-budgets-2026-03-13",
        ),
        (
            json!({ "compaction": { "type": "summarize" } }),
            "/compaction/type",
            json!("summarize"),
            "compact-2026-09-04",
        ),
        (
            json!({ "safeguards": [{ "type": "dangerous_tool_use", "classifierContext": context }] }),
            "/safeguards/0/classifier_context",
            context.clone(),
            "dangerous-tool-use-2026-09-03",
        ),
        (
            json!({ "thinking": { "type": "adaptive", "display": "updates" } }),
            "/thinking/display",
            json!("updates"),
            "thinking-display-updates-2026-08-18",
        ),
        (
            json!({ "thinking": { "blockBinding": { "prefixMismatchBehavior": "drop_block" } } }),
            "/thinking",
            json!({ "block_binding": { "prefix_mismatch_behavior": "drop_block" } }),
            "thinking-binding-controls-2026-08-01",
        ),
        (
            json!({ "container": { "skills": [custom] } }),
            "/container/skills/0",
            json!({ "type": "custom", "skill_id": "skill_1" }),
            "skills-2025-10-02",
        ),
    ] {
        let encoded = asked(&AnthropicWire, "claude-opus-5", json!({ "anthropic": options }));
        assert_eq!(encoded.body.pointer(place), Some(&expected), "{options}");
        let betas = header(&encoded, "anthropic-beta");
        assert!(betas.split(',').any(|known| known == beta), "{options} {betas}");
    }
    let between = json!({ "anthropic": { "thinking": { "type": "between_tools" } } });
    assert_eq!(asked(&AnthropicWire, "claude-opus-5", between).body["thinking"], json!({ "type": "between_tools" }));
}

#[test]
fn the_mode_of_structured_output_decides_whether_a_schema_is_sent() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    for (wire, name, model, mode, sent) in [
        ("anthropic", "anthropic", "claude-opus-5", "auto", true),
        ("anthropic", "anthropic", "claude-opus-5", "jsonTool", false),
        ("anthropic", "anthropic", "claude-3-haiku-20240307", "auto", false),
        ("anthropic", "anthropic", "claude-3-haiku-20240307", "outputFormat", true),
        ("bedrock", "bedrock", "openai.gpt-oss-120b", "jsonTool", false),
        ("bedrock", "bedrock", "meta.llama4", "outputFormat", true),
    ] {
        let format = ResponseFormat { name: "out".into(), schema: schema.clone() };
        let settings = CallSettings { response_format: Some(format), ..CallSettings::default() };
        let body = with_options(wire, model, json!({ name: { "structuredOutputMode": mode } }), settings).body;
        let config = ["/output_config/format", "/outputConfig/textFormat"].iter().find_map(|place| body.pointer(place));
        assert_eq!(config.is_some(), sent, "{model} {mode}");
        assert_eq!(body.get("structuredOutputMode"), None);
    }
}
