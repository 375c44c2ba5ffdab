//! Ollama's own protocol: requests, and ends of answers.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{
    encode,
    responses::{Summary, decode, summary},
    tool, user, with_options,
};
use crate::{
    ProviderErrorKind,
    wire::{WireFormat, ollama::OllamaWire},
};
use lmthing_base::chat::{
    CallSettings, ContentPart, FinishReason, Message, ModelRequest, Reasoning, ResponseFormat, Role, ToolChoice,
    ToolOutput, ToolPart, Usage,
};

fn body(request: ModelRequest) -> Value {
    OllamaWire.encode(&request, "tide-8b").unwrap().body
}

fn settings(settings: CallSettings) -> ModelRequest {
    ModelRequest {
        messages: vec![Rc::new(user("hi"))],
        tools: vec![tool("tide"), tool("now")],
        settings,
        ..ModelRequest::default()
    }
}

#[test]
fn settings_are_parameters_of_the_model() {
    let all = CallSettings {
        max_output_tokens: Some(99),
        temperature: Some(0.0),
        top_p: Some(0.9),
        top_k: Some(40.0),
        presence_penalty: Some(0.5),
        frequency_penalty: Some(-1.0),
        stop_sequences: Some(vec!["END".into()]),
        seed: Some(7),
        ..CallSettings::default()
    };
    let encoded = encode(&OllamaWire, "tide-8b", vec![user("hi")], all);
    let expected = json!({
        "model": "tide-8b",
        "messages": [{ "role": "user", "content": "hi" }],
        "stream": true,
        "options": {
            "num_predict": 99, "temperature": 0, "top_p": 0.9, "top_k": 40, "presence_penalty": 0.5,
            "frequency_penalty": -1, "stop": ["END"], "seed": 7, "num_ctx": 8192,
        },
    });
    assert_eq!((encoded.path.as_str(), &encoded.body, encoded.warnings), ("/api/chat", &expected, vec![]));
}

#[test]
fn the_users_own_options_win() {
    let options = json!({ "ollama": {
        "keepAlive": "10m", "think": "high", "numCtx": 2048, "options": { "num_gpu": 1, "draft": 2 },
    } });
    let encoded = with_options(
        "ollama",
        "tide-8b",
        options,
        CallSettings { reasoning: Some(Reasoning::Off), ..CallSettings::default() },
    );
    assert_eq!(encoded.body["keep_alive"], "10m");
    assert_eq!(encoded.body["think"], "high");
    assert_eq!(encoded.body["options"], json!({ "num_ctx": 2048, "num_gpu": 1, "draft": 2 }));
}

#[test]
fn models_think_or_do_not_and_gpt_oss_has_levels() {
    for (model, reasoning, think, window, warned) in [
        ("qwen3", Reasoning::Off, json!(false), 8_192, 0),
        ("qwen3", Reasoning::Low, json!(true), 8_192, 0),
        ("qwen3", Reasoning::Medium, json!(true), 16_384, 0),
        ("gpt-oss:20b", Reasoning::High, json!("high"), 32_768, 0),
        ("gpt-oss:20b", Reasoning::Off, json!("low"), 8_192, 1),
    ] {
        let wanted = CallSettings { reasoning: Some(reasoning), ..CallSettings::default() };
        let encoded = encode(&OllamaWire, model, vec![user("hi")], wanted);
        assert_eq!((&encoded.body["think"], encoded.warnings.len()), (&think, warned), "{model} {reasoning:?}");
        assert_eq!(encoded.body["options"]["num_ctx"], window, "{model} {reasoning:?}");
    }
}

#[test]
fn an_output_schema_is_the_format_when_no_tools_are_sent() {
    let schema = json!({ "type": "object", "properties": { "sky": { "type": "string" } } });
    let format = || Some(ResponseFormat { name: "weather".into(), schema: schema.clone() });
    let with = |choice| CallSettings { response_format: format(), tool_choice: choice, ..CallSettings::default() };
    assert_eq!(body(settings(with(None))).get("format"), None);
    assert_eq!(body(settings(with(Some(ToolChoice::None))))["format"], schema);
}

#[test]
fn a_forced_tool_is_the_only_one_and_there_is_a_warning() {
    let forced = CallSettings { tool_choice: Some(ToolChoice::Tool("now".into())), ..CallSettings::default() };
    let encoded = OllamaWire.encode(&settings(forced), "m").unwrap();
    let names: Vec<_> =
        encoded.body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["now"]);
    assert_eq!(encoded.warnings[0].setting.as_deref(), Some("toolChoice"));
}

fn history() -> Vec<Message> {
    let image = ContentPart::Image { image: "iVBORw0KGgoAAA".into(), media_type: None, provider_options: None };
    let call = ContentPart::ToolCall {
        tool_call_id: "id-a".into(),
        tool_name: "tide".into(),
        input: json!({ "port": "Ål" }).into(),
        provider_executed: false,
        provider_options: None,
    };
    let thought = ContentPart::Reasoning { text: "Hm.".into(), provider_options: None };
    let output = ToolOutput::Content(vec![
        ToolPart::Text { text: "calm".into() },
        ToolPart::Media { data: "iVBORw0KGgoBBB".into(), media_type: "image/png".into() },
    ]);
    let result = ContentPart::ToolResult {
        tool_call_id: "id-a".into(),
        tool_name: "tide".into(),
        output,
        agents: Default::default(),
        provider_options: None,
    };
    vec![
        Message::parts(Role::User, vec![ContentPart::text("See"), image]),
        Message::parts(Role::Assistant, vec![thought, call]),
        Message::parts(Role::Tool, vec![result]),
    ]
}

#[test]
fn images_calls_and_results_have_ollamas_form() {
    let encoded = encode(&OllamaWire, "m", history(), CallSettings::default());
    let messages = encoded.body["messages"].as_array().unwrap();
    assert_eq!(messages[0], json!({ "role": "user", "content": "See", "images": ["iVBORw0KGgoAAA"] }));
    let call = json!({ "id": "id-a", "function": { "name": "tide", "arguments": { "port": "Ål" } } });
    assert_eq!(messages[1], json!({ "role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [call] }));
    let result = &messages[2];
    assert_eq!(
        (&result["role"], &result["tool_name"], &result["tool_call_id"]),
        (&json!("tool"), &json!("tide"), &json!("id-a"))
    );
    assert!(result["content"].as_str().unwrap().contains("calm"));
    assert_eq!(messages[3]["images"], json!(["iVBORw0KGgoBBB"]));
}

#[test]
fn files_that_are_neither_images_nor_text_are_refused() {
    let file = |data: &str, media_type: &str| {
        let (data, media_type) = (data.into(), media_type.into());
        let part = ContentPart::File { data, media_type, filename: None, provider_options: None };
        let messages = vec![Rc::new(Message::parts(Role::User, vec![part]))];
        OllamaWire.encode(&ModelRequest { messages, ..ModelRequest::default() }, "m")
    };
    assert_eq!(file("aGVsbG8=", "text/plain").unwrap().body["messages"][0]["content"], "hello");
    assert!(file("JVBERi0=", "application/pdf").unwrap_err().to_string().contains("Ollama does not take"));
    assert!(file("https://host.test/a.png", "image/png").unwrap_err().to_string().contains("by URL"));
}

fn read(lines: &[Value]) -> Summary {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    summary(&decode(&OllamaWire, vec![text.into_bytes()]))
}

fn says(text: &str) -> Value {
    json!({ "model": "m", "message": { "role": "assistant", "content": text }, "done": false })
}

#[test]
fn ends_have_their_reasons() {
    for (reason, unified) in [
        (json!("stop"), FinishReason::Stop),
        (json!(null), FinishReason::Stop),
        (json!("length"), FinishReason::Length),
        (json!("load"), FinishReason::Other),
    ] {
        let end = json!({ "done": true, "done_reason": reason, "prompt_eval_count": 4, "eval_count": 2 });
        let sum = read(&[says("calm"), end]);
        assert_eq!((sum.text.as_str(), sum.failure), ("calm", None));
        assert_eq!(sum.finish, Some((unified, Usage::new(Some(4), Some(2)))), "{reason}");
    }
}

#[test]
fn a_whole_answer_in_one_line_without_line_feed_is_read() {
    let call = json!({ "function": { "name": "tide", "arguments": r#"{"port":"Ål"}"# } });
    let line = json!({ "message": { "content": "ok", "tool_calls": [call] }, "done": true }).to_string();
    let sum = summary(&decode(&OllamaWire, vec![line.into_bytes()]));
    assert_eq!((sum.text.as_str(), sum.calls[0].2.as_str()), ("ok", r#"{"port":"Ål"}"#));
    assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ToolCalls));
}

#[test]
fn errors_truncation_and_other_protocols_are_failures() {
    let failure = |lines: &[Value]| {
        let sum = read(lines);
        assert_eq!(sum.finish, None);
        sum.failure.unwrap()
    };
    assert_eq!(failure(&[says("a"), json!({ "error": "llama runner has stopped" })]).1, "llama runner has stopped");
    let (kind, message) = failure(&[says("a")]);
    assert_eq!(kind, ProviderErrorKind::Protocol);
    assert!(message.contains("cut short"), "{message}");
    let other = failure(&[json!({ "choices": [{ "delta": { "content": "a" } }] })]);
    assert!(other.1.contains("does not speak Ollama's protocol"), "{}", other.1);
    for call in [
        json!({ "function": { "arguments": {} } }),
        json!({ "function": { "name": null, "arguments": {} } }),
        json!({ "function": "tide" }),
        json!({ "id": "x" }),
    ] {
        let line = json!({ "message": { "content": "calm", "tool_calls": [call] } });
        let sum = read(std::slice::from_ref(&line));
        assert_eq!(sum.text, "calm", "{line}");
        assert!(failure(&[line]).1.contains("without a name"));
    }
}
