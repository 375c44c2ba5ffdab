//! Decoders over stored answers (`tests/fixtures/providers`), whole and cut at every byte.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use proptest::prelude::*;
use serde_json::json;

use super::{
    Decoded, Framing, Output, WireEvent, WireFormat,
    anthropic::AnthropicWire,
    bedrock::BedrockWire,
    chat::{ChatWire, Dialect},
    cohere::CohereWire,
    google::GoogleWire,
    responses::ResponsesWire,
};
use crate::{
    chat::{FinishReason, ProviderOptions, StreamPart, Usage},
    provider::{ProviderErrorKind, framing::Events},
};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/fixtures/providers/", $name)).as_slice()
    };
}

fn compatible() -> Box<dyn WireFormat> {
    Box::new(ChatWire::new(Dialect::Compatible("lab".into()), None))
}

/// Every wire with its answer.
fn all() -> Vec<(&'static str, Box<dyn WireFormat>, &'static [u8])> {
    vec![
        ("responses", Box::new(ResponsesWire::openai()), fixture!("responses.sse")),
        ("chat", Box::new(ChatWire::new(Dialect::OpenAi, None)), fixture!("chat.sse")),
        ("compatible", compatible(), fixture!("compatible.sse")),
        ("groq", Box::new(ChatWire::new(Dialect::Groq, None)), fixture!("groq.sse")),
        ("mistral", Box::new(ChatWire::new(Dialect::Mistral, None)), fixture!("mistral.sse")),
        ("anthropic", Box::new(AnthropicWire), fixture!("anthropic.sse")),
        ("google", Box::new(GoogleWire::generative_language()), fixture!("google.sse")),
        ("cohere", Box::new(CohereWire), fixture!("cohere.sse")),
        ("bedrock", Box::new(BedrockWire), fixture!("bedrock.eventstream")),
    ]
}

/// What an answer comes to when its bytes arrive in these chunks.
fn decode(wire: &dyn WireFormat, chunks: Vec<Vec<u8>>) -> Vec<Decoded> {
    let bytes = stream::iter(chunks.into_iter().map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)))).boxed_local();
    let mut events = Events::new(wire.framing(), bytes);
    let (mut decoder, mut out, mut decoded) = (wire.decoder(), Output::default(), Vec::new());
    let run = async {
        while let Some(Ok(event)) = events.next().await {
            match event.as_wire() {
                WireEvent::Data("[DONE]") => decoder.done_marker(),
                event => decoder.event(event, &mut out),
            }
        }
        decoder.finish(&mut out);
    };
    run.now_or_never().expect("a stream of stored bytes never waits");
    while let Some(piece) = out.pop() {
        decoded.push(without_made_up_ids(piece));
    }
    decoded
}

/// Gemini's calls get ids that count up; compared answers must not depend on them.
fn without_made_up_ids(piece: Decoded) -> Decoded {
    let is_made_up = |id: &str| id.strip_prefix("call_").is_some_and(|rest| rest.parse::<u64>().is_ok());
    let fix = |id: String| if is_made_up(&id) { "call_n".to_owned() } else { id };
    match piece {
        Decoded::Part(StreamPart::ToolInputStart { id, tool_name }) => {
            Decoded::Part(StreamPart::ToolInputStart { id: fix(id), tool_name })
        }
        Decoded::Part(StreamPart::ToolInputDelta { id, delta }) => {
            Decoded::Part(StreamPart::ToolInputDelta { id: fix(id), delta })
        }
        Decoded::Part(StreamPart::ToolInputEnd { id }) => Decoded::Part(StreamPart::ToolInputEnd { id: fix(id) }),
        Decoded::Part(StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata }) => {
            let tool_call_id = fix(tool_call_id);
            Decoded::Part(StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata })
        }
        piece => piece,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Summary {
    text: String,
    reasoning: String,
    /// `(id, name, arguments)`
    calls: Vec<(String, String, String)>,
    /// Argument text as it streamed.
    streamed: String,
    metadata: Vec<ProviderOptions>,
    finish: Option<(FinishReason, Usage)>,
    failure: Option<(ProviderErrorKind, String)>,
}

fn summary(decoded: &[Decoded]) -> Summary {
    let mut sum = Summary::default();
    for piece in decoded {
        match piece {
            Decoded::Failure(failure) => sum.failure = Some((failure.kind.clone(), failure.message.clone())),
            Decoded::Part(part) => match part {
                StreamPart::TextDelta { delta, provider_metadata, .. } => {
                    sum.text.push_str(delta);
                    sum.metadata.extend(provider_metadata.clone());
                }
                StreamPart::ReasoningDelta { delta, .. } => sum.reasoning.push_str(delta),
                StreamPart::ReasoningEnd { provider_metadata, .. } => sum.metadata.extend(provider_metadata.clone()),
                StreamPart::ToolInputDelta { delta, .. } => sum.streamed.push_str(delta),
                StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata } => {
                    sum.calls.push((tool_call_id.clone(), tool_name.clone(), input.clone()));
                    sum.metadata.extend(provider_metadata.clone());
                }
                StreamPart::Finish { finish_reason, usage, .. } => sum.finish = Some((*finish_reason, *usage)),
                _ => {}
            },
        }
    }
    sum
}

fn whole(name: &str) -> Summary {
    let (_, wire, bytes) = all().into_iter().find(|(known, ..)| *known == name).unwrap();
    summary(&decode(wire.as_ref(), vec![bytes.to_vec()]))
}

fn usage(cached: Option<u64>, reasoning: Option<u64>) -> Usage {
    Usage { cached_input_tokens: cached, reasoning_tokens: reasoning, ..Usage::new(Some(40), Some(30)) }
}

const TEXT: &str = "Låg vatten… \"soon\"\\now";
const BERGEN: &str = r#"{"port": "Bergen"}"#;
const OBAN: &str = r#"{"port": "Oban"}"#;

#[test]
fn every_wire_reads_text_reasoning_calls_and_usage() {
    type Calls = [(&'static str, &'static str, &'static str); 2];
    let expected: [(&str, Option<&str>, Calls, Usage); 9] = [
        (
            "responses",
            Some("High water first. 🌊Then low."),
            [("call_a", "tide", BERGEN), ("call_b", "tide", OBAN)],
            usage(Some(8), Some(12)),
        ),
        ("chat", None, [("call_a", "tide", BERGEN), ("call_b", "tide", OBAN)], usage(Some(8), Some(12))),
        (
            "compatible",
            Some("High water first. 🌊"),
            [("call_a", "tide", BERGEN), ("call_b", "tide", "{}")],
            usage(Some(8), Some(12)),
        ),
        (
            "groq",
            Some("High water first. 🌊"),
            [("call_a", "tide", BERGEN), ("call_b", "tide", OBAN)],
            usage(None, Some(12)),
        ),
        (
            "mistral",
            Some("High water first. 🌊"),
            [("callaaaaa", "tide", BERGEN), ("callbbbbb", "tide", OBAN)],
            usage(None, None),
        ),
        (
            "anthropic",
            Some("High water first. 🌊"),
            [("toolu_a", "tide", BERGEN), ("toolu_b", "now", "{}")],
            usage(Some(8), None),
        ),
        (
            "google",
            Some("High water first. 🌊"),
            [("call_n", "tide", r#"{"port":"Bergen"}"#), ("call_n", "now", "{}")],
            usage(Some(8), Some(12)),
        ),
        (
            "cohere",
            Some("High water first. 🌊"),
            [("call_a", "tide", BERGEN), ("call_b", "now", "{}")],
            usage(None, None),
        ),
        (
            "bedrock",
            Some("High water first. 🌊"),
            [("tu_a", "tide", BERGEN), ("tu_b", "now", "{}")],
            usage(Some(8), None),
        ),
    ];
    for (name, reasoning, calls, usage) in expected {
        let sum = whole(name);
        assert_eq!(sum.failure, None, "{name}");
        assert_eq!(sum.text, TEXT, "{name}");
        assert_eq!(sum.reasoning, reasoning.unwrap_or_default(), "{name}");
        let found: Vec<_> =
            sum.calls.iter().map(|(id, name, input)| (id.as_str(), name.as_str(), input.as_str())).collect();
        assert_eq!(found, calls, "{name}");
        assert_eq!(sum.finish, Some((FinishReason::ToolCalls, usage)), "{name}");
    }
}

#[test]
fn what_has_to_go_back_is_kept_as_metadata() {
    let metadata = |name: &str| whole(name).metadata.into_iter().map(serde_json::Value::Object).collect::<Vec<_>>();
    assert_eq!(
        metadata("anthropic"),
        [json!({"anthropic": {"signature": "sig=="}}), json!({"anthropic": {"redactedData": "hidden=="}})]
    );
    assert_eq!(
        metadata("google"),
        [json!({"google": {"thoughtSignature": "text-sig"}}), json!({"google": {"thoughtSignature": "call-sig"}})]
    );
    assert_eq!(metadata("bedrock"), [json!({"bedrock": {"signature": "sig=="}})]);
    let reasoning = |encrypted: &str| json!({"openai": {"itemId": "rs_1", "reasoningEncryptedContent": encrypted}});
    assert_eq!(
        metadata("responses"),
        [
            reasoning("enc-start"),
            reasoning("enc-end"),
            json!({"openai": {"itemId": "fc_0"}}),
            json!({"openai": {"itemId": "fc_1"}})
        ]
    );
}

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    for (name, wire, bytes) in all() {
        let expected = decode(wire.as_ref(), vec![bytes.to_vec()]);
        for cut in 0..=bytes.len() {
            let (before, after) = bytes.split_at(cut);
            let found = decode(wire.as_ref(), vec![before.to_vec(), after.to_vec()]);
            assert_eq!(found, expected, "{name} cut at {cut}");
        }
        let single = bytes.iter().map(|byte| vec![*byte]).collect();
        assert_eq!(decode(wire.as_ref(), single), expected, "{name}, byte by byte");
    }
}

#[test]
fn an_answer_that_stops_early_fails_and_keeps_what_came() {
    for (name, wire, bytes) in all() {
        let whole = summary(&decode(wire.as_ref(), vec![bytes.to_vec()]));
        for length in (0..bytes.len() / 2).step_by(37) {
            let sum = summary(&decode(wire.as_ref(), vec![bytes[..length].to_vec()]));
            assert!(whole.text.starts_with(&sum.text), "{name} at {length}");
            assert_eq!(sum.finish, None, "{name} at {length}");
            let (kind, message) = sum.failure.unwrap_or_else(|| panic!("{name} at {length} did not fail"));
            assert_eq!(kind, ProviderErrorKind::Protocol);
            assert!(message.contains("cut short"), "{message}");
        }
    }
}

#[test]
fn an_aws_exception_frame_is_a_failure() {
    let sum = summary(&decode(&BedrockWire, vec![fixture!("bedrock_exception.eventstream").to_vec()]));
    assert_eq!(sum.text, TEXT);
    assert_eq!(sum.finish, None);
    let limited = ProviderErrorKind::RateLimit { retry_after: None };
    assert_eq!(sum.failure, Some((limited, "throttlingException: Slow down.".to_owned())));
}

#[test]
fn a_broken_event_is_a_failure_and_later_ones_are_still_read() {
    let mut broken = b"data: {\"choices\":[\n\n".to_vec();
    broken.extend_from_slice(fixture!("chat.sse"));
    let sum = summary(&decode(&ChatWire::new(Dialect::OpenAi, None), vec![broken]));
    assert_eq!(sum.text, TEXT);
    assert_eq!(sum.failure.map(|(kind, _)| kind), Some(ProviderErrorKind::Protocol));
}

#[test]
fn half_a_surrogate_pair_loses_neither_text_nor_call() {
    let google = br#"data: {"candidates":[{"content":{"parts":[{"text":"a\ud800"}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":{"x": "\udc00"}}}]},"finishReason":"STOP"}]}

"#;
    let read = summary(&decode(&GoogleWire::generative_language(), vec![google.to_vec()]));
    assert_eq!((read.text.as_str(), read.failure), ("a\u{fffd}", None));
    assert_eq!(read.calls[0].2, r#"{"x": "\udc00"}"#);
    let chat = br#"data: {"choices":[{"delta":{"content":"a\ud800"}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{\"x\": \"\\udc00\"}"}}]}}]}

data: {"choices":[{"finish_reason":"tool_calls"}]}

data: [DONE]

"#;
    let read = summary(&decode(&ChatWire::new(Dialect::OpenAi, None), vec![chat.to_vec()]));
    assert_eq!((read.text.as_str(), read.failure), ("a\u{fffd}", None));
    assert_eq!(read.calls[0].2, r#"{"x": "\udc00"}"#);
}

/// One small stream a case: `(wire, events, finish reason or failure)`.
#[test]
fn finish_reasons_are_unified() {
    let chat = |reason: &str| format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n");
    let reason_of = |wire: &dyn WireFormat, body: String| {
        summary(&decode(wire, vec![body.into_bytes()])).finish.map(|finish| finish.0)
    };
    use FinishReason::{ContentFilter, Error, Length, Other, Stop, ToolCalls};
    let openai = ChatWire::new(Dialect::OpenAi, None);
    for (reason, unified) in [
        ("stop", Stop),
        ("length", Length),
        ("content_filter", ContentFilter),
        ("function_call", ToolCalls),
        ("eos", Other),
    ] {
        assert_eq!(reason_of(&openai, chat(reason)), Some(unified), "{reason}");
    }
    let mistral = ChatWire::new(Dialect::Mistral, None);
    for (reason, unified) in [("model_length", Length), ("error", Other), ("content_filter", Other)] {
        assert_eq!(reason_of(&mistral, chat(reason)), Some(unified), "{reason}");
    }
    let anthropic =
        |reason: &str| format!("data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n");
    for (reason, unified) in [
        ("pause_turn", Stop),
        ("stop_sequence", Stop),
        ("max_tokens", Length),
        ("model_context_window_exceeded", Length),
        ("refusal", ContentFilter),
        ("other", Other),
    ] {
        assert_eq!(reason_of(&AnthropicWire, anthropic(reason)), Some(unified), "{reason}");
    }
    let google = |reason: &str| format!("data: {{\"candidates\":[{{\"finishReason\":\"{reason}\"}}]}}\n\n");
    for (reason, unified) in [
        ("STOP", Stop),
        ("MAX_TOKENS", Length),
        ("SPII", ContentFilter),
        ("IMAGE_SAFETY", ContentFilter),
        ("MALFORMED_FUNCTION_CALL", Error),
        ("LANGUAGE", Other),
    ] {
        assert_eq!(reason_of(&GoogleWire::vertex(), google(reason)), Some(unified), "{reason}");
    }
    let blocked = "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n";
    assert_eq!(reason_of(&GoogleWire::vertex(), blocked.to_owned()), Some(Other));
    let cohere =
        |reason: &str| format!("data: {{\"type\":\"message-end\",\"delta\":{{\"finish_reason\":\"{reason}\"}}}}\n\n");
    for (reason, unified) in
        [("COMPLETE", Stop), ("STOP_SEQUENCE", Stop), ("MAX_TOKENS", Length), ("ERROR", Error), ("X", Other)]
    {
        assert_eq!(reason_of(&CohereWire, cohere(reason)), Some(unified), "{reason}");
    }
    let responses = |reason: &str| {
        format!(
            "data: {{\"type\":\"response.incomplete\",\"response\":{{\"incomplete_details\":{{\"reason\":{reason}}}}}}}\n\n"
        )
    };
    for (reason, unified) in
        [("null", Stop), ("\"max_output_tokens\"", Length), ("\"content_filter\"", ContentFilter), ("\"else\"", Other)]
    {
        assert_eq!(reason_of(&ResponsesWire::openai(), responses(reason)), Some(unified), "{reason}");
    }
}

#[test]
fn failures_inside_a_stream_are_told_in_the_providers_words() {
    let cases: [(Box<dyn WireFormat>, &str, &str); 7] = [
        (
            Box::new(ResponsesWire::openai()),
            r#"{"type":"error","error":{"type":"server_error","code":"x","message":"It broke."}}"#,
            "It broke.",
        ),
        (Box::new(ResponsesWire::openai()), r#"{"type":"error","code":"x","message":"Flat."}"#, "Flat."),
        (
            Box::new(ResponsesWire::openai()),
            r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"Failed."}}}"#,
            "Failed.",
        ),
        (compatible(), r#"{"error":{"message":"No more."}}"#, "No more."),
        (Box::new(AnthropicWire), r#"{"type":"error","error":{"type":"api_error","message":"Oops."}}"#, "Oops."),
        (
            Box::new(GoogleWire::vertex()),
            r#"{"error":{"code":500,"message":"Internal.","status":"INTERNAL"}}"#,
            "Internal.",
        ),
        (Box::new(CohereWire), r#"{"type":"message-end","delta":{"finish_reason":"ERROR","error":"Gone."}}"#, "Gone."),
    ];
    for (wire, event, message) in cases {
        let sum = summary(&decode(wire.as_ref(), vec![format!("data: {event}\n\n").into_bytes()]));
        assert_eq!(sum.failure.map(|(_, message)| message).as_deref(), Some(message), "{event}");
        assert_eq!(sum.finish, None, "{event}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_number_of_cuts_changes_nothing(sizes in prop::collection::vec(1_usize..60, 1..40)) {
        for (name, wire, bytes) in all() {
            let expected = decode(wire.as_ref(), vec![bytes.to_vec()]);
            let (mut rest, mut chunks) = (bytes, Vec::new());
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk.to_vec());
                rest = after;
            }
            prop_assert_eq!(decode(wire.as_ref(), chunks), expected, "{}", name);
        }
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0_usize..4000) {
        for (_, wire, answer) in all() {
            let at = at.min(answer.len());
            let mut mixed = answer[..at].to_vec();
            mixed.extend_from_slice(&bytes);
            mixed.extend_from_slice(&answer[at..]);
            // Frames with a made-up length wait for more than comes; that is an end like any other.
            let _ = (wire.framing() == Framing::Sse, decode(wire.as_ref(), vec![mixed]));
        }
    }
}
