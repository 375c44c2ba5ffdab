//! Prompt cache marks, placed automatically and by the author.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::{encode, tool, user, wire};
use crate::wire::{
    EncodedRequest, WireFormat,
    anthropic::AnthropicWire,
    chat::{ChatWire, Dialect},
    google::GoogleWire,
    responses::ResponsesWire,
};
use lmthing_base::chat::{
    CacheOption, CacheTtl, CallSettings, ContentPart, Message, ModelRequest, ProviderOptions, Role, ToolOutput,
    ToolSpec,
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

fn send(
    name: &str,
    model: &str,
    messages: Vec<Message>,
    tools: Vec<ToolSpec>,
    cache: Option<CacheOption>,
) -> EncodedRequest {
    let settings = CallSettings { cache, ..CallSettings::default() };
    let messages = messages.into_iter().map(Rc::new).collect();
    wire(name).encode(&ModelRequest { messages, tools, settings, ..ModelRequest::default() }, model).unwrap()
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
        let with = |options: &Option<ProviderOptions>, cache: Option<CacheOption>| {
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
        assert_eq!(with(&short, Some(CacheOption::Off)), [at("tools", 0), at("turn 0", 1)], "{name}");
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

fn lasting(ttl: CacheTtl) -> Option<CacheOption> {
    Some(CacheOption::On { ttl: Some(ttl), key: None })
}

#[test]
fn marks_have_the_lifetime_that_is_asked_for() {
    let [messages, ..] = steps();
    for (name, model, ttl, expected) in [
        ("anthropic", CLAUDE, CacheTtl::FiveMinutes, "5m"),
        ("anthropic", CLAUDE, CacheTtl::OneHour, "1h"),
        ("anthropic", CLAUDE, CacheTtl::Long, "1h"),
        ("bedrock", CLAUDE_AT_BEDROCK, CacheTtl::OneHour, "1h"),
        ("bedrock", CLAUDE_AT_BEDROCK, CacheTtl::Long, "1h"),
    ] {
        let sent = send(name, model, messages.clone(), vec![tool("tide")], lasting(ttl));
        let marks = marks(&sent.body);
        assert!(marks.len() == 3 && marks.iter().all(|mark| mark.ends_with(&format!(" @{expected}"))), "{marks:?}");
        assert!(sent.warnings.is_empty(), "{name} {ttl:?}");
    }
    // One lifetime only, or no cache.
    for (name, model, count) in [("bedrock", NOVA, 2), ("bedrock", "meta.llama3", 0), ("anthropic", "claude-2.1", 0)] {
        let sent = send(name, model, messages.clone(), Vec::new(), lasting(CacheTtl::OneHour));
        assert_eq!((marks(&sent.body).len(), sent.warnings.len()), (count, 1), "{name} {model}");
        assert!(marks(&sent.body).iter().all(|mark| !mark.contains('@')), "{name} {model}");
    }
}

#[test]
fn a_longer_lifetime_never_follows_a_shorter_one() {
    for (name, model, shift) in [("anthropic", CLAUDE, 0), ("bedrock", CLAUDE_AT_BEDROCK, 1)] {
        let kind = if name == "anthropic" { "ephemeral" } else { "default" };
        let at = |mark: Value| {
            let mut question = user("a");
            question.provider_options = marked(name, mark);
            let messages = vec![Message::system("Be brief."), question, call("a"), result("a")];
            marks(&send(name, model, messages, vec![tool("now")], lasting(CacheTtl::Long)).body)
        };
        let place = |place: &str, lifetime: &str| format!("{place}.{shift}{lifetime}");
        let before = [place("tools", " @1h"), place("system", " @1h")];
        let short = at(json!({ "type": kind }));
        assert_eq!(short, [&before[..], &[place("turn 0", ""), place("turn 2", "")]].concat(), "{name}");
        let long = at(json!({ "type": kind, "ttl": "1h" }));
        assert_eq!(long, [&before[..], &[place("turn 0", " @1h"), place("turn 2", " @1h")]].concat(), "{name}");
    }
}

#[test]
fn a_mark_of_the_whole_request_counts_as_one_at_its_end() {
    let with = |mark: Value, ttl| {
        let options = json!({ "anthropic": { "cacheControl": mark } });
        let settings = CallSettings {
            cache: ttl,
            provider_options: options.as_object().cloned().unwrap(),
            ..CallSettings::default()
        };
        let messages = steps()[1].iter().cloned().map(Rc::new).collect();
        let request = ModelRequest { messages, tools: vec![tool("tide")], settings, ..ModelRequest::default() };
        let body = wire("anthropic").encode(&request, CLAUDE).unwrap().body;
        assert_eq!(body["cache_control"], mark);
        marks(&body)
    };
    assert_eq!(with(json!({ "type": "ephemeral" }), None), ["tools.0", "system.0", "turn 0.0"]);
    assert_eq!(with(json!({ "type": "ephemeral", "ttl": "1h" }), None), [""; 0]);
    let long = with(json!({ "type": "ephemeral", "ttl": "1h" }), lasting(CacheTtl::Long));
    assert_eq!(long, ["tools.0 @1h", "system.0 @1h", "turn 0.0 @1h"]);
}

/// The request after the settings of the cache are added, with a long conversation and a key of the run.
fn with_settings(wire: &dyn WireFormat, model: &str, options: Value, cache: Option<CacheOption>) -> EncodedRequest {
    let messages = vec![Message::system("Be brief. ".repeat(500)), user("Tide?")];
    let provider_options = options.as_object().cloned().unwrap();
    let settings = CallSettings { cache: cache.clone(), provider_options, ..CallSettings::default() };
    let mut encoded = encode(wire, model, messages, settings);
    encoded.put_cache(cache.as_ref(), Some("key-of-run"), wire.cache_form(model), model);
    encoded
}

/// The fields about the cache, and the settings that are warned of.
fn cache_fields(encoded: &EncodedRequest) -> (Value, Vec<&str>) {
    let fields = ["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "cache_control"];
    let fields: Map<String, Value> =
        fields.iter().filter_map(|name| Some(((*name).to_owned(), encoded.body.get(*name)?.clone()))).collect();
    let warned = encoded.warnings.iter().filter_map(|warning| warning.setting.as_deref()).collect();
    (fields.into(), warned)
}

/// A wire, a model, the setting, the fields that it becomes, and the settings that a warning names.
type Case<'a> = (&'a dyn WireFormat, &'a str, Option<CacheOption>, Value, &'a [&'a str]);

#[test]
fn each_api_gets_the_settings_it_has() {
    let on = |ttl: &str, key: &str| {
        let key = (!key.is_empty()).then(|| key.to_owned());
        Some(CacheOption::On { ttl: CacheTtl::from_name(ttl), key })
    };
    let compatible = |name: &str| ChatWire::new(Dialect::Compatible(name.into()), None).at(None);
    let (responses, chat) = (ResponsesWire::openai(), ChatWire::new(Dialect::OpenAi, None));
    let (mistral, google) = (ChatWire::new(Dialect::Mistral, None), GoogleWire::generative_language());
    let cases: Vec<Case<'_>> = vec![
        (&responses, "gpt-4o", None, json!({ "prompt_cache_key": "key-of-run" }), &[]),
        (&responses, "gpt-4o", Some(CacheOption::Off), json!({}), &[]),
        (&responses, "gpt-4o", on("", "mine"), json!({ "prompt_cache_key": "mine" }), &[]),
        (&responses, "gpt-4o", on("5m", "k"), json!({ "prompt_cache_key": "k" }), &[]),
        (&responses, "gpt-4o", on("1h", "k"), json!({ "prompt_cache_key": "k" }), &["cache.ttl"]),
        (
            &responses,
            "gpt-5.5",
            on("long", "k"),
            json!({ "prompt_cache_key": "k", "prompt_cache_retention": "24h" }),
            &[],
        ),
        (
            &chat,
            "gpt-5.6",
            on("long", "k"),
            json!({ "prompt_cache_key": "k", "prompt_cache_options": { "ttl": "30m" } }),
            &[],
        ),
        (&mistral, "mistral-large", on("long", "k"), json!({ "prompt_cache_key": "k" }), &["cache.ttl"]),
        (&mistral, "mistral-large", None, json!({}), &[]),
        (&google, "gemini-3-pro", on("1h", ""), json!({}), &["cache.ttl"]),
        (&google, "gemini-3-pro", on("5m", ""), json!({}), &[]),
        (&AnthropicWire, CLAUDE, on("1h", "k"), json!({}), &["cache.key"]),
    ];
    for (wire, model, cache, expected, warned) in cases {
        let encoded = with_settings(wire, model, json!({}), cache.clone());
        assert_eq!(cache_fields(&encoded), (expected, warned.to_vec()), "{model} {cache:?}");
    }
    let lab = with_settings(&compatible("lab"), "m", json!({}), on("long", "k"));
    assert_eq!(cache_fields(&lab), (json!({}), vec!["cache.key", "cache.ttl"]));
    let xai = with_settings(&compatible("xai"), "grok-4", json!({}), on("", "k"));
    assert_eq!(xai.headers, [("x-grok-conv-id", "k".to_owned())]);
    let claude = with_settings(&compatible("openrouter"), "anthropic/claude-opus-5", json!({}), on("long", ""));
    let mark = json!({ "type": "ephemeral", "ttl": "1h" });
    assert_eq!(cache_fields(&claude), (json!({ "cache_control": mark }), vec![]));
}

#[test]
fn provider_options_win_over_the_setting() {
    let (wire, long) = (ResponsesWire::openai(), || Some(CacheOption::On { ttl: Some(CacheTtl::Long), key: None }));
    let own = json!({ "openai": { "promptCacheKey": "own", "promptCacheRetention": "in_memory" } });
    let fields = json!({ "prompt_cache_key": "own", "prompt_cache_retention": "in_memory" });
    assert_eq!(cache_fields(&with_settings(&wire, "gpt-5.6", own, long())).0, fields);
    let own = json!({ "openai": { "promptCacheOptions": { "mode": "explicit" } } });
    let fields =
        json!({ "prompt_cache_key": "key-of-run", "prompt_cache_options": { "mode": "explicit", "ttl": "30m" } });
    assert_eq!(cache_fields(&with_settings(&wire, "gpt-5.6", own, long())).0, fields);
}

#[test]
fn openai_marks_the_end_of_the_instructions_or_what_the_author_marks() {
    let mark = json!({ "mode": "explicit" });
    let wires: [(&dyn WireFormat, &str); 2] =
        [(&ResponsesWire::openai(), "input"), (&ChatWire::new(Dialect::OpenAi, None), "messages")];
    for (wire, conversation) in wires {
        let body = with_settings(wire, "gpt-6", json!({}), lasting(CacheTtl::Long)).body;
        assert_eq!(body[conversation][0]["content"][0]["prompt_cache_breakpoint"], mark);
        for (model, cache) in [("gpt-6", None), ("gpt-5.5", lasting(CacheTtl::Long))] {
            assert!(with_settings(wire, model, json!({}), cache).body[conversation][0]["content"].is_string());
        }
        let mut question = user("Tide?");
        question.provider_options = json!({ "openai": { "promptCacheBreakpoint": mark } }).as_object().cloned();
        let messages = vec![Message::system("Be brief."), question];
        let mut own = encode(wire, "gpt-6", messages, CallSettings::default());
        own.put_cache(lasting(CacheTtl::Long).as_ref(), None, wire.cache_form("gpt-6"), "gpt-6");
        assert_eq!(own.body[conversation][0]["content"], "Be brief.");
        assert_eq!(own.body[conversation][1]["content"][0]["prompt_cache_breakpoint"], mark);
    }
}
