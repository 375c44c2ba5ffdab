//! How the prompt cache is judged by what single servers report and refuse (docs/reference/events.md#the-prompt-cache).

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    canned::{Canned, Server},
};

/// Two steps of about 2 000 tokens.
const PROMPT: &str = r#"
import { z } from 'zod';
export const config = { model: 'anthropic:claude-sonnet-4-5', options: OPTIONS };
export default async ({ defSystem, defTool, defEffect, $ }) => {
  defSystem('role', 'You are brief. '.repeat(600));
  defTool('next', 'goes on', z.object({}), () => 'on');
  BODY
  $`Go on.`;
};
"#;

fn prompt(options: &str, body: &str) -> String {
    PROMPT.replace("OPTIONS", options).replace("BODY", body)
}

/// `step-finish` of each step, with a server of Anthropic.
async fn steps(source: &str, answers: Vec<Canned>) -> Vec<Value> {
    let server = Server::start(answers).await;
    let folder = Folder::of(source);
    let mut command = folder.bare_command("run -f events p.lmt.mjs");
    for provider in ["ANTHROPIC", "GROQ", "MISTRAL"] {
        command
            .envs([(format!("{provider}_BASE_URL"), server.url("/v1")), (format!("{provider}_API_KEY"), "key".into())]);
    }
    let outcome = tokio::task::spawn_blocking(move || Outcome::of(&mut command)).await.unwrap();
    assert_eq!(outcome.code, 0, "{source}: {} {}", outcome.stderr, outcome.stdout);
    outcome.events().into_iter().filter(|event| event["type"] == "step-finish").collect()
}

/// Blocks of an answer of Anthropic, each with its deltas inside.
fn claude(blocks: &[Value], reason: &str, usage: &Value) -> Canned {
    let mut events = vec![json!({ "type": "message_start", "message": { "id": "m", "model": "c", "usage": usage } })];
    for (index, block) in blocks.iter().enumerate() {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let end = json!({ "output_tokens": 100, "server_tool_use": usage["server_tool_use"] });
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": end }));
    events.push(json!({ "type": "message_stop" }));
    Canned::events(&events)
}

fn call(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "next", "input": {} })
}

fn text() -> Value {
    json!({ "type": "text", "text": "done" })
}

fn usage(input: u64, read: u64, written: u64) -> Value {
    json!({ "input_tokens": input, "cache_read_input_tokens": read, "cache_creation_input_tokens": written })
}

#[tokio::test]
async fn writes_for_an_hour_have_their_price() {
    let written = |long: Option<u64>| {
        let mut usage = usage(0, 0, 100_000);
        if let Some(long) = long {
            usage["cache_creation"] =
                json!({ "ephemeral_5m_input_tokens": 100_000 - long, "ephemeral_1h_input_tokens": long });
        }
        vec![claude(&[text()], "end_turn", &usage)]
    };
    for (options, long, cost) in [
        ("{}", None, 0.3765),
        ("{}", Some(0), 0.3765),
        ("{}", Some(100_000), 0.6015),
        ("{ cache: { ttl: '1h' } }", Some(50_000), 0.489),
        // The server does not say how long it keeps what was written.
        ("{ cache: { ttl: '1h' } }", None, 0.6015),
        ("{ cache: { ttl: 'long' } }", None, 0.6015),
        ("{ cache: { ttl: '5m' } }", None, 0.3765),
    ] {
        let steps = steps(&prompt(options, ""), written(long)).await;
        let reported = steps[0]["cost"].as_f64().unwrap();
        assert!((reported - cost).abs() < 1e-9, "{options} {long:?}: {reported}");
        let expected = if cost < 0.4 { Value::Null } else { json!(long.unwrap_or(100_000)) };
        assert_eq!(steps[0]["usage"]["longCacheWriteTokens"], expected, "{options} {long:?}");
    }
}

#[tokio::test]
async fn counts_of_an_answer_with_searches_blame_no_provider() {
    let search = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": { "query": "q" } });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
    // The service has made four requests to itself.
    let mut sum = usage(500, 9_000, 3_000);
    sum["server_tool_use"] = json!({ "web_search_requests": 3 });
    let answers = vec![
        claude(&[search, found, call("a")], "tool_use", &sum),
        claude(&[call("b")], "tool_use", &usage(100, 3_000, 200)),
        claude(&[text()], "end_turn", &usage(100, 0, 3_400)),
    ];
    let steps = steps(&prompt("{}", ""), answers).await;
    assert_eq!(steps[1]["cache"].get("brokenBy"), None, "{steps:#?}");
    assert_eq!(steps[2]["cache"]["brokenBy"]["kind"], "provider", "{steps:#?}");
}

#[tokio::test]
async fn marks_of_the_author_move_on() {
    let body = "defEffect((context, modify) => modify('messages', context.messages.map((message, index, all) =>
      index === all.length - 1
        ? { ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
        : message)));";
    let answers = vec![
        claude(&[call("a")], "tool_use", &usage(10, 0, 3_000)),
        claude(&[call("b")], "tool_use", &usage(10, 3_000, 200)),
        claude(&[text()], "end_turn", &usage(10, 3_100, 200)),
    ];
    for step in &steps(&prompt("{}", body), answers).await[1..] {
        assert_eq!(step["cache"].get("brokenBy"), None, "{step:#}");
        assert!(step["cache"]["expected"].as_u64().unwrap() >= 3_000, "{step:#}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_marks_has_no_cache() {
    let refusal = json!({ "type": "error", "error": { "type": "invalid_request_error",
                          "message": "system.0.cache_control: Extra inputs are not permitted" } });
    let refusal = Canned::new(400, "application/json", refusal.to_string());
    let answers = vec![
        refusal,
        claude(&[call("a")], "tool_use", &usage(3_000, 0, 0)),
        claude(&[text()], "end_turn", &usage(3_100, 0, 0)),
    ];
    let steps = steps(&prompt("{}", ""), answers).await;
    assert_eq!(steps[1]["cache"], json!({ "read": 0, "written": 0, "expected": 0 }));
}
