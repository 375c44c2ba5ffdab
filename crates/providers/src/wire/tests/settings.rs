//! Call settings and tool choice.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{body, encode, tool, user, wire, with_options};
use crate::wire::{anthropic::AnthropicWire, bedrock::BedrockWire};
use lmthing_base::chat::{CallSettings, Message, ModelRequest, ToolChoice};

fn all_settings() -> CallSettings {
    CallSettings {
        max_output_tokens: Some(99),
        temperature: Some(0.0),
        top_p: Some(0.9),
        top_k: Some(40.0),
        presence_penalty: Some(0.5),
        frequency_penalty: Some(-1.0),
        stop_sequences: Some(vec!["END".into()]),
        seed: Some(7),
        ..CallSettings::default()
    }
}

fn settings_by_wire() -> [(&'static str, &'static str, Value, &'static str); 9] {
    let chat = json!({
        "max_tokens": 99, "temperature": 0, "top_p": 0.9, "presence_penalty": 0.5, "frequency_penalty": -1,
        "stop": ["END"], "seed": 7,
    });
    let camel = json!({
        "maxOutputTokens": 99, "temperature": 0, "topP": 0.9, "topK": 40, "presencePenalty": 0.5,
        "frequencyPenalty": -1, "stopSequences": ["END"], "seed": 7,
    });
    [
        (
            "responses",
            "",
            json!({ "max_output_tokens": 99, "temperature": 0, "top_p": 0.9 }),
            "topK presencePenalty frequencyPenalty stopSequences seed",
        ),
        ("chat", "", chat.clone(), "topK"),
        ("compatible", "", chat.clone(), "topK"),
        ("groq", "", chat, "topK"),
        (
            "mistral",
            "",
            json!({ "max_tokens": 99, "temperature": 0, "top_p": 0.9, "random_seed": 7 }),
            "topK presencePenalty frequencyPenalty stopSequences",
        ),
        (
            "anthropic",
            "",
            json!({ "max_tokens": 99, "temperature": 0, "top_k": 40, "stop_sequences": ["END"] }),
            "topP presencePenalty frequencyPenalty seed",
        ),
        ("google", "/generationConfig", camel, ""),
        (
            "cohere",
            "",
            json!({
                "max_tokens": 99, "temperature": 0, "p": 0.9, "k": 40, "presence_penalty": 0.5,
                "frequency_penalty": -1, "stop_sequences": ["END"], "seed": 7,
            }),
            "",
        ),
        (
            "bedrock",
            "/inferenceConfig",
            json!({ "maxTokens": 99, "temperature": 0, "topP": 0.9, "topK": 40, "stopSequences": ["END"] }),
            "presencePenalty frequencyPenalty seed",
        ),
    ]
}

#[test]
fn settings_have_the_names_of_each_format() {
    let plain = ["model", "input", "messages", "stream", "stream_options", "system", "contents", "generationConfig"];
    for (name, place, expected, unsupported) in settings_by_wire() {
        let encoded = encode(wire(name).as_ref(), "m", vec![user("hi")], all_settings());
        let mut found = encoded.body.pointer(place).unwrap().clone();
        if let Value::Object(map) = &mut found {
            map.retain(|key, _| !plain.contains(&key.as_str()));
        }
        assert_eq!(found, expected, "{name}");
        let warned: Vec<String> = encoded.warnings.into_iter().filter_map(|warning| warning.setting).collect();
        assert_eq!(warned.join(" "), unsupported, "{name}");
    }
}

#[test]
fn unset_settings_are_left_out() {
    assert_eq!(
        body("responses", vec![user("hi")]),
        json!({
            "model": "m",
            "input": [{ "role": "user", "content": [{ "type": "input_text", "text": "hi" }] }],
            "stream": true,
        })
    );
    assert_eq!(
        body("google", vec![user("hi")]),
        json!({ "generationConfig": {}, "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }] })
    );
}

#[test]
fn tool_choice_is_encoded_in_every_format() {
    use ToolChoice::{Auto, None, Required, Tool};
    let one = || Tool("now".into());
    let function = json!({ "type": "function", "function": { "name": "now" } });
    let google = |mode: &str| json!({ "functionCallingConfig": { "mode": mode } });
    let only = json!({ "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["now"] } });
    let bedrock = |choice: Value| json!(choice);
    // (wire, pointer to the choice, [auto, required, none, one], the number of tools for each)
    let cases = [
        (
            "responses",
            "/tool_choice",
            [json!("auto"), json!("required"), json!("none"), json!({ "type": "function", "name": "now" })],
            [2, 2, 2, 2],
        ),
        ("chat", "/tool_choice", [json!("auto"), json!("required"), json!("none"), function.clone()], [2, 2, 2, 2]),
        ("groq", "/tool_choice", [json!("auto"), json!("required"), json!("none"), function], [2, 2, 2, 2]),
        ("mistral", "/tool_choice", [json!("auto"), json!("any"), json!("none"), json!("any")], [2, 2, 2, 1]),
        (
            "anthropic",
            "/tool_choice",
            [
                json!({ "type": "auto" }),
                json!({ "type": "any" }),
                Value::Null,
                json!({ "type": "tool", "name": "now" }),
            ],
            [2, 2, 0, 2],
        ),
        ("google", "/toolConfig", [google("AUTO"), google("ANY"), google("NONE"), only], [2, 2, 2, 2]),
        ("cohere", "/tool_choice", [Value::Null, json!("REQUIRED"), json!("NONE"), json!("REQUIRED")], [2, 2, 2, 1]),
        (
            "bedrock",
            "/toolConfig/toolChoice",
            [
                bedrock(json!({ "auto": {} })),
                bedrock(json!({ "any": {} })),
                Value::Null,
                bedrock(json!({ "tool": { "name": "now" } })),
            ],
            [2, 2, 0, 2],
        ),
    ];
    for (name, place, expected, counts) in cases {
        for ((choice, expected), count) in [Auto, Required, None, one()].into_iter().zip(expected).zip(counts) {
            let settings = CallSettings { tool_choice: Some(choice.clone()), ..CallSettings::default() };
            let request = ModelRequest {
                messages: vec![Rc::new(user("hi"))],
                tools: vec![tool("tide"), tool("now")],
                settings,
                ..ModelRequest::default()
            };
            let body = wire(name).encode(&request, "m").unwrap().body;
            assert_eq!(body.pointer(place).cloned().unwrap_or_default(), expected, "{name} {choice:?}");
            let tools = ["/tools/0/functionDeclarations", "/tools", "/toolConfig/tools"]
                .iter()
                .find_map(|place| body.pointer(place))
                .and_then(Value::as_array);
            assert_eq!(tools.map_or(0, Vec::len), count, "{name} {choice:?}");
        }
    }
}

#[test]
fn openai_reasoning_models_have_other_settings() {
    let system = || vec![Message::system("Be brief."), user("hi")];
    let settings = CallSettings { max_output_tokens: Some(5), temperature: Some(0.3), ..CallSettings::default() };
    let chat = encode(wire("chat").as_ref(), "o4-mini", system(), settings.clone());
    assert_eq!(chat.body["messages"][0]["role"], "developer");
    assert_eq!((&chat.body["max_completion_tokens"], chat.body.get("max_tokens")), (&json!(5), None));
    assert_eq!((chat.body.get("temperature"), chat.warnings.len()), (None, 1));
    let responses = encode(wire("responses").as_ref(), "gpt-5-mini", system(), settings.clone());
    assert_eq!(responses.body["input"][0]["role"], "developer");
    assert_eq!((responses.body.get("temperature"), responses.warnings.len()), (None, 1));
    let effort = json!({ "openai": { "reasoningEffort": "none", "reasoningSummary": "auto" } });
    let with_none = with_options("responses", "gpt-5.1", effort, settings);
    assert_eq!(with_none.body["temperature"], 0.3);
    assert_eq!(with_none.body["reasoning"], json!({ "effort": "none", "summary": "auto" }));
}

#[test]
fn thinking_raises_the_limit_and_drops_sampling() {
    let thinking = json!({ "anthropic": { "thinking": { "type": "enabled", "budgetTokens": 2000 } } });
    let encoded = with_options("anthropic", "claude-sonnet-4-5", thinking.clone(), all_settings());
    assert_eq!(encoded.body["thinking"], json!({ "type": "enabled", "budget_tokens": 2000 }));
    assert_eq!(encoded.body["max_tokens"], 2099);
    for key in ["temperature", "top_p", "top_k"] {
        assert_eq!(encoded.body.get(key), None, "{key}");
    }
    let unset = with_options("anthropic", "claude-sonnet-4-5", thinking, CallSettings::default());
    assert_eq!(unset.body["max_tokens"], 64_000, "capped at what the model takes");
    let config = json!({ "bedrock": { "reasoningConfig": { "type": "enabled", "budgetTokens": 1000 }, "extra": 1 } });
    let encoded = with_options("bedrock", "anthropic.claude", config, CallSettings::default());
    assert_eq!(
        encoded.body["additionalModelRequestFields"],
        json!({ "thinking": { "type": "enabled", "budget_tokens": 1000 } })
    );
    assert_eq!(encoded.body["inferenceConfig"], json!({ "maxTokens": 5096 }));
    assert_eq!(encoded.body["extra"], 1);
    assert_eq!(encoded.body.get("reasoningConfig"), None);
}

#[test]
fn temperatures_are_clamped_and_limits_capped() {
    let hot = CallSettings { temperature: Some(1.7), max_output_tokens: Some(1_000_000), ..CallSettings::default() };
    let encoded = encode(&AnthropicWire, "claude-3-5-haiku-latest", vec![user("hi")], hot.clone());
    assert_eq!((&encoded.body["temperature"], &encoded.body["max_tokens"]), (&json!(1), &json!(8192)));
    assert_eq!(encoded.warnings.len(), 2);
    let unknown = encode(&AnthropicWire, "tide-next", vec![user("hi")], hot.clone());
    assert_eq!(unknown.body["max_tokens"], 1_000_000);
    assert_eq!(encode(&BedrockWire, "m", vec![user("hi")], hot).body["inferenceConfig"]["temperature"], 1);
}
