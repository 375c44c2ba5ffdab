//! Encoders: settings, tool choice, history and provider options, as tables over all wires.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{
    EncodedRequest, WireFormat,
    anthropic::AnthropicWire,
    bedrock::BedrockWire,
    chat::{ChatWire, Dialect},
    cohere::CohereWire,
    google::GoogleWire,
    responses::ResponsesWire,
    values::metadata,
};
use crate::chat::{CallSettings, ContentPart, Message, ModelRequest, Role, ToolChoice, ToolOutput, ToolSpec};

fn wires() -> [(&'static str, Box<dyn WireFormat>); 9] {
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
    }
}

fn encode(wire: &dyn WireFormat, model: &str, messages: Vec<Message>, settings: CallSettings) -> EncodedRequest {
    let messages = messages.into_iter().map(Rc::new).collect();
    wire.encode(&ModelRequest { messages, tools: Vec::new(), settings }, model).unwrap()
}

fn body(name: &str, messages: Vec<Message>) -> Value {
    encode(wire(name).as_ref(), "m", messages, CallSettings::default()).body
}

fn with_options(name: &str, model: &str, options: Value, settings: CallSettings) -> EncodedRequest {
    let Value::Object(provider_options) = options else { panic!("options are an object") };
    encode(wire(name).as_ref(), model, vec![user("hi")], CallSettings { provider_options, ..settings })
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

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

#[test]
fn settings_go_out_under_each_wires_names() {
    let chat = json!({
        "max_tokens": 99, "temperature": 0, "top_p": 0.9, "presence_penalty": 0.5, "frequency_penalty": -1,
        "stop": ["END"], "seed": 7,
    });
    let camel = json!({
        "maxOutputTokens": 99, "temperature": 0, "topP": 0.9, "topK": 40, "presencePenalty": 0.5,
        "frequencyPenalty": -1, "stopSequences": ["END"], "seed": 7,
    });
    let dropped = |names: &str| names.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let cases = [
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
    ];
    let plain = ["model", "input", "messages", "stream", "stream_options", "system", "contents", "generationConfig"];
    for (name, place, expected, unsupported) in cases {
        let encoded = encode(wire(name).as_ref(), "m", vec![user("hi")], all_settings());
        let mut found = encoded.body.pointer(place).unwrap().clone();
        if let Value::Object(map) = &mut found {
            map.retain(|key, _| !plain.contains(&key.as_str()));
        }
        assert_eq!(found, expected, "{name}");
        let warned: Vec<String> = encoded.warnings.into_iter().filter_map(|warning| warning.setting).collect();
        assert_eq!(warned, dropped(unsupported), "{name}");
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
fn tool_choice_has_a_form_for_each_wire() {
    use ToolChoice::{Auto, None, Required, Tool};
    let one = || Tool("now".into());
    let function = json!({ "type": "function", "function": { "name": "now" } });
    let google = |mode: &str| json!({ "functionCallingConfig": { "mode": mode } });
    let only = json!({ "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["now"] } });
    let bedrock = |choice: Value| json!(choice);
    // (wire, where the choice stands, [auto, required, none, one], how many tools go out for each)
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
            let request =
                ModelRequest { messages: vec![Rc::new(user("hi"))], tools: vec![tool("tide"), tool("now")], settings };
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

fn call(id: &str, input: Value) -> ContentPart {
    ContentPart::ToolCall {
        tool_call_id: id.into(),
        tool_name: "tide".into(),
        input: input.into(),
        provider_options: None,
    }
}

fn result(id: &str, output: ToolOutput) -> ContentPart {
    ContentPart::ToolResult {
        tool_call_id: id.into(),
        tool_name: "tide".into(),
        output,
        agents: Default::default(),
        provider_options: None,
    }
}

/// A thought with a signature, text, two calls (one with broken arguments), results of every kind.
fn history(provider: &str) -> Vec<Message> {
    let thought = ContentPart::Reasoning {
        text: "Hm.".into(),
        provider_options: Some(metadata(provider, [("signature", json!("sig"))])),
    };
    let results = vec![
        result("id-a", ToolOutput::Json(json!({ "level": 1.5, "port": "Ål" }))),
        result("id-b", ToolOutput::error("no such port")),
        result("id-c", ToolOutput::Json(json!({ "response": "calm", "steps": [] }))),
        result("id-d", ToolOutput::Json(Value::Null)),
    ];
    let calls = vec![
        thought,
        ContentPart::text("Looking. "),
        ContentPart::text(""),
        call("id-a", json!({ "port": "Ål", "hour": 3 })),
        call("id-b", json!("{\"port\": ")),
    ];
    vec![user("Tide?"), Message::parts(Role::Assistant, calls), Message::parts(Role::Tool, results)]
}

const LEVEL: &str = r#"{"level":1.5,"port":"Ål"}"#;

#[test]
fn history_goes_back_in_chat_form() {
    let calls = json!([
        { "id": "id-a", "type": "function", "function": { "name": "tide", "arguments": r#"{"port":"Ål","hour":3}"# } },
        { "id": "id-b", "type": "function", "function": { "name": "tide", "arguments": r#""{\"port\": ""# } },
    ]);
    let results = |extra: Value| -> Vec<Value> {
        [("id-a", LEVEL), ("id-b", "no such port"), ("id-c", "calm"), ("id-d", "null")]
            .into_iter()
            .map(|(id, content)| {
                let mut message = json!({ "role": "tool", "tool_call_id": id, "content": content });
                if let (Value::Object(map), Value::Object(extra)) = (&mut message, &extra) {
                    map.extend(extra.clone());
                }
                message
            })
            .collect()
    };
    let expect = |name: &str, user: Value, assistant: Value, extra: Value| {
        let mut expected = vec![json!({ "role": "user", "content": user }), assistant];
        expected.extend(results(extra));
        assert_eq!(body(name, history("x"))["messages"], json!(expected), "{name}");
    };
    let plain = json!({ "role": "assistant", "content": "Looking. ", "tool_calls": calls });
    let with = |key: &str| {
        let mut message = plain.clone();
        message[key] = "Hm.".into();
        message
    };
    expect("chat", json!("Tide?"), plain.clone(), Value::Null);
    expect("groq", json!("Tide?"), with("reasoning"), Value::Null);
    expect("compatible", json!("Tide?"), with("reasoning_content"), Value::Null);
    let joined = json!({ "role": "assistant", "content": "Hm.Looking. ", "tool_calls": calls });
    expect("mistral", json!([{ "type": "text", "text": "Tide?" }]), joined, json!({ "name": "tide" }));
    expect("cohere", json!("Tide?"), json!({ "role": "assistant", "tool_calls": calls }), Value::Null);
}

#[test]
fn history_goes_back_as_blocks() {
    assert_eq!(
        body("anthropic", history("anthropic"))["messages"],
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "Tide?" }] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "Hm.", "signature": "sig" },
                { "type": "text", "text": "Looking. " },
                { "type": "tool_use", "id": "id-a", "name": "tide", "input": { "port": "Ål", "hour": 3 } },
                { "type": "tool_use", "id": "id-b", "name": "tide", "input": {} },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "id-a", "content": LEVEL },
                { "type": "tool_result", "tool_use_id": "id-b", "content": "no such port", "is_error": true },
                { "type": "tool_result", "tool_use_id": "id-c", "content": "calm" },
                { "type": "tool_result", "tool_use_id": "id-d", "content": "null" },
            ] },
        ])
    );
    let mut request = ModelRequest { tools: vec![tool("tide")], ..ModelRequest::default() };
    request.messages = history("bedrock").into_iter().map(Rc::new).collect();
    let result = |id: &str, text: &str| json!({ "toolResult": { "toolUseId": id, "content": [{ "text": text }] } });
    assert_eq!(
        BedrockWire.encode(&request, "m").unwrap().body["messages"],
        json!([
            { "role": "user", "content": [{ "text": "Tide?" }] },
            { "role": "assistant", "content": [
                { "reasoningContent": { "reasoningText": { "text": "Hm.", "signature": "sig" } } },
                { "text": "Looking. " },
                { "toolUse": { "toolUseId": "id-a", "name": "tide", "input": { "port": "Ål", "hour": 3 } } },
                { "toolUse": { "toolUseId": "id-b", "name": "tide", "input": {} } },
            ] },
            { "role": "user", "content": [
                result("id-a", LEVEL), result("id-b", "no such port"), result("id-c", "calm"), result("id-d", "null"),
            ] },
        ])
    );
    // Without active tools the history holds no trace of them; ids are short for Mistral's models.
    let stripped = encode(&BedrockWire, "m", history("bedrock"), CallSettings::default());
    assert_eq!(stripped.body["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(stripped.warnings.len(), 1);
    let short = BedrockWire.encode(&request, "mistral.large").unwrap().body;
    assert_eq!(short["messages"][1]["content"][2]["toolUse"]["toolUseId"], "ida");
}

#[test]
fn history_goes_back_to_gemini_and_responses() {
    let response = |content: Value| json!({ "functionResponse": { "name": "tide", "response": { "name": "tide", "content": content } } });
    assert_eq!(
        body("google", history("google"))["contents"],
        json!([
            { "role": "user", "parts": [{ "text": "Tide?" }] },
            { "role": "model", "parts": [
                { "text": "Hm.", "thought": true },
                { "text": "Looking. " },
                { "functionCall": { "name": "tide", "args": { "port": "Ål", "hour": 3 } } },
                { "functionCall": { "name": "tide", "args": {} } },
            ] },
            { "role": "user", "parts": [
                response(json!({ "level": 1.5, "port": "Ål" })), response(json!("no such port")),
                response(json!("calm")), response(Value::Null),
            ] },
        ])
    );
    let item =
        |id: &str| Some(metadata("openai", [("itemId", json!(id)), ("reasoningEncryptedContent", json!("enc"))]));
    let reasoning = |text: &str| ContentPart::Reasoning { text: text.into(), provider_options: item("rs_1") };
    let parts = vec![
        reasoning("one"),
        reasoning("two"),
        ContentPart::Text { text: "Looking.".into(), provider_options: item("msg_1") },
        ContentPart::ToolCall {
            tool_call_id: "call".into(),
            tool_name: "tide".into(),
            input: json!({ "port": "Ål" }).into(),
            provider_options: item("fc_1"),
        },
    ];
    let messages = || vec![Message::parts(Role::Assistant, parts.clone())];
    let reference = |id: &str| json!({ "type": "item_reference", "id": id });
    assert_eq!(
        body("responses", messages())["input"],
        json!([reference("rs_1"), reference("msg_1"), reference("fc_1")])
    );
    let Value::Object(provider_options) = json!({ "openai": { "store": false } }) else { return };
    let settings = CallSettings { provider_options, ..CallSettings::default() };
    let body = encode(&ResponsesWire::openai(), "o3", messages(), settings).body;
    assert_eq!(body["store"], false);
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    let summary = |text: &str| json!({ "type": "summary_text", "text": text });
    assert_eq!(
        body["input"],
        json!([
            { "type": "reasoning", "id": "rs_1", "encrypted_content": "enc", "summary": [summary("one"), summary("two")] },
            { "role": "assistant", "content": [{ "type": "output_text", "text": "Looking." }], "id": "msg_1" },
            { "type": "function_call", "call_id": "call", "name": "tide", "arguments": r#"{"port":"Ål"}"#, "id": "fc_1" },
        ])
    );
}

#[test]
fn an_assistant_message_at_the_end_is_a_prefill() {
    let messages = || vec![user("Tide?"), Message::text(Role::Assistant, " It is ")];
    assert_eq!(body("anthropic", messages())["messages"][1]["content"][0]["text"], "It is");
    assert_eq!(body("bedrock", messages())["messages"][1]["content"][0]["text"], "It is");
    assert_eq!(
        body("mistral", messages())["messages"][1],
        json!({ "role": "assistant", "content": " It is ", "prefix": true })
    );
    assert_eq!(body("chat", messages())["messages"][1], json!({ "role": "assistant", "content": " It is " }));
}

#[test]
fn reasoning_models_of_openai_are_treated_apart() {
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
    let unknown = encode(&AnthropicWire, "claude-next", vec![user("hi")], hot.clone());
    assert_eq!(unknown.body["max_tokens"], 1_000_000);
    assert_eq!(encode(&BedrockWire, "m", vec![user("hi")], hot).body["inferenceConfig"]["temperature"], 1);
}

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
fn cache_marks_go_out() {
    let marked = json!({ "anthropic": { "cacheControl": { "type": "ephemeral" } } });
    let Value::Object(options) = marked else { return };
    let mut system = Message::system("Be brief.");
    system.provider_options = Some(options.clone());
    let mut question = Message::parts(Role::User, vec![ContentPart::text("a"), ContentPart::text("b")]);
    question.provider_options = Some(options.clone());
    let mut tide = tool("tide");
    tide.provider_options = Some(options);
    let request = ModelRequest {
        messages: vec![Rc::new(system), Rc::new(question)],
        tools: vec![tide],
        ..ModelRequest::default()
    };
    let body = AnthropicWire.encode(&request, "m").unwrap().body;
    let mark = json!({ "type": "ephemeral" });
    assert_eq!(body["system"][0]["cache_control"], mark);
    assert_eq!(body["messages"][0]["content"][0].get("cache_control"), None);
    assert_eq!(body["messages"][0]["content"][1]["cache_control"], mark);
    assert_eq!(body["tools"][0]["cache_control"], mark);
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

#[test]
fn gemma_has_no_system_instruction() {
    let messages = || vec![Message::system("Be brief."), user("hi")];
    let body = encode(&GoogleWire::generative_language(), "gemma-3-12b-it", messages(), CallSettings::default()).body;
    assert_eq!(body.get("systemInstruction"), None);
    assert_eq!(body["contents"][0]["parts"], json!([{ "text": "Be brief.\n\n" }, { "text": "hi" }]));
    let encoded = encode(&GoogleWire::vertex(), "tunedModels/x", messages(), CallSettings::default());
    assert_eq!(encoded.path, "/tunedModels/x:streamGenerateContent?alt=sse");
}

#[test]
fn images_and_files_go_out_where_the_provider_takes_them() {
    let image = ContentPart::Image { image: "iVBORw0KGgoAAA".into(), media_type: None, provider_options: None };
    let pdf = ContentPart::File {
        data: "JVBERi0=".into(),
        media_type: "application/pdf".into(),
        filename: Some("tides.pdf".into()),
        provider_options: None,
    };
    let message = || vec![Message::parts(Role::User, vec![ContentPart::text("See"), image.clone(), pdf.clone()])];
    let image_url = "data:image/png;base64,iVBORw0KGgoAAA";
    let pdf_url = "data:application/pdf;base64,JVBERi0=";
    let cases = [
        (
            "responses",
            "/input/0/content",
            json!([
                { "type": "input_image", "image_url": image_url },
                { "type": "input_file", "filename": "tides.pdf", "file_data": pdf_url },
            ]),
        ),
        (
            "chat",
            "/messages/0/content",
            json!([
                { "type": "image_url", "image_url": { "url": image_url } },
                { "type": "file", "file": { "filename": "tides.pdf", "file_data": pdf_url } },
            ]),
        ),
        (
            "mistral",
            "/messages/0/content",
            json!([
                { "type": "image_url", "image_url": image_url },
                { "type": "document_url", "document_url": pdf_url },
            ]),
        ),
        (
            "anthropic",
            "/messages/0/content",
            json!([
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAA" } },
                {
                    "type": "document",
                    "source": { "type": "base64", "media_type": "application/pdf", "data": "JVBERi0=" },
                    "title": "tides.pdf",
                },
            ]),
        ),
        (
            "google",
            "/contents/0/parts",
            json!([
                { "inlineData": { "mimeType": "image/png", "data": "iVBORw0KGgoAAA" } },
                { "inlineData": { "mimeType": "application/pdf", "data": "JVBERi0=" } },
            ]),
        ),
        (
            "bedrock",
            "/messages/0/content",
            json!([
                { "image": { "format": "png", "source": { "bytes": "iVBORw0KGgoAAA" } } },
                { "document": { "format": "pdf", "name": "tides", "source": { "bytes": "JVBERi0=" } } },
            ]),
        ),
    ];
    for (name, place, expected) in cases {
        let body = body(name, message());
        let content = body.pointer(place).and_then(Value::as_array).unwrap();
        assert_eq!(json!(content[1..]), expected, "{name}");
    }
    let request = ModelRequest { messages: message().into_iter().map(Rc::new).collect(), ..ModelRequest::default() };
    let refused = CohereWire.encode(&request, "m").unwrap_err();
    assert_eq!(refused, "Cohere does not take application/pdf files in messages");
}
