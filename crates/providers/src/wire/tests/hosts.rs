//! What known hosts demand of chat completions.

use serde_json::{Value, json};

use super::{encode, user};
use crate::wire::{
    EncodedRequest, WireFormat,
    chat::{ChatWire, Dialect},
};
use lmthing_base::chat::{CallSettings, ContentPart, Message, Reasoning, ResponseFormat, Role};

fn wire(name: &str, base_url: Option<&str>) -> Box<dyn WireFormat> {
    Box::new(ChatWire::new(Dialect::Compatible(name.into()), None).at(base_url))
}

fn reasoning(name: &str, model: &str, reasoning: Reasoning) -> EncodedRequest {
    let settings = CallSettings { reasoning: Some(reasoning), ..CallSettings::default() };
    encode(wire(name, None).as_ref(), model, vec![user("hi")], settings)
}

#[test]
fn hosts_have_switches_for_thinking() {
    for (name, level, thinking, effort, warned) in [
        ("deepseek", Reasoning::Off, "disabled", Value::Null, 0),
        ("deepseek", Reasoning::High, "enabled", json!("high"), 0),
        ("deepseek", Reasoning::Medium, "enabled", json!("high"), 1),
        ("moonshot", Reasoning::Off, "disabled", Value::Null, 0),
        ("zai", Reasoning::High, "enabled", Value::Null, 0),
    ] {
        let encoded = reasoning(name, "m", level);
        assert_eq!(encoded.body["thinking"], json!({ "type": thinking }), "{name} {level:?}");
        assert_eq!(encoded.body["reasoning_effort"], effort, "{name} {level:?}");
        assert_eq!(encoded.warnings.len(), warned, "{name} {level:?} {:?}", encoded.warnings);
    }
    let lab = wire("lab", Some("https://api.deepseek.com/v1"));
    let settings = CallSettings { reasoning: Some(Reasoning::Off), ..CallSettings::default() };
    let encoded = encode(lab.as_ref(), "m", vec![user("hi")], settings);
    assert_eq!(encoded.body["thinking"], json!({ "type": "disabled" }), "a host is known by its address, too");
}

fn thoughts(name: &str, model: &str) -> Vec<Value> {
    let thought = |text: &str| ContentPart::Reasoning { text: text.into(), provider_options: None };
    let conversation = vec![
        user("first"),
        Message::parts(Role::Assistant, vec![thought("old"), ContentPart::text("a")]),
        user("second"),
        Message::parts(Role::Assistant, vec![thought("new"), ContentPart::text("b")]),
        Message::parts(Role::Assistant, vec![ContentPart::text("c")]),
    ];
    let encoded = encode(wire(name, None).as_ref(), model, conversation, CallSettings::default());
    let messages = encoded.body["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == "assistant").cloned().collect()
}

#[test]
fn thoughts_go_back_as_each_host_wants_them() {
    let of = |messages: &[Value], key: &str| messages.iter().map(|message| message[key].clone()).collect::<Vec<_>>();
    let usual = json!(["old", "new", null]);
    for name in ["moonshot", "zai", "together", "lab"] {
        assert_eq!(json!(of(&thoughts(name, "m"), "reasoning_content")), usual, "{name}");
    }
    let cerebras = thoughts("cerebras", "m");
    assert_eq!(json!(of(&cerebras, "reasoning")), usual);
    assert_eq!(json!(of(&cerebras, "reasoning_content")), json!([null, null, null]));
    assert_eq!(json!(of(&thoughts("deepseek", "deepseek-reasoner"), "reasoning_content")), json!([null, "new", null]));
    assert_eq!(json!(of(&thoughts("deepseek", "deepseek-v4-pro"), "reasoning_content")), json!(["old", "new", ""]));
}

#[test]
fn hosts_without_schemas_are_asked_for_json() {
    let schema = json!({ "type": "object", "properties": { "sky": { "type": "string" } } });
    let format = || {
        let response_format = Some(ResponseFormat { name: "weather".into(), schema: schema.clone() });
        CallSettings { response_format, ..CallSettings::default() }
    };
    for (name, kind) in [("deepseek", "json_object"), ("zai", "json_object"), ("together", "json_schema")] {
        let encoded = encode(wire(name, None).as_ref(), "m", vec![user("hi")], format());
        assert_eq!(encoded.body["response_format"]["type"], kind, "{name}");
    }
}
