//! The `reasoning` setting in requests of each provider.

use serde_json::{Value, json};

use super::{encode, user, wire, with_options};
use crate::wire::{
    EncodedRequest, WireFormat,
    chat::{ChatWire, Dialect},
    responses::ResponsesWire,
};
use lmthing_base::chat::{CallSettings, Reasoning, Reasoning::*, ToolChoice};

const PLACES: [&str; 9] = [
    "/reasoning",
    "/reasoning_effort",
    "/reasoning_format",
    "/prompt_mode",
    "/thinking",
    "/output_config",
    "/generationConfig/thinkingConfig",
    "/additionalModelRequestFields",
    "/inferenceConfig",
];

pub(super) fn reasoning_of(encoded: &EncodedRequest) -> Value {
    let found = PLACES.iter().filter_map(|place| {
        let value = encoded.body.pointer(place)?;
        Some((place.rsplit('/').next()?.to_owned(), value.clone()))
    });
    found.collect()
}

pub(super) fn warnings(encoded: &EncodedRequest) -> usize {
    encoded.warnings.iter().filter(|warning| warning.setting.as_deref() == Some("reasoning")).count()
}

fn request_with(wire: &dyn WireFormat, model: &str, reasoning: Reasoning) -> EncodedRequest {
    let settings = CallSettings { reasoning: Some(reasoning), ..CallSettings::default() };
    encode(wire, model, vec![user("hi")], settings)
}

fn check(wire: &dyn WireFormat, cases: &[(&str, Reasoning, Value, bool)]) {
    for (model, reasoning, expected, warned) in cases {
        let encoded = request_with(wire, model, *reasoning);
        assert_eq!(reasoning_of(&encoded), *expected, "{model} {reasoning:?}");
        assert_eq!(warnings(&encoded), usize::from(*warned), "{model} {reasoning:?} {:?}", encoded.warnings);
    }
}

fn openai_cases() -> Vec<(&'static str, Reasoning, Option<&'static str>, bool)> {
    vec![
        ("gpt-5.1", Off, Some("none"), false),
        ("gpt-6", Off, Some("none"), false),
        ("gpt-6-astra", Off, Some("low"), true),
        ("gpt-5.3-codex", Off, Some("low"), true),
        ("gpt-5-mini", Off, Some("minimal"), false),
        ("o3", Off, Some("low"), true),
        ("o5-mini", Medium, Some("medium"), false),
        ("gpt-5.1", Minimal, Some("low"), true),
        ("gpt-5-mini", Minimal, Some("minimal"), false),
        ("gpt-5-mini", XHigh, Some("high"), true),
        ("gpt-5.1", Max, Some("high"), true),
        ("gpt-5.1-codex-max", XHigh, Some("xhigh"), false),
        ("gpt-5.2", XHigh, Some("xhigh"), false),
        ("gpt-5.2", Max, Some("xhigh"), true),
        ("gpt-5.2-pro", XHigh, Some("xhigh"), false),
        ("gpt-6.1-sol", Max, Some("max"), false),
        ("gpt-6", XHigh, Some("xhigh"), false),
        ("o3", Max, Some("high"), true),
        ("gpt-7", Low, Some("low"), false),
        ("gpt-7", High, Some("high"), false),
        ("gpt-7", Tokens(2_000), Some("low"), false),
        ("gpt-7", Tokens(10_000), Some("medium"), false),
        ("gpt-7", Tokens(30_000), Some("high"), false),
        ("gpt-5-pro", Low, Some("high"), true),
        ("gpt-5.2-pro", Off, Some("medium"), true),
        ("gpt-4o", Off, None, false),
        ("gpt-4o", High, None, true),
        ("gpt-5-chat-latest", Low, None, true),
        ("smart", High, Some("high"), false),
        ("smart", Off, None, true),
    ]
}

#[test]
fn openai_takes_an_effort() {
    for (model, reasoning, effort, warned) in openai_cases() {
        let form = |value: Value| if effort.is_some() { value } else { json!({}) };
        let responses = form(json!({ "reasoning": { "effort": effort } }));
        check(wire("responses").as_ref(), &[(model, reasoning, responses, warned)]);
        check(wire("chat").as_ref(), &[(model, reasoning, form(json!({ "reasoning_effort": effort })), warned)]);
    }
    check(
        &ResponsesWire::azure("v1"),
        &[
            ("production", High, json!({ "reasoning": { "effort": "high" } }), false),
            ("gpt-4o", High, json!({ "reasoning": { "effort": "high" } }), false),
            ("gpt-4o", Off, json!({}), false),
            ("production", Off, json!({}), true),
        ],
    );
    // Without effort, newer models support sampling settings.
    let settings = CallSettings { reasoning: Some(Off), temperature: Some(0.3), ..CallSettings::default() };
    assert_eq!(with_options("responses", "gpt-5.2", json!({}), settings).body["temperature"], 0.3);
}

#[test]
fn claude_takes_a_budget_or_an_effort() {
    let budget = |tokens: u64| json!({ "thinking": { "type": "enabled", "budget_tokens": tokens } });
    let adaptive = |effort: &str| json!({ "thinking": { "type": "adaptive" }, "output_config": { "effort": effort } });
    check(
        wire("anthropic").as_ref(),
        &[
            ("claude-3-5-haiku-latest", High, json!({}), true),
            ("claude-3-5-haiku-latest", Off, json!({}), false),
            ("claude-3-7-sonnet-latest", Low, budget(2_048), false),
            ("claude-sonnet-4-5", Medium, budget(8_192), false),
            ("claude-opus-4-5", High, budget(24_576), false),
            ("claude-sonnet-4-5", Minimal, budget(1_024), true),
            ("claude-sonnet-4-5", XHigh, budget(32_768), true),
            ("claude-sonnet-4-5", Max, budget(49_152), true),
            ("claude-opus-4-1", Max, budget(27_904), true),
            ("claude-opus-4-6", Max, adaptive("max"), false),
            ("claude-opus-4-6", XHigh, adaptive("max"), true),
            ("claude-opus-4-7", XHigh, adaptive("xhigh"), false),
            ("claude-opus-4-7", Minimal, adaptive("low"), true),
            ("claude-sonnet-4-5", Tokens(5_000), budget(5_000), false),
            ("claude-sonnet-4-5", Tokens(100), budget(1_024), true),
            ("claude-opus-4-1", Tokens(90_000), budget(27_904), true),
            ("claude-sonnet-4-5", Off, json!({}), false),
            ("claude-opus-4-6", High, adaptive("high"), false),
            ("claude-sonnet-4-6", Tokens(5_000), budget(5_000), false),
            ("claude-opus-4-7", Tokens(5_000), adaptive("medium"), false),
            ("claude-opus-4-7", Off, json!({}), false),
            ("claude-opus-5", Off, json!({ "thinking": { "type": "disabled" } }), false),
            ("claude-fable-6", Low, adaptive("low"), false),
            ("claude-fable-6", Off, json!({ "output_config": { "effort": "low" } }), true),
            ("kimi-k3", Low, budget(2_048), false),
            ("kimi-k3", Off, json!({ "thinking": { "type": "disabled" } }), false),
        ],
    );
    let limit = |model: &str, max_output_tokens: Option<u64>| {
        let settings = CallSettings { reasoning: Some(Medium), max_output_tokens, ..CallSettings::default() };
        encode(wire("anthropic").as_ref(), model, vec![user("hi")], settings).body["max_tokens"].clone()
    };
    assert_eq!(limit("claude-sonnet-4-5", None), 64_000);
    assert_eq!(limit("claude-sonnet-4-5", Some(1_000)), 9_192, "the limit is one for the answer");
    assert_eq!(limit("claude-opus-5", Some(1_000)), 1_000, "an effort has no tokens of its own");
    for (left, max_tokens, budget) in [(3_000, 3_000, 1_500), (10, 2_048, 1_024), (90_000, 27_576, 24_576)] {
        let settings = CallSettings {
            reasoning: Some(High),
            max_output_tokens: Some(3_000),
            output_left: Some(left),
            ..CallSettings::default()
        };
        let found = encode(wire("anthropic").as_ref(), "claude-sonnet-4-5", vec![user("hi")], settings);
        assert_eq!((&found.body["max_tokens"], warnings(&found)), (&json!(max_tokens), 0));
        assert_eq!(found.body["thinking"]["budget_tokens"], budget);
    }
    let settings = CallSettings {
        reasoning: Some(High),
        tool_choice: Some(ToolChoice::Required),
        temperature: Some(0.3),
        ..CallSettings::default()
    };
    let forced = encode(wire("anthropic").as_ref(), "claude-sonnet-4-5", vec![user("hi")], settings);
    assert_eq!((reasoning_of(&forced), warnings(&forced)), (json!({}), 1));
    assert_eq!(forced.body["temperature"], 0.3);
}

#[test]
fn bedrock_settings_depend_on_the_family() {
    let fields = |fields: Value| json!({ "additionalModelRequestFields": fields });
    let thinking = json!({ "thinking": { "type": "enabled", "budget_tokens": 2_048 } });
    check(
        wire("bedrock").as_ref(),
        &[
            (
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                Low,
                json!({ "additionalModelRequestFields": thinking, "inferenceConfig": { "maxTokens": 6_144 } }),
                false,
            ),
            (
                "global.anthropic.claude-opus-4-7",
                High,
                fields(json!({ "output_config": { "effort": "high" }, "thinking": { "type": "adaptive" } })),
                false,
            ),
            ("anthropic.claude-3-5-sonnet-20241022-v2:0", High, json!({}), true),
            ("openai.gpt-oss-120b-1:0", Medium, fields(json!({ "reasoning_effort": "medium" })), false),
            ("openai.gpt-oss-120b-1:0", Off, fields(json!({ "reasoning_effort": "low" })), true),
            (
                "us.amazon.nova-2-lite-v1:0",
                Low,
                fields(json!({ "reasoningConfig": { "type": "enabled", "maxReasoningEffort": "low" } })),
                false,
            ),
            (
                "us.amazon.nova-2-lite-v1:0",
                Max,
                fields(json!({ "reasoningConfig": { "type": "enabled", "maxReasoningEffort": "high" } })),
                true,
            ),
            ("us.amazon.nova-2-lite-v1:0", Off, fields(json!({ "reasoningConfig": { "type": "disabled" } })), false),
            ("amazon.nova-pro-v1:0", High, json!({}), true),
            ("deepseek.r1-v1:0", High, json!({}), true),
            ("meta.llama3-3-70b-instruct-v1:0", Off, json!({}), false),
        ],
    );
}

#[test]
fn gemini_takes_a_level_or_a_budget() {
    let level = |level: &str| json!({ "thinkingConfig": { "thinkingLevel": level } });
    let budget = |tokens: u64| json!({ "thinkingConfig": { "thinkingBudget": tokens } });
    check(
        wire("google").as_ref(),
        &[
            ("gemini-3-pro-preview", Off, level("low"), true),
            ("gemini-3-flash-preview", Off, level("minimal"), false),
            ("gemini-3.8-flash", Off, level("low"), true),
            ("gemini-4-ultra", Medium, level("medium"), false),
            ("publishers/google/models/gemini-3.1-pro", High, level("high"), false),
            ("gemini-flash-latest", Tokens(3_000), level("low"), false),
            ("gemini-3-flash-preview", Minimal, level("minimal"), false),
            ("gemini-3-pro-preview", Minimal, level("low"), true),
            ("gemini-3-pro-preview", Max, level("high"), true),
            ("gemini-4-hydrogen", XHigh, level("xhigh"), false),
            ("gemini-2.5-flash", Max, budget(24_576), true),
            ("gemini-2.5-flash", Off, budget(0), false),
            ("gemini-2.5-flash", Low, budget(2_048), false),
            ("gemini-2.5-flash", High, budget(24_576), false),
            ("gemini-2.5-flash-lite", Tokens(100), budget(512), true),
            ("gemini-2.5-pro", Off, budget(128), true),
            ("gemini-2.5-pro", Tokens(30_000), budget(30_000), false),
            ("gemini-2.0-flash", High, json!({}), true),
            ("gemini-1.5-pro", Off, json!({}), false),
            ("gemma-3-27b-it", High, json!({}), true),
            ("gemini-2.5-flash-image", High, json!({}), true),
        ],
    );
    let beside = |limit: u64| {
        let max_output_tokens = Some(limit);
        let settings = CallSettings { reasoning: Some(High), max_output_tokens, ..CallSettings::default() };
        let body = encode(wire("google").as_ref(), "gemini-2.5-flash", vec![user("hi")], settings).body;
        body["generationConfig"]["thinkingConfig"]["thinkingBudget"].clone()
    };
    assert_eq!((beside(3_000), beside(20_000), beside(60_000)), (json!(1_500), json!(15_904), json!(24_576)));
}

#[test]
fn groq_mistral_and_cohere_settings() {
    check(
        wire("groq").as_ref(),
        &[
            ("openai/gpt-oss-120b", High, json!({ "reasoning_effort": "high" }), false),
            ("openai/gpt-oss-20b", Off, json!({ "reasoning_effort": "low" }), true),
            ("openai/gpt-oss-20b", Max, json!({ "reasoning_effort": "high" }), true),
            ("qwen/qwen3-32b", Max, json!({ "reasoning_effort": "default", "reasoning_format": "parsed" }), true),
            ("qwen/qwen3-32b", Medium, json!({ "reasoning_effort": "default", "reasoning_format": "parsed" }), false),
            ("qwen/qwen3-32b", Off, json!({ "reasoning_effort": "none" }), false),
            ("llama-3.3-70b-versatile", High, json!({}), true),
            ("llama-3.3-70b-versatile", Off, json!({}), false),
        ],
    );
    check(
        wire("mistral").as_ref(),
        &[
            ("magistral-medium-latest", High, json!({ "prompt_mode": "reasoning" }), false),
            ("magistral-medium-latest", Minimal, json!({ "prompt_mode": "reasoning" }), true),
            ("magistral-medium-latest", Off, json!({}), true),
            ("mistral-small-latest", High, json!({ "reasoning_effort": "high" }), false),
            ("mistral-small-2603", Low, json!({ "reasoning_effort": "high" }), true),
            ("mistral-medium-3-5", Off, json!({ "reasoning_effort": "none" }), false),
            ("mistral-large-4-0", Medium, json!({ "reasoning_effort": "medium" }), false),
            ("mistral-large-2411", High, json!({}), true),
            ("codestral-latest", High, json!({}), true),
        ],
    );
    let thinking = |tokens: u64| json!({ "thinking": { "type": "enabled", "token_budget": tokens } });
    check(
        wire("cohere").as_ref(),
        &[
            ("command-a-reasoning-08-2025", Low, thinking(2_048), false),
            ("command-a-reasoning-08-2025", Tokens(500), thinking(500), false),
            ("command-a-reasoning-08-2025", Off, json!({ "thinking": { "type": "disabled" } }), false),
            ("command-b", High, thinking(24_576), false),
            ("command-b", Max, thinking(32_768), true),
            ("command-r-plus", High, json!({}), true),
            ("command-r-plus", Off, json!({}), false),
        ],
    );
}

#[test]
fn compatible_servers_get_reasoning_effort() {
    let effort = |effort: &str| json!({ "reasoning_effort": effort });
    check(
        wire("compatible").as_ref(),
        &[
            ("glm-4.6", High, effort("high"), false),
            ("glm-4.6", Max, effort("high"), true),
            ("grok-4.6", XHigh, effort("xhigh"), false),
            ("glm-4.6", Off, effort("none"), false),
            ("glm-4.6", Tokens(20_000), effort("high"), false),
            ("openai/gpt-6", Off, effort("none"), false),
            ("openai/gpt-5-mini", Off, effort("minimal"), false),
            ("openai/gpt-oss-20b", Off, effort("low"), true),
        ],
    );
    let router = ChatWire::new(Dialect::Compatible("router".into()), None).at(Some("https://openrouter.ai/api/v1"));
    check(
        &router,
        &[
            ("z-ai/glm-5", High, json!({ "reasoning": { "effort": "high" } }), false),
            ("z-ai/glm-5", Minimal, json!({ "reasoning": { "effort": "minimal" } }), false),
            ("z-ai/glm-5", Max, json!({ "reasoning": { "effort": "xhigh" } }), true),
            ("z-ai/glm-5", Off, json!({ "reasoning": { "enabled": false } }), false),
            ("z-ai/glm-5", Tokens(3_000), json!({ "reasoning": { "max_tokens": 3_000 } }), false),
        ],
    );
    let elsewhere = ChatWire::new(Dialect::Compatible("lab".into()), None).at(Some("http://lab/openrouter"));
    check(&elsewhere, &[("z-ai/glm-5", High, effort("high"), false)]);
}
