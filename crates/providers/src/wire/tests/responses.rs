//! Decoders of stored responses (`fixtures`).

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::json;

use super::bad_ends;
use crate::{
    ProviderErrorKind,
    framing::Events,
    wire::{
        Decoded, Output, WireEvent, WireFormat,
        anthropic::AnthropicWire,
        bedrock::BedrockWire,
        chat::{ChatWire, Dialect},
        cohere::CohereWire,
        google::GoogleWire,
        ollama::OllamaWire,
        responses::ResponsesWire,
    },
};
use lmthing_base::chat::{Ending, FinishReason, ProviderOptions, ResponseMetadata, StreamPart, Usage};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../fixtures/", $name)).as_slice()
    };
}

pub(super) use fixture;

fn compatible() -> Box<dyn WireFormat> {
    Box::new(ChatWire::new(Dialect::Compatible("lab".into()), None))
}

/// A name, a wire format and an answer in it.
pub(super) type Stored = (&'static str, Box<dyn WireFormat>, &'static [u8]);

pub(super) fn all() -> Vec<Stored> {
    let mut all: Vec<Stored> = vec![
        ("responses", Box::new(ResponsesWire::openai()), fixture!("responses.sse")),
        ("chat", Box::new(ChatWire::new(Dialect::OpenAi, None)), fixture!("chat.sse")),
        ("compatible", compatible(), fixture!("compatible.sse")),
        ("groq", Box::new(ChatWire::new(Dialect::Groq, None)), fixture!("groq.sse")),
        ("mistral", Box::new(ChatWire::new(Dialect::Mistral, None)), fixture!("mistral.sse")),
        ("anthropic", Box::new(AnthropicWire), fixture!("anthropic.sse")),
        ("google", Box::new(GoogleWire::generative_language()), fixture!("google.sse")),
        ("cohere", Box::new(CohereWire), fixture!("cohere.sse")),
        ("bedrock", Box::new(BedrockWire), fixture!("bedrock.eventstream")),
        ("ollama", Box::new(OllamaWire), fixture!("ollama.ndjson")),
        ("responses tools", Box::new(ResponsesWire::openai()), fixture!("responses_tools.sse")),
        ("anthropic tools", Box::new(AnthropicWire), fixture!("anthropic_tools.sse")),
        ("google tools", Box::new(GoogleWire::generative_language()), fixture!("google_tools.sse")),
        ("groq search", Box::new(ChatWire::new(Dialect::Groq, None)), fixture!("groq_search.sse")),
        ("openrouter", compatible(), fixture!("chat_sources.sse")),
        ("cohere citations", Box::new(CohereWire), fixture!("cohere_citations.sse")),
    ];
    all.extend(bad_ends::stored());
    all
}

pub(super) fn decode(wire: &dyn WireFormat, chunks: Vec<Vec<u8>>) -> Vec<Decoded> {
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
        Decoded::Part(StreamPart::ToolCall {
            tool_call_id,
            tool_name,
            input,
            provider_executed,
            provider_metadata,
        }) => {
            let tool_call_id = fix(tool_call_id);
            Decoded::Part(StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_metadata })
        }
        Decoded::Part(StreamPart::ToolResult { tool_call_id, tool_name, result, is_error, provider_metadata }) => {
            let tool_call_id = fix(tool_call_id);
            Decoded::Part(StreamPart::ToolResult { tool_call_id, tool_name, result, is_error, provider_metadata })
        }
        piece => piece,
    }
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Summary {
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<(String, String, String)>,
    pub streamed: String,
    pub metadata: Vec<ProviderOptions>,
    pub finish: Option<(FinishReason, Usage)>,
    pub failure: Option<(ProviderErrorKind, String)>,
    pub ending: Option<Ending>,
}

pub(super) fn summary(decoded: &[Decoded]) -> Summary {
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
                StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata, .. } => {
                    sum.calls.push((tool_call_id.clone(), tool_name.clone(), input.clone()));
                    sum.metadata.extend(provider_metadata.clone());
                }
                StreamPart::ResponseMetadata(ResponseMetadata { ending: Some(ending), .. }) => {
                    sum.ending = Some(ending.clone());
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
    let has_cache_count = cached.is_some();
    Usage {
        cached_input_tokens: cached,
        has_cache_count,
        reasoning_tokens: reasoning,
        ..Usage::new(Some(40), Some(30))
    }
}

fn written(usage: Usage) -> Usage {
    Usage { cache_write_tokens: Some(2), ..usage }
}

const TEXT: &str = "Låg vatten… \"soon\"\\now";
const THOUGHT: &str = "High water first. 🌊";
const BERGEN: &str = r#"{"port": "Bergen"}"#;
const OBAN: &str = r#"{"port": "Oban"}"#;

#[test]
fn every_wire_reads_text_reasoning_calls_and_usage() {
    type Calls = [(&'static str, &'static str, &'static str); 2];
    let expected: [(&str, &str, Calls, Usage); 10] = [
        (
            "responses",
            "High water first. 🌊Then low.",
            [("call_a", "tide", BERGEN), ("call_b", "tide", OBAN)],
            usage(Some(8), Some(12)),
        ),
        ("chat", "", [("call_a", "tide", BERGEN), ("call_b", "tide", OBAN)], usage(Some(8), Some(12))),
        ("compatible", THOUGHT, [("call_a", "tide", BERGEN), ("call_b", "tide", "{}")], usage(Some(8), Some(12))),
        ("groq", THOUGHT, [("call_a", "tide", BERGEN), ("call_b", "tide", OBAN)], usage(None, Some(12))),
        ("mistral", THOUGHT, [("callaaaaa", "tide", BERGEN), ("callbbbbb", "tide", OBAN)], usage(None, None)),
        ("anthropic", THOUGHT, [("toolu_a", "tide", BERGEN), ("toolu_b", "now", "{}")], written(usage(Some(8), None))),
        (
            "google",
            THOUGHT,
            [("call_n", "tide", r#"{"port":"Bergen"}"#), ("call_n", "now", "{}")],
            usage(Some(8), Some(12)),
        ),
        ("cohere", THOUGHT, [("call_a", "tide", BERGEN), ("call_b", "now", "{}")], usage(None, None)),
        ("bedrock", THOUGHT, [("tu_a", "tide", BERGEN), ("tu_b", "now", "{}")], written(usage(Some(8), None))),
        ("ollama", THOUGHT, [("call_n", "tide", BERGEN), ("call_b", "now", "{}")], usage(None, None)),
    ];
    for (name, reasoning, calls, usage) in expected {
        let sum = whole(name);
        assert_eq!(sum.failure, None, "{name}");
        assert_eq!(sum.text, TEXT, "{name}");
        assert_eq!(sum.reasoning, reasoning, "{name}");
        let found: Vec<_> =
            sum.calls.iter().map(|(id, name, input)| (id.as_str(), name.as_str(), input.as_str())).collect();
        assert_eq!(found, calls, "{name}");
        assert_eq!(sum.finish, Some((FinishReason::ToolCalls, usage)), "{name}");
    }
}

#[test]
fn data_to_send_back_is_stored_as_metadata() {
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
fn lone_surrogates_lose_neither_text_nor_call() {
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

const CHAT: &str = r#"{"choices":[{"delta":{},"finish_reason":REASON}]}"#;
const ANTHROPIC: &str = r#"{"type":"message_delta","delta":{"stop_reason":REASON}}"#;
const GOOGLE: &str = r#"{"candidates":[{"finishReason":REASON}]}"#;
const COHERE: &str = r#"{"type":"message-end","delta":{"finish_reason":REASON}}"#;
const RESPONSES: &str = r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":REASON}}}"#;

type Reasons = &'static [(&'static str, FinishReason)];

fn reasons_by_wire() -> [(Box<dyn WireFormat>, &'static str, Reasons); 6] {
    use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
    [
        (
            Box::new(ChatWire::new(Dialect::OpenAi, None)),
            CHAT,
            &[
                ("stop", Stop),
                ("length", Length),
                ("content_filter", ContentFilter),
                ("function_call", ToolCalls),
                ("eos", Other),
            ],
        ),
        (
            Box::new(ChatWire::new(Dialect::Mistral, None)),
            CHAT,
            &[("model_length", Length), ("content_filter", ContentFilter)],
        ),
        (
            Box::new(AnthropicWire),
            ANTHROPIC,
            &[
                ("pause_turn", Stop),
                ("stop_sequence", Stop),
                ("max_tokens", Length),
                ("model_context_window_exceeded", Length),
                ("refusal", ContentFilter),
                ("other", Other),
            ],
        ),
        (
            Box::new(GoogleWire::vertex()),
            GOOGLE,
            &[
                ("STOP", Stop),
                ("MAX_TOKENS", Length),
                ("SPII", ContentFilter),
                ("IMAGE_SAFETY", ContentFilter),
                ("LANGUAGE", ContentFilter),
                ("OTHER", Other),
            ],
        ),
        (
            Box::new(CohereWire),
            COHERE,
            &[("COMPLETE", Stop), ("STOP_SEQUENCE", Stop), ("MAX_TOKENS", Length), ("X", Other)],
        ),
        (
            Box::new(ResponsesWire::openai()),
            RESPONSES,
            &[("max_output_tokens", Length), ("content_filter", ContentFilter), ("else", Other)],
        ),
    ]
}

fn reason_of(wire: &dyn WireFormat, event: &str) -> Option<FinishReason> {
    let answer = format!("data: {event}\n\n").into_bytes();
    summary(&decode(wire, vec![answer])).finish.map(|finish| finish.0)
}

#[test]
fn finish_reasons_are_unified() {
    for (wire, event, reasons) in reasons_by_wire() {
        for (reason, unified) in reasons {
            let event = event.replace("REASON", &json!(reason).to_string());
            assert_eq!(reason_of(wire.as_ref(), &event), Some(*unified), "{event}");
        }
    }
    assert_eq!(reason_of(&ResponsesWire::openai(), &RESPONSES.replace("REASON", "null")), Some(FinishReason::Stop));
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    assert_eq!(reason_of(&GoogleWire::vertex(), blocked), Some(FinishReason::ContentFilter));
}

#[test]
fn failures_inside_a_stream_have_the_providers_message() {
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
