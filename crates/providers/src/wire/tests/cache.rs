//! Prompt cache marks, placed automatically and by the author.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{tool, user, wire};
use crate::wire::EncodedRequest;
use lmthing_base::chat::{
    CallSettings, ContentPart, Message, ModelRequest, ProviderOptions, Role, ToolOutput, ToolSpec,
};

const CLAUDE: &str = "claude-sonnet-4-5";
const CLAUDE_AT_BEDROCK: &str = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA: &str = "us.amazon.nova-pro-v1:0";

fn call(id: &str) -> Message {
    let (tool_call_id, input) = (id.to_owned(), json!({}).into());
    let part = ContentPart::ToolCall {
        tool_call_id,
        tool_name: "tide".into(),
        input,
        provider_executed: false,
        provider_options: None,
    };
    Message::parts(Role::Assistant, vec![part])
}

fn result(id: &str) -> Message {
    let part = ContentPart::ToolResult {
        tool_call_id: id.into(),
        tool_name: "tide".into(),
        output: ToolOutput::Text("low".into()),
        agents: Default::default(),
        provider_options: None,
    };
    Message::parts(Role::Tool, vec![part])
}

fn steps() -> [Vec<Message>; 3] {
    let first = vec![Message::system("Be brief."), user("Tide?")];
    let second = [first.clone(), vec![call("a"), result("a")]].concat();
    let third = [second.clone(), vec![call("b"), result("b")]].concat();
    [first, second, third]
}

fn send(name: &str, model: &str, messages: Vec<Message>, tools: Vec<ToolSpec>, cache: Option<bool>) -> EncodedRequest {
    let settings = CallSettings { cache, ..CallSettings::default() };
    let messages = messages.into_iter().map(Rc::new).collect();
    wire(name).encode(&ModelRequest { messages, tools, settings }, model).unwrap()
}

/// The locations of marks in a body, in the order in which the service reads it, with lifetimes after `@`.
fn marks(body: &Value) -> Vec<String> {
    let tools = body.pointer("/tools").or_else(|| body.pointer("/toolConfig/tools"));
    let lists = [("tools", tools), ("system", body.pointer("/system"))].map(|(name, list)| (name.to_owned(), list));
    let turns = body["messages"].as_array().unwrap().iter().enumerate();
    let turns = turns.map(|(number, message)| (format!("turn {number}"), message.get("content")));
    let mut found = Vec::new();
    for (name, list) in lists.into_iter().chain(turns) {
        for (index, block) in list.and_then(Value::as_array).into_iter().flatten().enumerate() {
            let Some(mark) = block.get("cache_control").or_else(|| block.get("cachePoint")) else { continue };
            let ttl = mark.get("ttl").and_then(Value::as_str).map(|ttl| format!(" @{ttl}")).unwrap_or_default();
            found.push(format!("{name}.{index}{ttl}"));
        }
    }
    found
}

#[test]
fn the_stable_prefix_is_marked() {
    let anthropic = [
        vec!["tools.1", "system.0", "turn 0.0"],
        vec!["tools.1", "system.0", "turn 0.0", "turn 2.0"],
        vec!["tools.1", "system.0", "turn 2.0", "turn 4.0"],
    ];
    let bedrock = [
        vec!["tools.2", "system.1", "turn 0.1"],
        vec!["tools.2", "system.1", "turn 0.1", "turn 2.1"],
        vec!["tools.2", "system.1", "turn 2.1", "turn 4.1"],
    ];
    let nova = vec!["system.1", "turn 0.1"];
    let cases = [
        ("anthropic", CLAUDE, anthropic.clone()),
        ("anthropic", "claude-of-tomorrow", anthropic),
        ("bedrock", CLAUDE_AT_BEDROCK, bedrock.clone()),
        ("bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0", bedrock),
        ("bedrock", NOVA, [nova.clone(), nova.clone(), nova]),
        ("bedrock", "anthropic.claude-3-haiku-20240307-v1:0", Default::default()),
        ("bedrock", "meta.llama3-70b-instruct-v1:0", Default::default()),
        ("anthropic", "claude-3-sonnet-20240229", Default::default()),
        ("chat", "gpt-4o", Default::default()),
    ];
    for (name, model, expected) in cases {
        for (messages, expected) in steps().into_iter().zip(expected) {
            let body = send(name, model, messages, vec![tool("tide"), tool("now")], None).body;
            assert_eq!(marks(&body), expected, "{name} {model}");
        }
    }
}

#[test]
fn marks_are_plain() {
    let [messages, ..] = steps();
    let body = send("anthropic", CLAUDE, messages.clone(), Vec::new(), None).body;
    assert_eq!(
        body["system"],
        json!([{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }])
    );
    let body = send("bedrock", CLAUDE_AT_BEDROCK, messages, Vec::new(), None).body;
    assert_eq!(body["system"], json!([{ "text": "Be brief." }, { "cachePoint": { "type": "default" } }]));
}

fn marked(name: &str, mark: Value) -> Option<ProviderOptions> {
    let key = if name == "anthropic" { "cacheControl" } else { "cachePoint" };
    json!({ name: { key: mark } }).as_object().cloned()
}

#[test]
fn the_authors_marks_stay_and_count() {
    for (name, model, shift) in [("anthropic", CLAUDE, 0), ("bedrock", CLAUDE_AT_BEDROCK, 1)] {
        let kind = if name == "anthropic" { "ephemeral" } else { "default" };
        let with = |options: &Option<ProviderOptions>, cache: Option<bool>| {
            let parts = vec![ContentPart::text("a"), ContentPart::text("b")];
            let mut question = Message::parts(Role::User, parts);
            question.provider_options = options.clone();
            let mut tide = tool("tide");
            tide.provider_options = options.clone();
            let messages = vec![Message::system("Be brief."), question, call("a"), result("a")];
            marks(&send(name, model, messages, vec![tide, tool("now")], cache).body)
        };
        let short = marked(name, json!({ "type": kind }));
        let at = |place: &str, index: usize| format!("{place}.{}", index + shift);
        assert_eq!(with(&short, Some(false)), [at("tools", 0), at("turn 0", 1)], "{name}");
        let (system, newest) = (at("system", 0), at("turn 2", 0));
        assert_eq!(with(&short, None), [at("tools", 0), system, at("turn 0", 1), newest.clone()], "{name}");
        // A short-lived mark must not precede one for an hour.
        let long = marked(name, json!({ "type": kind, "ttl": "1h" }));
        let [tools, question] = [at("tools", 0), at("turn 0", 1)].map(|mark| format!("{mark} @1h"));
        assert_eq!(with(&long, None), [tools, question, newest], "{name}");
    }
}

#[test]
fn more_than_four_marks_are_reduced_with_a_warning() {
    for (name, model, shift) in [("anthropic", CLAUDE, 0), ("bedrock", CLAUDE_AT_BEDROCK, 1)] {
        let kind = if name == "anthropic" { "ephemeral" } else { "default" };
        let part = |text: &str| ContentPart::Text {
            text: text.into(),
            provider_options: marked(name, json!({ "type": kind })),
        };
        let question = Message::parts(Role::User, ["a", "b", "c", "d", "e", "f"].map(part).into());
        let sent = send(name, model, vec![question], Vec::new(), None);
        let kept = if shift == 0 { [2, 3, 4, 5] } else { [3, 5, 7, 9] };
        assert_eq!(marks(&sent.body), kept.map(|index| format!("turn 0.{index}")), "{name}");
        assert_eq!(sent.warnings.len(), 1, "{name}");
    }
}

#[test]
fn unmarkable_blocks_get_no_marks() {
    let signed = json!({ "anthropic": { "signature": "s", "cacheControl": { "type": "ephemeral" } } });
    let thought = ContentPart::Reasoning { text: "Hm.".into(), provider_options: signed.as_object().cloned() };
    let messages = vec![user("a"), Message::parts(Role::Assistant, vec![thought]), user("  ")];
    assert_eq!(marks(&send("anthropic", CLAUDE, messages, Vec::new(), None).body), ["turn 0.0"]);
}
