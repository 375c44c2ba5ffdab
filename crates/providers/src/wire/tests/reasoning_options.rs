//! Provider options that say how much a model thinks.

use serde_json::json;

use super::{
    reasoning::{reasoning_of, warnings},
    with_options,
};
use lmthing_base::chat::{CallSettings, Reasoning::High};

#[test]
fn provider_options_win_without_a_warning() {
    let cases = [
        (
            "responses",
            "gpt-6",
            json!({ "openai": { "reasoningEffort": "xhigh" } }),
            json!({ "reasoning": { "effort": "xhigh" } }),
        ),
        ("chat", "gpt-6", json!({ "openai": { "reasoningEffort": "max" } }), json!({ "reasoning_effort": "max" })),
        (
            "groq",
            "qwen/qwen3-32b",
            json!({ "groq": { "reasoningFormat": "hidden" } }),
            json!({ "reasoning_format": "hidden" }),
        ),
        (
            "mistral",
            "mistral-small-latest",
            json!({ "mistral": { "reasoningEffort": "none" } }),
            json!({ "reasoning_effort": "none" }),
        ),
        (
            "compatible",
            "glm",
            json!({ "lab": { "thinking": { "type": "disabled" } } }),
            json!({ "thinking": { "type": "disabled" } }),
        ),
        ("compatible", "qwen", json!({ "lab": { "chat_template_kwargs": { "enable_thinking": false } } }), json!({})),
        (
            "anthropic",
            "claude-opus-4-6",
            json!({ "anthropic": { "effort": "max" } }),
            json!({ "output_config": { "effort": "max" } }),
        ),
        (
            "anthropic",
            "claude-opus-5",
            json!({ "anthropic": { "thinking": { "type": "disabled" } } }),
            json!({ "thinking": { "type": "disabled" } }),
        ),
        (
            "anthropic",
            "claude-opus-5",
            json!({ "anthropic": { "thinking": { "type": "adaptive", "display": "summarized" } } }),
            json!({ "thinking": { "type": "adaptive", "display": "summarized" } }),
        ),
        (
            "google",
            "gemini-3-pro",
            json!({ "google": { "thinkingConfig": { "thinkingLevel": "low" } } }),
            json!({ "thinkingConfig": { "thinkingLevel": "low" } }),
        ),
        (
            "google",
            "gemini-3-pro",
            json!({ "google": { "thinkingConfig": { "includeThoughts": true } } }),
            json!({ "thinkingConfig": { "includeThoughts": true, "thinkingLevel": "high" } }),
        ),
        (
            "cohere",
            "command-a-reasoning",
            json!({ "cohere": { "thinking": { "type": "disabled" } } }),
            json!({ "thinking": { "type": "disabled" } }),
        ),
        (
            "bedrock",
            "anthropic.claude-opus-4-6-v1",
            json!({ "bedrock": { "reasoningConfig": { "type": "adaptive", "maxReasoningEffort": "max" } } }),
            json!({ "additionalModelRequestFields": {
                "thinking": { "type": "adaptive" }, "output_config": { "effort": "max" },
            } }),
        ),
        (
            "bedrock",
            "anthropic.claude-opus-5",
            json!({ "bedrock": { "reasoningConfig": { "type": "disabled" } } }),
            json!({ "additionalModelRequestFields": { "thinking": { "type": "disabled" } } }),
        ),
        (
            "bedrock",
            "openai.gpt-oss-20b-1:0",
            json!({ "bedrock": { "additionalModelRequestFields": { "reasoning_effort": "low" } } }),
            json!({ "additionalModelRequestFields": { "reasoning_effort": "low" } }),
        ),
    ];
    for (name, model, options, expected) in cases {
        let settings = CallSettings { reasoning: Some(High), ..CallSettings::default() };
        let encoded = with_options(name, model, options, settings);
        assert_eq!(reasoning_of(&encoded), expected, "{name} {model}");
        assert_eq!(warnings(&encoded), 0, "{name} {model} {:?}", encoded.warnings);
    }
}
