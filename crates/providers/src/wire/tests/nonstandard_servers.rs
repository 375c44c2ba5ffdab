//! Responses of nonstandard servers: deltas of calls in all forms, fields of wrong types, reasoning details. Each is
//! also decoded byte by byte.

use serde_json::{Value, json};

use super::{
    body,
    responses::{Summary, decode, summary},
    wire,
};
use crate::wire::Decoded;
use lmthing_base::chat::{ContentPart, FinishReason, Message, Role, StreamPart, Usage};

fn sse(events: &[Value]) -> Vec<u8> {
    let mut text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    text.push_str("data: [DONE]\n\n");
    text.into_bytes()
}

fn decoded(name: &str, events: &[Value]) -> Vec<Decoded> {
    let bytes = sse(events);
    let whole = decode(wire(name).as_ref(), vec![bytes.clone()]);
    let single = bytes.iter().map(|byte| vec![*byte]).collect();
    assert_eq!(decode(wire(name).as_ref(), single), whole, "byte by byte: {events:?}");
    whole
}

fn read(name: &str, events: &[Value]) -> Summary {
    summary(&decoded(name, events))
}

fn pieces(pieces: &Value) -> Value {
    json!({ "choices": [{ "delta": { "tool_calls": pieces } }] })
}

fn end(reason: &str) -> Value {
    json!({ "choices": [{ "delta": {}, "finish_reason": reason }] })
}

type Call = (String, String, String);

fn calls(chunks: &[Value]) -> Vec<Call> {
    let mut events: Vec<Value> = chunks.iter().map(pieces).collect();
    events.push(end("stop"));
    let sum = read("compatible", &events);
    assert_eq!(sum.failure, None, "{chunks:?}");
    sum.calls
}

fn call(id: &str, name: &str, input: &str) -> Call {
    (id.into(), name.into(), input.into())
}

#[test]
fn calls_are_distinguished_by_id_index_or_order() {
    let whole = |id: Value, index: Value, name: &str, arguments: Value| json!([{ "id": id, "index": index, "function": { "name": name, "arguments": arguments } }]);
    let piece = |index: Value, id: Value, name: Value, arguments: &str| json!([{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }]);
    let (null, a, b) = (Value::Null, call("a", "t", r#"{"x":1}"#), call("b", "t", r#"{"x":2}"#));
    let made = |name: &str, input: &str| call("call_n", name, input);
    let one = json!(r#"{"x":1}"#);
    let two = json!(r#"{"x":2}"#);
    let table: Vec<(&str, Vec<Value>, Vec<Call>)> = vec![
        (
            "one index for all",
            vec![whole(json!("a"), json!(0), "t", one.clone()), whole(json!("b"), json!(0), "t", two.clone())],
            vec![a.clone(), b.clone()],
        ),
        (
            "one index for all, in one chunk",
            vec![json!([
                { "id": "a", "index": 0, "function": { "name": "t", "arguments": r#"{"x":1}"# } },
                { "id": "b", "index": 0, "function": { "name": "t", "arguments": r#"{"x":2}"# } }
            ])],
            vec![a.clone(), b.clone()],
        ),
        (
            "one index, in pieces",
            vec![
                piece(json!(0), json!("a"), json!("t"), ""),
                piece(json!(0), null.clone(), null.clone(), r#"{"x":1}"#),
                piece(json!(0), json!("b"), json!("t"), ""),
                piece(json!(0), null.clone(), null.clone(), r#"{"x":2}"#),
            ],
            vec![a.clone(), b.clone()],
        ),
        (
            "one index and no ids",
            vec![whole(null.clone(), json!(0), "t", one.clone()), whole(null.clone(), json!(0), "u", two.clone())],
            vec![made("t", r#"{"x":1}"#), made("u", r#"{"x":2}"#)],
        ),
        (
            "neither index nor id",
            vec![
                whole(null.clone(), null.clone(), "t", one.clone()),
                whole(null.clone(), null.clone(), "t", one.clone()),
            ],
            vec![made("t", r#"{"x":1}"#), made("t", r#"{"x":1}"#)],
        ),
        (
            "an id and a name in each piece, no index",
            vec![
                piece(null.clone(), json!("a"), json!("t"), r#"{"x""#),
                piece(null.clone(), json!("a"), json!("t"), ":1}"),
            ],
            vec![a.clone()],
        ),
        (
            "a name in each piece and nothing else",
            vec![
                piece(null.clone(), null.clone(), json!("t"), r#"{"x""#),
                piece(null.clone(), null.clone(), json!("t"), ":1}"),
            ],
            vec![made("t", r#"{"x":1}"#)],
        ),
        (
            "another id in each piece",
            vec![
                piece(json!(0), json!("a"), json!("t"), ""),
                piece(json!(0), json!("r1"), null.clone(), r#"{"x""#),
                piece(json!(0), json!("r2"), null.clone(), ":1}"),
            ],
            vec![a.clone()],
        ),
        (
            "empty ids and names later on, counting from 1",
            vec![piece(json!(1), json!("a"), json!("t"), r#"{"x""#), piece(json!(1), json!(""), json!(""), ":1}")],
            vec![a.clone()],
        ),
        (
            "a name in pieces",
            vec![
                piece(json!(0), json!("a"), json!("ti"), ""),
                piece(json!(0), null.clone(), json!("de"), ""),
                piece(json!(0), null.clone(), null.clone(), "{}"),
            ],
            vec![call("a", "tide", "{}")],
        ),
        (
            "a name behind the arguments",
            vec![
                piece(json!(0), json!("a"), null.clone(), r#"{"x":1}"#),
                piece(json!(0), null.clone(), json!("t"), ""),
            ],
            vec![a.clone()],
        ),
        (
            "said twice",
            vec![whole(json!("a"), json!(0), "t", one.clone()), whole(json!("a"), json!(0), "t", one.clone())],
            vec![a.clone()],
        ),
        (
            "said twice without an id",
            vec![whole(null.clone(), json!(0), "t", one.clone()), whole(null.clone(), json!(0), "t", one.clone())],
            vec![made("t", r#"{"x":1}"#)],
        ),
        (
            "one id for all",
            vec![whole(json!("a"), json!(0), "t", one.clone()), whole(json!("a"), json!(1), "t", two.clone())],
            vec![a.clone(), made("t", r#"{"x":2}"#)],
        ),
        (
            "arguments as objects, null, and none",
            vec![
                whole(json!("a"), json!(0), "t", json!({ "x": 1 })),
                whole(json!("b"), json!(1), "now", Value::Null),
                whole(json!("c"), json!(2), "now", json!("null")),
                json!([{ "id": "d", "index": 3, "function": { "name": "now" } }]),
            ],
            vec![a.clone(), call("b", "now", "{}"), call("c", "now", "{}"), call("d", "now", "{}")],
        ),
        (
            "numbers for texts, a lone object, and empty pieces",
            vec![
                json!({ "id": 7, "index": "0", "type": 3, "function": { "name": "t", "arguments": r#"{"x":1}"# } }),
                json!([{}, null, { "index": 0 }, { "index": 0, "function": { "arguments": "" } }]),
            ],
            vec![call("7", "t", r#"{"x":1}"#)],
        ),
    ];
    for (what, chunks, expected) in table {
        assert_eq!(calls(&chunks), expected, "{what}");
    }
}

#[test]
fn deprecated_function_calls_are_read() {
    let piece = |function: Value| json!({ "choices": [{ "delta": { "function_call": function } }] });
    let events = [
        piece(json!({ "name": "t", "arguments": "" })),
        piece(json!({ "arguments": r#"{"x":1}"# })),
        end("function_call"),
    ];
    let sum = read("chat", &events);
    assert_eq!(sum.calls, [call("call_n", "t", r#"{"x":1}"#)]);
    assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ToolCalls));
}

#[test]
fn a_call_without_a_name_is_a_failure() {
    let events = [pieces(&json!([{ "index": 0, "id": "a", "function": { "arguments": "{}" } }])), end("tool_calls")];
    assert!(read("compatible", &events).failure.is_some());
}

#[test]
fn fields_of_wrong_types_are_ignored() {
    let odd = [
        json!({ "id": 5, "created": "now", "model": null, "choices": null, "usage": "none" }),
        json!({ "object": "ping" }),
        json!(null),
        json!({ "choices": [{ "delta": null, "finish_reason": "" }], "error": null, "x_groq": [] }),
        json!({ "choices": [{ "delta": { "content": [{ "type": "text", "text": "a" }], "tool_calls": null, "role": 1 } }] }),
        json!({ "choices": { "delta": { "content": "b", "reasoning_content": null, "tool_calls": {} } }, "error": {} }),
        json!({ "choices": [{ "delta": { "content": null, "refusal": null }, "finish_reason": "stop", "logprobs": 3 }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": 12.0, "completion_tokens": "3", "prompt_tokens_details": [],
            "completion_tokens_details": { "reasoning_tokens": -1 } } }),
        json!({ "choices": [], "usage": {} }),
    ];
    for name in ["chat", "compatible", "groq", "mistral"] {
        let sum = read(name, &odd);
        assert_eq!((sum.failure, sum.text.as_str()), (None, "ab"), "{name}");
        let (reason, usage) = sum.finish.unwrap();
        assert_eq!(
            (reason, usage.input_tokens, usage.output_tokens),
            (FinishReason::Stop, Some(12), Some(3)),
            "{name}"
        );
    }
}

#[test]
fn invalid_counts_are_ignored_in_every_format() {
    let counts =
        [json!(1.5), json!("12"), json!(-3), json!(null), json!(1e3), json!({}), json!([1]), json!(true), json!(1e300)];
    for count in counts {
        let c = &count;
        let cases = [
            (
                "anthropic",
                vec![
                    json!({ "type": "message_start", "message": { "id": 1, "usage": { "input_tokens": c, "cache_read_input_tokens": c } } }),
                    json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "hi" } }),
                    json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": c } }),
                    json!({ "type": "message_stop" }),
                ],
            ),
            (
                "google",
                vec![json!({
                    "candidates": [{ "content": { "parts": [{ "text": "hi" }] }, "finishReason": "STOP", "index": c }],
                    "usageMetadata": { "promptTokenCount": c, "candidatesTokenCount": c, "thoughtsTokenCount": c },
                    "responseId": c, "modelVersion": c,
                })],
            ),
            (
                "cohere",
                vec![
                    json!({ "type": "message-start", "id": c, "message": c }),
                    json!({ "type": "content-delta", "index": 0, "delta": { "message": { "content": { "text": "hi" } } } }),
                    json!({ "type": "message-end", "delta": { "finish_reason": "COMPLETE", "usage": { "tokens": { "input_tokens": c } } } }),
                ],
            ),
            (
                "responses",
                vec![
                    json!({ "type": "response.created", "response": { "id": c, "created_at": c } }),
                    json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": c, "delta": "hi", "code": c, "message": c }),
                    json!({ "type": "response.completed", "response": { "usage": { "input_tokens": c, "output_tokens_details": c } } }),
                ],
            ),
            (
                "compatible",
                vec![
                    json!({ "choices": [{ "delta": { "content": "hi" }, "index": c }], "usage": c }),
                    json!({ "choices": [{ "finish_reason": "stop" }], "usage": { "prompt_tokens": c, "prompt_tokens_details": { "cached_tokens": c } } }),
                ],
            ),
        ];
        for (name, events) in cases {
            let sum = read(name, &events);
            assert_eq!((sum.failure, sum.text.as_str()), (None, "hi"), "{name} with {count}");
            assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::Stop), "{name} with {count}");
        }
    }
}

#[test]
fn cache_counts_of_all_servers_are_read() {
    let counts = |usage: Value| read("compatible", &[end("stop"), json!({ "usage": usage })]).finish.unwrap().1;
    let expected = |cached, written| Usage {
        cached_input_tokens: Some(cached),
        cache_write_tokens: written,
        has_cache_count: true,
        reasoning_tokens: Some(0),
        ..Usage::new(Some(9), Some(1))
    };
    let base = |more: Value| {
        let mut usage = json!({ "prompt_tokens": 9, "completion_tokens": 1 });
        usage.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        counts(usage)
    };
    assert_eq!(
        base(json!({ "prompt_tokens_details": { "cached_tokens": 4, "cache_write_tokens": 3 } })),
        expected(4, Some(3))
    );
    assert_eq!(base(json!({ "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5 })), expected(4, None));
    assert_eq!(base(json!({ "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2 })), expected(4, Some(2)));
    assert_eq!(base(json!({})), Usage { has_cache_count: false, ..expected(0, None) });
}

fn sent_back(name: &str, events: &[Value]) -> Value {
    let (mut parts, mut open) = (Vec::new(), String::new());
    for piece in decoded(name, events) {
        let Decoded::Part(part) = piece else { panic!("{piece:?}") };
        match part {
            StreamPart::TextDelta { delta, .. } => parts.push(ContentPart::text(delta)),
            StreamPart::ReasoningDelta { delta, .. } => open.push_str(&delta),
            StreamPart::ReasoningEnd { provider_metadata, .. } => parts.push(ContentPart::Reasoning {
                text: std::mem::take(&mut open).into(),
                provider_options: provider_metadata,
            }),
            StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata, .. } => {
                parts.push(ContentPart::ToolCall {
                    tool_call_id,
                    tool_name,
                    input: lmthing_base::chat::ToolInput::from_text(&input),
                    provider_executed: false,
                    provider_options: provider_metadata,
                });
            }
            _ => {}
        }
    }
    body(name, vec![Message::parts(Role::Assistant, parts)])["messages"][0].clone()
}

#[test]
fn reasoning_details_are_sent_back_unchanged() {
    let delta = |delta: Value| json!({ "choices": [{ "delta": delta }] });
    let text = |text: &str| json!({ "type": "reasoning.text", "text": text, "format": "f", "index": 0 });
    let hidden =
        |id: &str| json!({ "type": "reasoning.encrypted", "data": "xyz", "id": id, "format": "f", "index": 1 });
    let signed = json!({ "type": "reasoning.text", "signature": "sig", "index": 0, "format": null });
    let summary = json!({ "type": "reasoning.summary", "summary": "Then low.", "index": 2 });
    let events = [
        delta(json!({ "reasoning": "High ", "reasoning_details": [text("High ")] })),
        delta(json!({ "reasoning": "water.", "reasoning_details": [text("water.")] })),
        delta(json!({ "reasoning_details": [signed] })),
        delta(json!({ "reasoning_details": [summary] })),
        delta(json!({ "content": "Soon." })),
        delta(json!({ "content": "", "reasoning_details": [hidden("one")],
            "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{}" } }] })),
        delta(json!({ "reasoning_details": [hidden("two")] })),
        end("tool_calls"),
    ];
    assert_eq!(read("compatible", &events).reasoning, "High water.Then low.");
    let joined =
        json!({ "type": "reasoning.text", "text": "High water.", "format": "f", "index": 0, "signature": "sig" });
    let message = sent_back("compatible", &events);
    assert_eq!(message["reasoning_details"], json!([joined, summary, hidden("one"), hidden("two")]));
    assert_eq!((&message["content"], message.get("reasoning_content")), (&json!("Soon."), None));
}

#[test]
fn gemini_signatures_are_sent_back() {
    let extra = |signature: &str| json!({ "google": { "thought_signature": signature } });
    let whole = |id: &str, extra: Value| json!({ "index": 0, "id": id, "extra_content": extra, "function": { "name": "t", "arguments": "{}" } });
    let other = json!({ "google": { "thought_signature": "s2", "more": 1 } });
    let events = [
        json!({ "choices": [{ "delta": { "content": "Hm.", "extra_content": extra("s0") } }] }),
        pieces(&json!([whole("a", extra("s1")), whole("b", other.clone()), whole("c", Value::Null)])),
        end("tool_calls"),
    ];
    let message = sent_back("compatible", &events);
    let calls = message["tool_calls"].as_array().unwrap();
    assert_eq!((&calls[0]["extra_content"], &calls[1]["extra_content"]), (&extra("s1"), &other));
    assert_eq!(calls[2].get("extra_content"), None);
    assert_eq!(message["extra_content"], extra("s0"));
}
