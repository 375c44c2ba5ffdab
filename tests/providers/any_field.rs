//! Any field of a request, known options and service tiers, through the binary.

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    canned::{Canned, ReceivedRequest, Server},
};

const KEY: &str = "planted-Header-Key-5f8e7d6c5b4a3f2e";

struct Run {
    folder: Folder,
    server: Server,
}

impl Run {
    async fn new(config: &str, answers: Vec<Canned>) -> Self {
        let source = format!("export const config = {config};\nexport default ({{ $ }}) => {{ $`Go.`; }};");
        Run { folder: Folder::of(&source), server: Server::start(answers).await }
    }

    async fn of(&self, arguments: &str) -> (Vec<ReceivedRequest>, Outcome) {
        let mut command = self.folder.bare_command(&format!("run {arguments} p.lmt.mjs"));
        for provider in ["ANTHROPIC", "OPENAI", "XAI", "DEEPSEEK"] {
            command.env(format!("{provider}_API_KEY"), "key");
            command.env(format!("{provider}_BASE_URL"), self.server.url("/v1"));
        }
        command.env("LAB_API_KEY", "key").env("LAB_API_BASE", self.server.url("/v1")).env("LAB_API_TYPE", "openai");
        // The server shares this thread with the test.
        let outcome = tokio::task::spawn_blocking(move || Outcome::of(&mut command)).await.unwrap();
        (self.server.requests(), outcome)
    }
}

async fn run(config: &str, arguments: &str, answers: Vec<Canned>) -> (Vec<ReceivedRequest>, Outcome) {
    Run::new(config, answers).await.of(arguments).await
}

fn lab() -> Canned {
    Canned::events(&[json!({ "choices": [{ "index": 0, "delta": { "content": "Yes." }, "finish_reason": "stop" }] })])
}

/// An answer of the Responses API, at this service tier.
fn responses(tier: Option<&str>) -> Canned {
    let item = json!({ "id": "m", "type": "message", "content": [{ "type": "output_text", "text": "Yes." }] });
    let usage = json!({ "input_tokens": 1000, "output_tokens": 1000 });
    let mut response = json!({ "id": "r", "status": "completed", "output": [item], "usage": usage });
    if let Some(tier) = tier {
        response["service_tier"] = tier.into();
    }
    Canned::events(&[json!({ "type": "response.completed", "response": response })])
}

#[tokio::test]
async fn body_headers_and_query_go_into_requests_of_their_provider() {
    let options = "{ lab: { body: { stream_options: { more: [1] }, temperature: null, new_field: { a: 1.5 } }, \
                   headers: { 'x-own': '1' }, query: { v: 2 } }, openai: { body: { not: 'ours' } } }";
    let config = format!("{{ model: 'lab:m', options: {{ temperature: 1, providerOptions: {options} }} }}");
    let (requests, outcome) = run(&config, "", vec![lab()]).await;
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "Yes.\n", ""));
    let body = requests[0].json();
    assert_eq!(body["stream_options"], json!({ "include_usage": true, "more": [1] }));
    assert_eq!(body["new_field"], json!({ "a": 1.5 }));
    assert_eq!((body.get("temperature"), body.get("not"), body.get("body")), (None, None, None));
    assert_eq!(requests[0].header("x-own"), Some("1"));
    assert_eq!(requests[0].path, "/v1/chat/completions?v=2");
}

#[tokio::test]
async fn another_body_is_another_request_to_a_replay() {
    let source = |value: u8| {
        format!(
            "export const config = {{ model: 'lab:m', options: {{ providerOptions: {{ lab: {{ body: {{ x: {value} }} }} }} }} }};\n\
             export default ({{ $ }}) => {{ $`Go.`; }};"
        )
    };
    let run = Run { folder: Folder::of(&source(1)), server: Server::start(vec![lab()]).await };
    let (_, recorded) = run.of("--record r.json").await;
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let (_, same) = run.of("--replay r.json").await;
    assert_eq!((same.code, same.stdout.as_str()), (0, "Yes.\n"), "{}", same.stderr);
    run.folder.write("p.lmt.mjs", &source(2));
    let (requests, other) = run.of("--replay r.json").await;
    assert_eq!((other.code, requests.len()), (3, 1), "{}", other.stderr);
    assert!(other.stderr.contains("settings.providerOptions.lab.body.x"), "{}", other.stderr);
}

#[tokio::test]
async fn a_key_in_headers_is_in_no_output() {
    let config = format!(
        "{{ model: 'lab:m', options: {{ maxRetries: 0, providerOptions: {{ lab: {{ headers: {{ authorization: 'Bearer \
         {KEY}', 'x-api-key': '{KEY}' }} }} }} }} }}"
    );
    let echo =
        || Canned::new(401, "application/json", json!({ "error": { "message": format!("bad {KEY}") } }).to_string());
    for arguments in ["-v", "-f json", "-f events", "--record r.json"] {
        let run = Run::new(&config, vec![lab()]).await;
        let (requests, outcome) = run.of(arguments).await;
        assert_eq!(outcome.code, 0, "{arguments}: {}", outcome.stderr);
        assert_eq!(requests[0].header("x-api-key"), Some(KEY));
        assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        let said = outcome.stdout + &outcome.stderr + &run.folder.lines("r.json").concat();
        assert!(!said.contains(KEY), "{arguments}: {said}");
        let run = Run::new(&config, vec![echo()]).await;
        let (_, outcome) = run.of(arguments).await;
        assert_eq!(outcome.code, 3, "{arguments}: {}", outcome.stderr);
        let said = outcome.stdout + &outcome.stderr + &run.folder.lines("r.json").concat();
        assert!(!said.contains(KEY), "{arguments}: {said}");
        assert!(said.contains("bad [redacted]"), "{arguments}: {said}");
    }
}

#[tokio::test]
async fn options_of_packages_are_sent_and_others_named_with_body() {
    for (model, options, place, expected, warned) in [
        (
            "openai:gpt-5",
            "openai: { contextManagement: [{ type: 'compaction', compactThreshold: 9 }], thread: 1 }",
            "/context_management/0/compact_threshold",
            json!(9),
            Some("openai.thread"),
        ),
        ("xai:grok-4", "xai: { maxTurns: 3, truncation: 'auto' }", "/max_turns", json!(3), Some("xai.truncation")),
        ("deepseek:deepseek-chat", "deepseek: { userId: 'u', anything: 1 }", "/user_id", json!("u"), None),
        ("deepseek:deepseek-chat", "deepseek: { anything: 1 }", "/anything", json!(1), None),
    ] {
        let config = format!("{{ model: '{model}', options: {{ providerOptions: {{ {options} }} }} }}");
        let answer = if model.starts_with("deepseek") { lab() } else { responses(None) };
        let (requests, outcome) = run(&config, "", vec![answer]).await;
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Yes.\n"), "{}", outcome.stderr);
        assert_eq!(requests[0].json().pointer(place), Some(&expected), "{options}");
        match warned {
            Some(setting) => {
                let provider = setting.split('.').next().unwrap();
                let warning = format!("providerOptions.{setting} is not known and was left out");
                assert!(outcome.stderr.contains(&warning), "{}", outcome.stderr);
                assert!(outcome.stderr.contains(&format!("providerOptions.{provider}.body")), "{}", outcome.stderr);
            }
            None => assert_eq!(outcome.stderr, "", "{options}"),
        }
    }
}

#[tokio::test]
async fn the_tier_of_the_answer_has_the_price() {
    let prices = "{ 'openai:gpt-5': { input: 250, output: 250, flex: { input: 125, output: 125 } } }";
    for (asked, answered, sent, cost) in [
        ("flex", Some("flex"), "flex", json!(0.25)),
        ("flex", Some("default"), "flex", json!(0.5)),
        ("flex", None, "flex", json!(0.25)),
        ("standard", Some("default"), "default", json!(0.5)),
        ("priority", Some("priority"), "priority", Value::Null),
        ("priority", Some("default"), "priority", json!(0.5)),
    ] {
        let config = format!("{{ model: 'openai:gpt-5', prices: {prices}, options: {{ tier: '{asked}' }} }}");
        let (requests, outcome) = run(&config, "-f json", vec![responses(answered)]).await;
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert_eq!(requests[0].json()["service_tier"], sent);
        assert_eq!(outcome.object()["cost"], cost, "{asked} {answered:?}");
    }
    let config = "{ model: 'xai:grok-4', options: { tier: 'flex' } }";
    let (requests, outcome) = run(config, "", vec![responses(None)]).await;
    assert_eq!(requests[0].json().get("service_tier"), None);
    assert!(outcome.stderr.contains("tier 'flex' was left out"), "{}", outcome.stderr);
}
