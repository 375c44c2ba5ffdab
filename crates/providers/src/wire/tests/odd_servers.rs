//! Servers that send `{}` before the arguments of a call, thinking without a signature, and halves of characters.

use serde_json::{Value, json};

use super::{
    encode,
    responses::{decode, summary},
    user, wire,
};
use crate::wire::{
    Decoded, WireFormat,
    anthropic::{AnthropicWire, CompatibleWire},
};
use lmthing_base::chat::{CallSettings, ContentPart, Message, Role, StreamPart};

/// The events of each wire format that send one emoji as halves in two events, as text or in arguments.
#[test]
fn a_character_that_is_split_into_two_events_is_joined() {
    let (first, second) = (r"a\ud83d", r"\ude00b");
    let chat = |key: &str, value: &str| format!(r#"{{"choices":[{{"delta":{{"{key}":"{value}"}}}}]}}"#);
    let arguments = |value: &str| {
        let function = format!(r#"{{"index":0,"id":"c","function":{{"name":"t","arguments":"{value}"}}}}"#);
        format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{function}]}}}}]}}"#)
    };
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    let claude = |kind: &str, value: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"{kind}","{}":"{value}"}}}}"#,
            match kind {
                "text_delta" => "text",
                _ => "partial_json",
            }
        )
    };
    let stop = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned();
    let tool = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"t"}}"#;
    let gemini = |value: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{value}"}}]}}}}]}}"#);
    let cohere = |value: &str| {
        format!(r#"{{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":"{value}"}}}}}}}}"#)
    };
    let responses = |value: &str| format!(r#"{{"type":"response.output_text.delta","item_id":"m","delta":"{value}"}}"#);
    let (openai, anthropic) = ("chat", "anthropic");
    let (open, close) = (r#"{\"x\":\""#, r#"\"}"#);
    let cases: [(&str, Vec<String>, &str, &str); 7] = [
        (openai, vec![chat("content", first), chat("content", second), end.clone()], "a😀b", ""),
        (
            openai,
            vec![arguments(&format!("{open}{first}")), arguments(&format!("{second}{close}")), end],
            "",
            r#"{"x":"a😀b"}"#,
        ),
        (anthropic, vec![claude("text_delta", first), claude("text_delta", second), stop.clone()], "a😀b", ""),
        (
            anthropic,
            vec![
                tool.to_owned(),
                claude("input_json_delta", &format!("{open}{first}")),
                claude("input_json_delta", &format!("{second}{close}")),
                stop,
            ],
            "",
            r#"{"x":"a😀b"}"#,
        ),
        (
            "google",
            vec![gemini(first), gemini(second), r#"{"candidates":[{"finishReason":"STOP"}]}"#.to_owned()],
            "a😀b",
            "",
        ),
        (
            "cohere",
            vec![
                cohere(first),
                cohere(second),
                r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#.to_owned(),
            ],
            "a😀b",
            "",
        ),
        (
            "responses",
            vec![responses(first), responses(second), r#"{"type":"response.completed","response":{}}"#.to_owned()],
            "a😀b",
            "",
        ),
    ];
    for (name, events, text, input) in cases {
        let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let parts = decode(wire(name).as_ref(), vec![stream.into_bytes()]);
        let read = summary(&parts);
        assert_eq!(read.text, text, "{name} {:?}", read.failure);
        assert_eq!(read.calls.first().map_or("", |call| call.2.as_str()), input, "{name}");
    }
}

#[test]
fn an_empty_object_before_the_arguments_is_dropped() {
    let chunk = |piece: Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [piece] } }] }));
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let first = json!({ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{}" } });
    let pieces = [
        vec![
            json!({ "index": 0, "function": { "arguments": "{\"x\"" } }),
            json!({ "index": 0, "function": { "arguments": ":1}" } }),
        ],
        vec![json!({ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":1}" } })],
        vec![json!({ "function": { "arguments": "{\"x\":1}" } })],
        vec![json!({ "index": 0, "function": { "name": "t", "arguments": "{\"x\":1}" } })],
    ];
    for pieces in pieces {
        let stream = chunk(first.clone()) + &pieces.iter().cloned().map(chunk).collect::<String>() + end;
        let read = summary(&decode(wire("chat").as_ref(), vec![stream.clone().into_bytes()]));
        assert_eq!(read.calls, [("a".into(), "t".into(), "{\"x\":1}".into())], "{stream}");
        assert_eq!(read.streamed, "{\"x\":1}", "{stream}");
    }
    // Calls without arguments stay what they are, also two of them.
    let second = json!({ "index": 1, "id": "b", "function": { "name": "t", "arguments": "{}" } });
    let stream = chunk(first) + &chunk(second) + end;
    let read = summary(&decode(wire("chat").as_ref(), vec![stream.into_bytes()]));
    assert_eq!(read.calls, [("a".into(), "t".into(), "{}".into()), ("b".into(), "t".into(), "{}".into())]);
    let bare = json!({ "function": { "name": "t", "arguments": "{}" } });
    let stream = chunk(bare.clone()) + &chunk(bare) + end;
    assert_eq!(summary(&decode(wire("chat").as_ref(), vec![stream.into_bytes()])).calls.len(), 2);
    let block = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "c", "name": "t" } });
    let delta = |text: &str| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": text } });
    let events = [
        block,
        delta("{}"),
        delta("{\"x\""),
        delta(":1}"),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let read = summary(&decode(wire("anthropic").as_ref(), vec![stream.into_bytes()]));
    assert_eq!(read.calls, [("c".into(), "t".into(), "{\"x\":1}".into())]);
}

#[test]
fn unsigned_thinking_goes_back_to_the_service_that_sent_it_but_to_no_other() {
    let events = [
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let compatible = |server: &str| CompatibleWire { server: server.to_owned() };
    let (lab, gateway) = (compatible("http://lab.test"), compatible("http://gateway.test"));
    let read = summary(&decode(&lab, vec![stream.into_bytes()]));
    let provider_options = read.metadata.last().cloned();
    let marks = json!({ "anthropic": { "signature": "", "server": "http://lab.test" } });
    assert_eq!(provider_options.clone().map(Value::Object), Some(marks));
    let thought = ContentPart::Reasoning { text: "Hm.".into(), provider_options };
    let history = vec![user("a"), Message::parts(Role::Assistant, vec![thought, ContentPart::text("b")]), user("c")];
    let sent = |wire: &dyn WireFormat| {
        let encoded = encode(
            wire,
            "m",
            history.clone(),
            CallSettings { cache: Some(lmthing_base::chat::CacheOption::Off), ..CallSettings::default() },
        );
        (encoded.body["messages"][1]["content"].clone(), encoded.warnings.len())
    };
    let text = json!({ "type": "text", "text": "b" });
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "" });
    assert_eq!(sent(&lab), (json!([thinking, text]), 0));
    assert_eq!(sent(&gateway), (json!([text]), 1));
    assert_eq!(sent(&AnthropicWire), (json!([text]), 1));
}

#[test]
fn a_gateway_has_the_tiers_of_anthropic() {
    let tiers = |wire: &dyn WireFormat| wire.tiers().iter().map(|form| form.word).collect::<Vec<_>>();
    let gateway = CompatibleWire { server: "http://gateway.test".into() };
    assert!(!tiers(&gateway).is_empty());
    assert_eq!(tiers(&gateway), tiers(&AnthropicWire));
}

#[test]
fn half_a_character_in_the_title_of_a_source_is_replaced() {
    let citation = r#"{"type":"url_citation","url_citation":{"url":"https://sea.example","title":"Sea \ud83c"}}"#;
    let first = format!(r#"{{"choices":[{{"delta":{{"content":"Tides","annotations":[{citation}]}}}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let decoded = decode(wire("chat").as_ref(), vec![format!("data: {first}\n\ndata: {end}\n\n").into_bytes()]);
    let titles: Vec<_> = decoded
        .into_iter()
        .filter_map(|decoded| match decoded {
            Decoded::Part(StreamPart::Source(source)) => source.title,
            _ => None,
        })
        .collect();
    assert_eq!(titles, ["Sea \u{fffd}"]);
}
