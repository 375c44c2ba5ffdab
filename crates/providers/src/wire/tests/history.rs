//! Messages, tool calls and results of earlier steps.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{body, encode, tool, user};
use crate::wire::{WireFormat, bedrock::BedrockWire, google::GoogleWire, responses::ResponsesWire, values::metadata};
use lmthing_base::chat::{CallSettings, ContentPart, Message, ModelRequest, Role, ToolOutput};

fn call(id: &str, input: Value) -> ContentPart {
    ContentPart::ToolCall {
        tool_call_id: id.into(),
        tool_name: "tide".into(),
        input: input.into(),
        provider_executed: false,
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
fn history_is_sent_as_chat_messages() {
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
fn history_is_sent_as_blocks() {
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
    // Without active tools, there are no calls and results.
    let stripped = encode(&BedrockWire, "m", history("bedrock"), CallSettings::default());
    assert_eq!(stripped.body["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(stripped.warnings.len(), 1);
}

#[test]
fn history_is_sent_to_gemini_and_responses() {
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
            provider_executed: false,
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
fn gemma_has_no_system_instruction() {
    let messages = || vec![Message::system("Be brief."), user("hi")];
    let body = encode(&GoogleWire::generative_language(), "gemma-3-12b-it", messages(), CallSettings::default()).body;
    assert_eq!(body.get("systemInstruction"), None);
    assert_eq!(body["contents"][0]["parts"], json!([{ "text": "Be brief.\n\n" }, { "text": "hi" }]));
    let encoded = encode(&GoogleWire::vertex(), "tunedModels/x", messages(), CallSettings::default());
    assert_eq!(encoded.path, "/tunedModels/x:streamGenerateContent?alt=sse");
}
