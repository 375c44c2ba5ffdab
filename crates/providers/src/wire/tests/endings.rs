//! Ends of responses: refusals, failures, missing markers.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use serde_json::{Value, json};

use super::{
    responses::{Summary, decode, summary},
    wire,
};
use crate::ProviderErrorKind;
use lmthing_base::chat::FinishReason;

fn read(name: &str, events: &[Value]) -> Summary {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    summary(&decode(wire(name).as_ref(), vec![text.into_bytes()]))
}

fn frames(frames: &[(&str, &str, &str)]) -> Summary {
    let mut bytes = Vec::new();
    for (message_type, event_type, payload) in frames {
        let header = |name: &'static str, value: &str| Header::new(name, HeaderValue::String(value.to_owned().into()));
        let of_type = if *message_type == "exception" { ":exception-type" } else { ":event-type" };
        let message = Message::new(payload.as_bytes().to_vec())
            .add_header(header(":message-type", message_type))
            .add_header(header(of_type, event_type));
        write_message_to(&message, &mut bytes).unwrap();
    }
    summary(&decode(wire("bedrock").as_ref(), bytes.into_iter().map(|byte| vec![byte]).collect()))
}

#[test]
fn a_response_only_in_its_final_event_is_read() {
    let message = json!({ "type": "message", "id": "m", "content": [{ "type": "output_text", "text": "High." }] });
    let call = json!({ "type": "function_call", "id": "f", "call_id": "c", "name": "tide", "arguments": "{}" });
    let completed = json!({ "type": "response.completed", "response": { "output": [message, call] } });
    let sum = read("responses", std::slice::from_ref(&completed));
    assert_eq!((sum.failure, sum.text.as_str(), sum.calls.len()), (None, "High.", 1));
    assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ToolCalls));
    let delta = json!({ "type": "response.output_text.delta", "item_id": "other", "delta": "High." });
    let done = json!({ "type": "response.output_item.done", "output_index": 1, "item": call });
    let sum = read("responses", &[delta, done, completed]);
    assert_eq!((sum.text.as_str(), sum.calls.len()), ("High.", 1), "nothing is read twice");
}

#[test]
fn a_refusals_words_are_no_text() {
    let refused = |name: &str, events: &[Value]| {
        let sum = read(name, events);
        assert_eq!((sum.failure, sum.text.as_str()), (None, ""), "{name}");
        let ending = sum.ending.map(|ending| ending.sentence("No"));
        assert_eq!(ending.as_deref(), Some("No (refusal): I won't."), "{name}");
        assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ContentFilter), "{name}");
    };
    let chat = |delta: Value, reason: Value| json!({ "choices": [{ "delta": delta, "finish_reason": reason }] });
    for name in ["chat", "compatible"] {
        refused(
            name,
            &[
                chat(json!({ "refusal": "I " }), json!(null)),
                chat(json!({ "refusal": "won't." }), json!(null)),
                chat(json!({}), json!("stop")),
            ],
        );
    }
    let item = |content: Value| json!({ "type": "message", "id": "m", "content": content });
    let part = json!([{ "type": "refusal", "refusal": "I won't." }]);
    let begin = json!({ "type": "response.output_item.added", "output_index": 0, "item": item(json!([])) });
    let end = json!({ "type": "response.output_item.done", "output_index": 0, "item": item(part) });
    let delta = json!({ "type": "response.refusal.delta", "item_id": "m", "delta": "I won't." });
    let done = json!({ "type": "response.refusal.done", "item_id": "m", "refusal": "I won't." });
    let completed = json!({ "type": "response.completed", "response": {} });
    refused("responses", &[begin.clone(), delta, done.clone(), end.clone(), completed.clone()]);
    refused("responses", &[begin.clone(), done, completed.clone()]);
    refused("responses", &[begin, end, completed]);
    refused(
        "anthropic",
        &[json!({ "type": "message_delta", "delta": {
                "stop_reason": "refusal", "stop_details": { "type": "refusal", "explanation": "I won't." },
            } })],
    );
}

#[test]
fn bedrock_exceptions_in_any_frame_are_failures() {
    use ProviderErrorKind::{Authentication, BadRequest, ContextLength, RateLimit, Server, Stream, Timeout};
    let limited = RateLimit { retry_after: None };
    let table = [
        ("throttlingException", "Slow down.", limited.clone()),
        ("ThrottlingException", "Slow down.", limited.clone()),
        ("throttlingException", "Too many tokens, please wait before trying again.", limited.clone()),
        ("throttlingException", "Too many tokens.", limited.clone()),
        ("serviceUnavailableException", "Later.", limited),
        ("validationException", "Wrong.", BadRequest),
        ("validationException", "Input is too long for requested model.", ContextLength),
        ("internalServerException", "Oops.", Server),
        ("modelTimeoutException", "Too slow.", Timeout),
        ("modelStreamErrorException", "Broke.", Stream),
        ("accessDeniedException", "No.", Authentication),
    ];
    let text = ("event", "contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"hi"}}"#);
    for (name, words, kind) in table {
        let bare = json!({ "message": words }).to_string();
        let nested = json!({ name: { "message": words } }).to_string();
        for (message_type, payload) in [("event", &bare), ("event", &nested), ("exception", &bare)] {
            let sum = frames(&[text, (message_type, name, payload)]);
            assert_eq!(sum.failure, Some((kind.clone(), format!("{name}: {words}"))), "{message_type}");
            assert_eq!((sum.text.as_str(), sum.finish), ("hi", None));
        }
    }
}

#[test]
fn unknown_frames_are_ignored() {
    let sum = frames(&[
        ("event", "messageStart", ""),
        ("event", "novelty", "no json"),
        (
            "event",
            "contentBlockDelta",
            r#"{"contentBlockIndex":0.0,"delta":{"text":"hi","toolUse":null,"citation":{}}}"#,
        ),
        ("event", "messageStop", r#"{"stopReason":"end_turn","additionalModelResponseFields":3}"#),
        (
            "event",
            "metadata",
            r#"{"usage":{"inputTokens":1.5,"outputTokens":"2","cacheWriteInputTokens":1},"metrics":null}"#,
        ),
    ]);
    assert_eq!((sum.failure, sum.text.as_str()), (None, "hi"));
    let (reason, usage) = sum.finish.unwrap();
    assert_eq!((reason, usage.input_tokens, usage.output_tokens), (FinishReason::Stop, Some(3), Some(2)));
    assert_eq!(usage.cache_write_tokens, Some(1));
}

#[test]
fn a_reason_or_a_marker_is_the_end() {
    let content = json!({ "choices": [{ "delta": { "content": "hi" } }] });
    let stop = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let finish = |sum: Summary| sum.finish.map(|finish| finish.0);
    assert_eq!(finish(read("compatible", &[content.clone(), stop])), Some(FinishReason::Stop));
    assert!(read("compatible", std::slice::from_ref(&content)).failure.is_some());
    let marked = format!("data: {content}\n\ndata: [DONE]\n\n").into_bytes();
    assert_eq!(finish(summary(&decode(wire("compatible").as_ref(), vec![marked]))), Some(FinishReason::Other));
    let anthropic = [
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "hi" } }),
        json!({ "type": "message_stop" }),
    ];
    assert_eq!(finish(read("anthropic", &anthropic)), Some(FinishReason::Other));
    // Feedback alone does not end a response that has begun.
    let begun = json!({ "candidates": [{ "content": { "parts": [{ "text": "hi" }] } }], "promptFeedback": { "safetyRatings": [] } });
    assert!(read("google", &[begun]).failure.is_some());
}

#[test]
fn errors_are_found_in_all_locations() {
    let events = [
        json!({ "object": "error", "message": "Too busy.", "type": "overloaded", "code": 429 }),
        json!({ "detail": "Too busy." }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "error", "error": { "code": 502, "message": "Too busy." } }] }),
        json!({ "error": "Too busy." }),
    ];
    for event in events {
        let sum = read("compatible", std::slice::from_ref(&event));
        assert_eq!(sum.failure.map(|failure| failure.1).as_deref(), Some("Too busy."), "{event}");
    }
    let bare = [json!({ "choices": [{ "delta": {}, "finish_reason": "error" }] })];
    let sum = read("compatible", &bare);
    assert_eq!((sum.finish, sum.failure.map(|failure| failure.1)), (None, Some("The answer broke off (error)".into())));
}

#[test]
fn the_categories_of_a_filter_are_read() {
    let details = json!({ "type": "refusal", "category": "cyber", "explanation": "Not this." });
    let ratings = json!([{ "category": "HARM_A", "blocked": true }, { "category": "HARM_B" }]);
    let filters = json!({ "hate": { "filtered": false }, "violence": { "filtered": true } });
    for (name, event, expected) in [
        (
            "anthropic",
            json!({ "type": "message_delta", "delta": { "stop_reason": "refusal", "stop_details": details } }),
            "No (refusal, cyber): Not this.",
        ),
        (
            "google",
            json!({ "candidates": [{ "finishReason": "SAFETY", "finishMessage": "Held.", "safetyRatings": ratings }] }),
            "No (SAFETY, HARM_A): Held.",
        ),
        (
            "google",
            json!({ "promptFeedback": { "blockReason": "OTHER" } }),
            "No (OTHER): The prompt was blocked, and the model did not see it.",
        ),
        (
            "chat",
            json!({ "choices": [{ "finish_reason": "content_filter", "content_filter_results": filters }] }),
            "No (content_filter, violence)",
        ),
        (
            "compatible",
            json!({ "choices": [{ "finish_reason": "content_filter", "native_finish_reason": "RECITATION" }] }),
            "No (content_filter, RECITATION)",
        ),
        (
            "responses",
            json!({ "type": "response.incomplete", "response": {
                "incomplete_details": { "reason": "content_filter" },
                "content_filters": [{ "content_filter_results": filters }],
            } }),
            "No (content_filter, violence)",
        ),
    ] {
        let sum = read(name, &[event]);
        assert_eq!(sum.ending.map(|ending| ending.sentence("No")).as_deref(), Some(expected), "{name}");
        assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ContentFilter), "{name}");
    }
}

#[test]
fn calls_that_cannot_be_read_and_ends_in_the_middle_are_failures() {
    let call = r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"tide"}}}"#;
    let input = r#"{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"a\": "}}}"#;
    let bedrock = frames(&[
        ("event", "contentBlockStart", call),
        ("event", "contentBlockDelta", input),
        ("event", "contentBlockStop", r#"{"contentBlockIndex":0}"#),
        ("event", "messageStop", r#"{"stopReason":"malformed_tool_use"}"#),
    ]);
    let candidate = json!({ "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(tide" });
    let google = read("google", &[json!({ "candidates": [candidate] })]);
    let cohere = read("cohere", &[json!({ "type": "message-end", "delta": { "finish_reason": "TIMEOUT" } })]);
    let mistral =
        read("mistral", &[json!({ "choices": [{ "delta": { "content": "hi" }, "finish_reason": "error" }] })]);
    let error = json!({ "message": "Failed.", "code": "tool_use_failed", "failed_generation": "<tide>" });
    let groq = read("groq", &[json!({ "error": error })]);
    let malformed = "The model wrote a call that its service cannot read";
    for (sum, expected) in [
        (bedrock, format!("{malformed} (malformed_tool_use)")),
        (google, format!("{malformed} (MALFORMED_FUNCTION_CALL): print(tide")),
        (cohere, "The answer broke off (TIMEOUT)".to_owned()),
        (mistral, "The answer broke off (error)".to_owned()),
        (groq, "Failed. The model had written: <tide>".to_owned()),
    ] {
        assert_eq!((sum.calls.len(), sum.finish), (0, None));
        assert_eq!(sum.failure, Some((ProviderErrorKind::Stream, expected)));
    }
}

/// A call that breaks off, and an end with a word of the wire. Google's calls are always whole.
fn cut_call(name: &str, end: &str) -> Summary {
    const CUT: &str = "{\"port\": \"Hel";
    let events = match name {
        "anthropic" => vec![
            json!({ "type": "content_block_start", "index": 0,
                    "content_block": { "type": "tool_use", "id": "t", "name": "tide", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 0,
                    "delta": { "type": "input_json_delta", "partial_json": CUT } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": end } }),
            json!({ "type": "message_stop" }),
        ],
        "bedrock" => {
            let call = r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"tide"}}}"#;
            let input = json!({ "contentBlockIndex": 0, "delta": { "toolUse": { "input": CUT } } }).to_string();
            let stop = json!({ "stopReason": end }).to_string();
            return frames(&[
                ("event", "contentBlockStart", call),
                ("event", "contentBlockDelta", &input),
                ("event", "messageStop", &stop),
            ]);
        }
        "cohere" => vec![
            json!({ "type": "tool-call-start", "index": 0, "delta": { "message": { "tool_calls": {
                "id": "t", "type": "function", "function": { "name": "tide", "arguments": CUT },
            } } } }),
            json!({ "type": "tool-call-end", "index": 0 }),
            json!({ "type": "message-end", "delta": { "finish_reason": end } }),
        ],
        "responses" => {
            let item = json!({ "type": "function_call", "id": "f", "call_id": "c", "name": "tide", "arguments": CUT });
            let details = json!({ "incomplete_details": { "reason": end } });
            vec![
                json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
                json!({ "type": "response.incomplete", "response": details }),
            ]
        }
        "ollama" => {
            let call = json!({ "function": { "name": "tide", "arguments": CUT } });
            let line = json!({ "message": { "tool_calls": [call] }, "done": true, "done_reason": end });
            return summary(&decode(wire(name).as_ref(), vec![format!("{line}\n").into_bytes()]));
        }
        _ => {
            let call = json!({ "index": 0, "id": "t", "function": { "name": "tide", "arguments": CUT } });
            vec![
                json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }),
                json!({ "choices": [{ "delta": {}, "finish_reason": end }] }),
            ]
        }
    };
    read(name, &events)
}

#[test]
fn a_cut_call_of_a_refused_or_broken_answer_does_not_run() {
    for (name, refused, broken, length) in [
        ("responses", "content_filter", None, "max_output_tokens"),
        ("chat", "content_filter", Some("error"), "length"),
        ("compatible", "content_filter", Some("abort"), "length"),
        ("groq", "content_filter", Some("error"), "length"),
        ("mistral", "content_filter", Some("error"), "length"),
        ("anthropic", "refusal", Some("malformed_tool_use"), "max_tokens"),
        ("cohere", "ERROR_TOXIC", Some("ERROR"), "MAX_TOKENS"),
        ("bedrock", "guardrail_intervened", Some("malformed_model_output"), "max_tokens"),
        ("ollama", "content_filter", Some("error"), "length"),
    ] {
        let sum = cut_call(name, refused);
        assert_eq!((sum.calls, sum.failure), (vec![], None), "{name}");
        assert_eq!(sum.finish.map(|finish| finish.0), Some(FinishReason::ContentFilter), "{name}");
        if let Some(broken) = broken {
            let sum = cut_call(name, broken);
            assert_eq!((sum.calls, sum.finish), (vec![], None), "{name}");
            assert!(sum.failure.is_some(), "{name}");
        }
        let sum = cut_call(name, length);
        assert_eq!((sum.calls.len(), sum.finish.map(|finish| finish.0)), (1, Some(FinishReason::Length)), "{name}");
    }
}

#[test]
fn a_cut_call_of_an_answer_with_a_refusal_does_not_run() {
    let call = json!({ "index": 0, "id": "t", "function": { "name": "tide", "arguments": "{\"port\": " } });
    let sum = read(
        "chat",
        &[
            json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }),
            json!({ "choices": [{ "delta": { "refusal": "I won't." }, "finish_reason": "stop" }] }),
        ],
    );
    assert_eq!((sum.calls, sum.finish.map(|finish| finish.0)), (vec![], Some(FinishReason::ContentFilter)));
}
