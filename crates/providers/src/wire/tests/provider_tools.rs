//! Requests with tools that providers run.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{tool, user, wires};
use crate::wire::{
    EncodedRequest, UnsupportedContent, WireFormat,
    chat::{ChatWire, Dialect},
    google::GoogleWire,
    responses::ResponsesWire,
};
use lmthing_base::chat::{
    CallSettings, ModelRequest, ProviderTool, ProviderToolKind, SearchLocation, ToolChoice, ToolSpec, WebSearch,
};

fn search(options: WebSearch, has_else: bool) -> ToolSpec {
    let provider_tool = Some(ProviderTool { kind: ProviderToolKind::WebSearch(options), has_else });
    ToolSpec { provider_tool, ..tool("find") }
}

fn provider_tool(by_name: &Value, has_else: bool) -> ToolSpec {
    let by_name = by_name.as_object().cloned().unwrap_or_default();
    let provider_tool = Some(ProviderTool { kind: ProviderToolKind::ByProvider(by_name), has_else });
    ToolSpec { provider_tool, ..tool("own") }
}

/// Everything but the blocked domains, which no search takes together with the allowed ones.
fn all_options() -> WebSearch {
    let location = SearchLocation {
        city: Some("Oban".into()),
        region: Some("Argyll".into()),
        country: Some("GB".into()),
        timezone: Some("Europe/London".into()),
    };
    let allowed_domains = vec!["tides.example".into(), "sea.example".into()];
    WebSearch { allowed_domains, max_uses: Some(3), location: Some(location), ..WebSearch::default() }
}

fn blocked() -> WebSearch {
    WebSearch { blocked_domains: vec!["spam.example".into()], ..WebSearch::default() }
}

fn sent(
    wire: &dyn WireFormat,
    model: &str,
    tools: Vec<ToolSpec>,
    tool_choice: Option<ToolChoice>,
) -> Result<EncodedRequest, UnsupportedContent> {
    let settings =
        CallSettings { tool_choice, cache: Some(lmthing_base::chat::CacheOption::Off), ..CallSettings::default() };
    wire.encode(
        &ModelRequest { messages: vec![Rc::new(user("hi"))], tools, settings, ..ModelRequest::default() },
        model,
    )
}

fn body(wire: &dyn WireFormat, model: &str, tools: Vec<ToolSpec>) -> (Value, Vec<String>) {
    let EncodedRequest { body, warnings, .. } = sent(wire, model, tools, None).unwrap();
    (body, warnings.into_iter().filter_map(|warning| warning.setting).collect())
}

fn wire(name: &str) -> Box<dyn WireFormat> {
    match name {
        "xai" => Box::new(ResponsesWire::xai()),
        "azure" => Box::new(ResponsesWire::azure("v1")),
        "vertex" => Box::new(GoogleWire::vertex()),
        "openrouter" | "perplexity" => Box::new(ChatWire::new(Dialect::Compatible(name.into()), None).at(None)),
        name => super::wire(name),
    }
}

fn place() -> Value {
    json!({
        "type": "approximate", "city": "Oban", "region": "Argyll", "country": "GB", "timezone": "Europe/London"
    })
}

#[test]
fn each_provider_has_its_own_web_search() {
    let allowed = json!(["tides.example", "sea.example"]);
    let openai = json!({ "type": "web_search", "filters": { "allowed_domains": allowed }, "user_location": place() });
    let openai_blocked = json!({ "type": "web_search", "filters": { "blocked_domains": ["spam.example"] } });
    let anthropic = json!({
        "type": "web_search_20250305", "name": "web_search", "max_uses": 3, "allowed_domains": allowed,
        "user_location": place()
    });
    let anthropic_blocked =
        json!({ "type": "web_search_20250305", "name": "web_search", "blocked_domains": ["spam.example"] });
    let google = json!({ "googleSearch": {} });
    let vertex_blocked = json!({ "googleSearch": { "excludeDomains": ["spam.example"] } });
    let xai = json!({ "type": "web_search", "allowed_domains": allowed });
    let xai_blocked = json!({ "type": "web_search", "excluded_domains": ["spam.example"] });
    let groq = json!({ "type": "browser_search" });
    for (name, model, expected, expected_blocked, lacks) in [
        ("responses", "gpt-5.1", &openai, &openai_blocked, [""; 0].as_slice()),
        ("azure", "my-deployment", &openai, &openai_blocked, &[]),
        ("anthropic", "claude-sonnet-4-5", &anthropic, &anthropic_blocked, &[]),
        ("google", "gemini-2.5-flash", &google, &google, &["allowedDomains", "maxUses", "location"]),
        ("vertex", "gemini-2.5-flash", &google, &vertex_blocked, &["allowedDomains", "maxUses", "location"]),
        ("xai", "grok-4", &xai, &xai_blocked, &["maxUses", "location"]),
        ("groq", "openai/gpt-oss-20b", &groq, &groq, &["allowedDomains", "maxUses", "location"]),
    ] {
        let (found, warnings) = body(wire(name).as_ref(), model, vec![search(all_options(), false)]);
        assert_eq!(found["tools"], json!([expected]), "{name}");
        let lacks: Vec<String> = lacks.iter().map(|option| format!("defWebSearch.{option}")).collect();
        assert_eq!(warnings, lacks, "{name}");
        let uses = (name == "responses" || name == "azure").then_some(3);
        assert_eq!(found.get("max_tool_calls").and_then(Value::as_u64), uses, "{name}");
        let (found, _) = body(wire(name).as_ref(), model, vec![search(blocked(), false)]);
        assert_eq!(found["tools"], json!([expected_blocked]), "{name}");
    }
}

#[test]
fn some_searches_are_no_elements_of_the_list_of_tools() {
    let (found, warnings) = body(wire("openrouter").as_ref(), "m", vec![search(all_options(), false)]);
    assert_eq!(found["plugins"], json!([{ "id": "web", "include_domains": ["tides.example", "sea.example"] }]));
    assert_eq!((found.get("tools"), warnings.len()), (None, 2));
    let (found, _) = body(wire("openrouter").as_ref(), "m", vec![search(WebSearch::default(), false), tool("tide")]);
    assert_eq!((&found["plugins"], found["tools"].as_array().unwrap().len()), (&json!([{ "id": "web" }]), 1));

    let forced = Some(ToolChoice::Tool("find".into()));
    let sent = sent(wire("openrouter").as_ref(), "m", vec![search(WebSearch::default(), false), tool("tide")], forced);
    let EncodedRequest { body: found, warnings, .. } = sent.unwrap();
    assert_eq!((&found["tool_choice"], warnings[0].setting.as_deref()), (&json!("auto"), Some("toolChoice")));

    let (found, _) = body(wire("perplexity").as_ref(), "sonar", vec![search(blocked(), false)]);
    assert_eq!((found.get("tools"), &found["search_domain_filter"]), (None, &json!(["-spam.example"])));
    let (found, _) = body(wire("groq").as_ref(), "groq/compound", vec![search(blocked(), false)]);
    assert_eq!(found["search_settings"], json!({ "exclude_domains": ["spam.example"] }));
}

#[test]
fn without_a_tool_of_the_provider_else_is_an_ordinary_function() {
    for (name, model) in [
        ("chat", "gpt-4o"),
        ("compatible", "m"),
        ("groq", "llama-3.3-70b-versatile"),
        ("mistral", "mistral-large-latest"),
        ("cohere", "command-a-03-2025"),
        ("bedrock", "amazon.nova-pro-v1:0"),
        ("google", "gemma-3-27b-it"),
        ("responses", "gpt-3.5-turbo"),
        ("anthropic", "claude-3-haiku-20240307"),
    ] {
        let wire = wire(name);
        let ordinary = ToolSpec { provider_tool: None, ..search(WebSearch::default(), true) };
        let expected = body(wire.as_ref(), model, vec![ordinary]);
        assert_eq!(body(wire.as_ref(), model, vec![search(all_options(), true)]), expected, "{name}");
        let refused = sent(wire.as_ref(), model, vec![search(WebSearch::default(), false)], None).unwrap_err();
        let refused = refused.to_string();
        let named = [format!(":{model} "), "defWebSearch".to_owned(), "`else`".to_owned()];
        assert!(named.iter().all(|part| refused.contains(part)), "{name}: {refused}");
    }
}

#[test]
fn json_of_a_provider_is_sent_as_it_is_and_to_this_provider_only() {
    let own = json!({ "type": "special_20990101", "name": "own", "depth": { "a": [1, null] } });
    for (name, provider) in [
        ("responses", "openai"),
        ("azure", "azure"),
        ("azure", "openai"),
        ("anthropic", "anthropic"),
        ("google", "google"),
        ("vertex", "vertex"),
        ("vertex", "google"),
        ("groq", "groq"),
        ("mistral", "mistral"),
        ("cohere", "cohere"),
        ("compatible", "lab"),
        ("xai", "xai"),
        ("bedrock", "bedrock"),
    ] {
        let wire = wire(name);
        let model = if name == "google" { "gemini-3-pro" } else { "m" };
        let (found, _) = body(wire.as_ref(), model, vec![provider_tool(&json!({ provider: own, "no": {} }), false)]);
        let list = if name == "bedrock" { &found["toolConfig"]["tools"] } else { &found["tools"] };
        assert_eq!(*list, json!([own]), "{name}");
        let other = vec![provider_tool(&json!({ "no": own, provider: null }), false)];
        let refused = sent(wire.as_ref(), model, other, None).unwrap_err().to_string();
        assert!(refused.contains("defProviderTool('own')") && refused.contains("`else`"), "{refused}");
    }
}

#[test]
fn the_own_name_wins_over_that_of_the_format() {
    let tools = json!({ "openai": { "type": "a" }, "azure": { "type": "b" } });
    assert_eq!(body(wire("azure").as_ref(), "m", vec![provider_tool(&tools, false)]).0["tools"][0]["type"], "b");
    let tools = json!({ "google": { "a": {} }, "vertex": { "b": {} } });
    assert_eq!(body(wire("vertex").as_ref(), "m", vec![provider_tool(&tools, false)]).0["tools"], json!([{ "b": {} }]));
}

#[test]
fn gemini_takes_functions_with_search_from_version_3_on() {
    let google = wire("google");
    let mixed = |has_else| vec![search(WebSearch::default(), has_else), tool("tide")];
    let (found, _) = body(google.as_ref(), "gemini-3-pro-preview", mixed(false));
    assert_eq!(found["toolConfig"]["includeServerSideToolInvocations"], true);
    assert_eq!(found["tools"][0], json!({ "googleSearch": {} }));
    assert_eq!(found["tools"][1]["functionDeclarations"][0]["name"], "tide");
    let (found, _) = body(wire("vertex").as_ref(), "gemini-3-pro-preview", mixed(false));
    assert_eq!(found["toolConfig"].get("includeServerSideToolInvocations"), None);

    let (found, _) = body(google.as_ref(), "gemini-2.5-flash", mixed(true));
    let declared = found["tools"][0]["functionDeclarations"].as_array().unwrap();
    let names: Vec<_> = declared.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!((names, found["tools"].as_array().unwrap().len()), (vec!["tide", "find"], 1));
    let refused = sent(google.as_ref(), "gemini-2.5-flash", mixed(false), None).unwrap_err().to_string();
    assert!(refused.contains("google:gemini-2.5-flash") && refused.contains("together with functions"), "{refused}");
}

#[test]
fn a_tool_of_the_provider_can_be_forced_or_turned_off() {
    let force = |name: &str, model: &str| {
        let choice = Some(ToolChoice::Tool("find".into()));
        sent(wire(name).as_ref(), model, vec![search(WebSearch::default(), false)], choice).unwrap().body
    };
    assert_eq!(force("responses", "gpt-5")["tool_choice"], json!({ "type": "web_search" }));
    assert_eq!(force("anthropic", "claude-opus-5")["tool_choice"], json!({ "type": "tool", "name": "web_search" }));
    assert_eq!(force("groq", "openai/gpt-oss-20b")["tool_choice"], "required");
    for (name, model) in [
        ("responses", "gpt-5.1"),
        ("xai", "grok-4"),
        ("azure", "my-deployment"),
        ("anthropic", "claude-opus-5"),
        ("google", "gemini-2.5-flash"),
        ("vertex", "gemini-2.5-flash"),
        ("groq", "openai/gpt-oss-20b"),
    ] {
        let off = vec![search(WebSearch::default(), false)];
        let off = sent(wire(name).as_ref(), model, off, Some(ToolChoice::None)).unwrap().body;
        assert_eq!(off.get("tools"), None, "{name}");
    }
    for (name, own) in [
        ("chat", json!({ "openai": { "id": "web" } })),
        ("cohere", json!({ "cohere": { "type": "own" } })),
        ("bedrock", json!({ "bedrock": { "own": {} } })),
        ("ollama", json!({ "ollama": { "type": "own" } })),
        ("mistral", json!({ "mistral": { "extra": 1 } })),
    ] {
        let off = sent(wire(name).as_ref(), "m", vec![provider_tool(&own, false)], Some(ToolChoice::None));
        let off = off.unwrap().body;
        for field in ["tools", "plugins", "extra", "toolConfig"] {
            assert_eq!(off.get(field), None, "{name}");
        }
    }
}

#[test]
fn tools_of_anthropic_bring_their_beta_headers() {
    let tools = json!({ "anthropic": { "type": "web_fetch_20250910", "name": "web_fetch" } });
    let request = sent(wire("anthropic").as_ref(), "claude-opus-5", vec![provider_tool(&tools, false)], None).unwrap();
    let betas = &request.headers.iter().find(|(name, _)| *name == "anthropic-beta").unwrap().1;
    assert!(betas.split(',').any(|beta| beta == "web-fetch-2025-09-10"), "{betas}");
}

#[test]
fn cache_marks_leave_the_tools_of_anthropic_as_they_are() {
    let search = || search(WebSearch::default(), false);
    let own = json!({ "type": "web_search_20250305", "name": "web_search" });
    for tools in [vec![search()], vec![tool("tide"), search()]] {
        let request = ModelRequest {
            messages: vec![Rc::new(user("hi"))],
            tools,
            settings: CallSettings::default(),
            ..ModelRequest::default()
        };
        let body = wire("anthropic").encode(&request, "claude-opus-5").unwrap().body;
        let tools = body["tools"].as_array().unwrap();
        assert_eq!(tools[0], own);
        assert!(tools[1..].iter().all(|tool| tool.get("cache_control").is_some()), "{body}");
    }
}

#[test]
fn requests_without_such_tools_are_unchanged() {
    for (name, wire) in wires() {
        let (found, warnings) = body(wire.as_ref(), "m", vec![tool("tide")]);
        let text = found.to_string();
        assert!(text.contains("tide") && warnings.is_empty(), "{name}: {text}");
    }
}
