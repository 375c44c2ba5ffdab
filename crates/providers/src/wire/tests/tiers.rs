//! Service tiers in requests and answers.

use serde_json::{Value, json};

use super::{encode, responses::decode, user, wire, with_options};
use crate::wire::{
    Decoded, EncodedRequest, WireFormat,
    chat::{ChatWire, Dialect},
    google::GoogleWire,
    responses::ResponsesWire,
};
use lmthing_base::chat::{CallSettings, StreamPart, Tier};

fn asked(wire: &dyn WireFormat, tier: Tier) -> EncodedRequest {
    let mut encoded = encode(wire, "m", vec![user("hi")], CallSettings::default());
    encoded.put_tier(tier, wire.tiers());
    encoded
}

fn header<'a>(encoded: &'a EncodedRequest, name: &str) -> &'a str {
    encoded.headers.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

#[test]
fn a_tier_has_the_field_and_the_word_of_each_api() {
    use Tier::{Fast, Flex, Priority, Standard};
    for (name, pointer, words) in [
        ("responses", "/service_tier", [Some("flex"), Some("default"), Some("priority"), None]),
        ("chat", "/service_tier", [Some("flex"), Some("default"), Some("priority"), None]),
        ("groq", "/service_tier", [Some("flex"), Some("on_demand"), Some("performance"), None]),
        ("anthropic", "/service_tier", [None, Some("standard_only"), Some("auto"), None]),
        ("google", "/serviceTier", [Some("flex"), Some("standard"), Some("priority"), None]),
        ("bedrock", "/serviceTier/type", [Some("flex"), Some("default"), Some("priority"), None]),
        ("mistral", "/service_tier", [None; 4]),
        ("cohere", "/service_tier", [None; 4]),
        ("compatible", "/service_tier", [None; 4]),
    ] {
        for (tier, word) in [Flex, Standard, Priority, Fast].into_iter().zip(words) {
            let encoded = asked(wire(name).as_ref(), tier);
            let found = encoded.body.pointer(pointer).and_then(Value::as_str);
            assert_eq!(found, word, "{name} {tier:?}");
            let warned = encoded.warnings.iter().any(|warning| warning.setting.as_deref() == Some("tier"));
            let is_speed = (name, tier) == ("anthropic", Fast);
            assert_eq!(warned, word.is_none() && !is_speed, "{name} {tier:?} {:?}", encoded.warnings);
        }
    }
}

#[test]
fn fast_mode_has_a_beta_header_and_vertex_a_header_of_its_own() {
    let fast = asked(wire("anthropic").as_ref(), Tier::Fast);
    assert_eq!(fast.body["speed"], "fast");
    let betas: Vec<&str> = header(&fast, "anthropic-beta").split(',').collect();
    assert_eq!(betas, ["fine-grained-tool-streaming-2025-05-14", "fast-mode-2026-02-01"]);
    let name = "x-vertex-ai-llm-shared-request-type";
    let vertex = |tier| asked(&GoogleWire::vertex(), tier);
    assert_eq!((header(&vertex(Tier::Flex), name), header(&vertex(Tier::Standard), name)), ("flex", ""));
    assert_eq!((vertex(Tier::Standard).warnings.len(), vertex(Tier::Fast).warnings.len()), (0, 1));
    assert_eq!(vertex(Tier::Flex).body.get("serviceTier"), None);
}

#[test]
fn routers_have_tiers_and_provider_options_win() {
    let at = |name: &str, url| ChatWire::new(Dialect::Compatible(name.into()), None).at(Some(url));
    let router = at("openrouter", "http://127.0.0.1:1/v1");
    assert_eq!(asked(&router, Tier::Flex).body["service_tier"], "flex");
    let xai = at("grok", "https://api.x.ai/v1");
    assert_eq!((asked(&xai, Tier::Priority).warnings.len(), asked(&xai, Tier::Flex).warnings.len()), (0, 1));
    let responses = ResponsesWire::xai();
    assert_eq!(asked(&responses, Tier::Priority).body["service_tier"], "priority");
    assert_eq!(
        (asked(&responses, Tier::Flex).body.get("service_tier"), asked(&responses, Tier::Flex).warnings.len()),
        (None, 1)
    );
    let options = json!({ "openai": { "serviceTier": "auto" } });
    let mut own = with_options("responses", "m", options, CallSettings::default());
    own.put_tier(Tier::Flex, wire("responses").tiers());
    assert_eq!(own.body["service_tier"], "auto");
}

#[test]
fn the_tier_of_an_answer_is_read() {
    let choice =
        json!({ "choices": [{ "delta": { "content": "hi" }, "finish_reason": "stop" }], "service_tier": "flex" });
    let cases = [
        (
            "responses",
            vec![
                json!({ "type": "response.created", "response": { "id": "r", "service_tier": "auto" } }),
                json!({ "type": "response.completed", "response": { "service_tier": "flex" } }),
            ],
        ),
        ("chat", vec![choice.clone()]),
        ("groq", vec![choice]),
        (
            "anthropic",
            vec![
                json!({ "type": "message_start", "message": { "usage": { "service_tier": "flex" } } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
            ],
        ),
        (
            "google",
            vec![json!({
                "candidates": [{ "content": { "parts": [{ "text": "hi" }] }, "finishReason": "STOP" }],
                "usageMetadata": { "promptTokenCount": 1, "serviceTier": "flex" },
            })],
        ),
        (
            "google",
            vec![
                json!({ "candidates": [{ "finishReason": "STOP" }], "usageMetadata": { "trafficType": "ON_DEMAND_FLEX" } }),
            ],
        ),
    ];
    for (name, events) in cases {
        assert_eq!(tier_of(name, &events).as_deref(), Some("flex"), "{name}");
    }
    let speed =
        json!({ "type": "message_start", "message": { "usage": { "service_tier": "standard", "speed": "fast" } } });
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
    assert_eq!(tier_of("anthropic", &[speed, end]).as_deref(), Some("fast"));
}

fn tier_of(name: &str, events: &[Value]) -> Option<String> {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let decoded = decode(wire(name).as_ref(), vec![text.into_bytes()]);
    let mut tiers = decoded.into_iter().filter_map(|decoded| match decoded {
        Decoded::Part(StreamPart::ResponseMetadata(metadata)) => metadata.service_tier,
        _ => None,
    });
    tiers.next_back()
}
