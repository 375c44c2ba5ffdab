//! Answers that are refused, held back or broken off, through the binary.

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    canned::{Canned, ReceivedRequest, Server},
};

const SERVICES: [(&str, &str); 7] = [
    ("ANTHROPIC_API_KEY", "key"),
    ("ANTHROPIC_BASE_URL", "SERVER/v1"),
    ("COHERE_API_KEY", "key"),
    ("COHERE_BASE_URL", "SERVER/v2"),
    ("LAB_API_KEY", "key"),
    ("LAB_API_BASE", "SERVER/v1"),
    ("LAB_API_TYPE", "openai"),
];

async fn run(config: &str, body: &str, arguments: &str, answers: Vec<Canned>) -> (Vec<ReceivedRequest>, Outcome) {
    let server = Server::start(answers).await;
    let folder =
        Folder::of(&format!("export const config = {config};\nexport default async (prompt) => {{ {body} }};"));
    let mut command = folder.bare_command(&format!("run {arguments} p.lmt.mjs"));
    command.envs(SERVICES.iter().map(|(name, value)| (*name, value.replace("SERVER", &server.url("")))));
    let outcome = tokio::task::spawn_blocking(move || Outcome::of(&mut command)).await.unwrap();
    (server.requests(), outcome)
}

fn claude(text: &str) -> Canned {
    let details = json!({ "type": "refusal", "category": "cyber", "explanation": "I cannot help." });
    let block = |index: u64, kind: &str| json!({ "type": "content_block_start", "index": index, "content_block": { "type": kind } });
    let mut events = vec![
        json!({ "type": "message_start", "message": { "id": "m", "usage": { "input_tokens": 5 } } }),
        block(0, "thinking"),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
    ];
    if !text.is_empty() {
        let delta = json!({ "type": "text_delta", "text": text });
        events.extend([block(1, "text"), json!({ "type": "content_block_delta", "index": 1, "delta": delta })]);
    }
    let delta = json!({ "stop_reason": "refusal", "stop_details": details });
    events.extend([
        json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 2 } }),
        json!({ "type": "message_stop" }),
    ]);
    Canned::events(&events)
}

fn lab(delta: &Value, reason: &str) -> Canned {
    Canned::events(&[json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })])
}

const ASK: &str = "prompt.$`Go.`;";
const CLAUDE: &str = "{ model: 'anthropic:claude-opus-5' }";
const LIST: &str = "{ model: ['anthropic:claude-opus-5', 'lab:m'] }";
const REFUSED: &str = "The answer was refused or held back (refusal, cyber): I cannot help.";

#[tokio::test]
async fn a_refusal_without_text_fails_with_the_providers_category() {
    let (requests, outcome) = run(CLAUDE, ASK, "", vec![claude("")]).await;
    assert_eq!((requests.len(), outcome.code, outcome.stdout.as_str()), (1, 3, ""));
    assert!(outcome.stderr.contains(&format!("anthropic:claude-opus-5: {REFUSED}")), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.matches("refused or held back").count(), 1, "{}", outcome.stderr);

    let (_, outcome) = run(CLAUDE, ASK, "-f json", vec![claude("")]).await;
    let result: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&result["ok"], &result["finishReason"]), (&json!(false), &json!("content-filter")));
    assert_eq!((&result["text"], &result["error"]["code"]), (&json!(""), &json!(3)));
    assert_eq!(result["usage"]["outputTokens"], 2);
}

#[tokio::test]
async fn with_visible_text_a_refusal_is_an_answer_with_a_warning() {
    let (_, outcome) = run(LIST, ASK, "", vec![claude("Well. ")]).await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Well. \n"));
    assert!(outcome.stderr.contains(REFUSED), "{}", outcome.stderr);
    let refusal = lab(&json!({ "content": "Well.", "refusal": "Not that." }), "stop");
    let (_, outcome) = run("{ model: 'lab:m' }", ASK, "", vec![refusal]).await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Well.\n"));
    assert!(outcome.stderr.contains("(refusal): Not that."), "{}", outcome.stderr);
}

#[tokio::test]
async fn the_next_model_of_a_list_answers_after_a_refusal() {
    let (requests, outcome) = run(LIST, ASK, "", vec![claude(""), lab(&json!({ "content": "Yes." }), "stop")]).await;
    assert_eq!((requests.len(), outcome.code, outcome.stdout.as_str()), (2, 0, "Yes.\n"));
    let switched = format!("failed: {}; switching to lab:m", REFUSED.trim_end_matches('.'));
    assert!(outcome.stderr.contains(&switched), "{}", outcome.stderr);
    let refusal = lab(&json!({ "refusal": "No." }), "stop");
    let (requests, outcome) = run(LIST, ASK, "", vec![claude(""), refusal]).await;
    assert_eq!((requests.len(), outcome.code, outcome.stdout.as_str()), (2, 3, ""));
    assert!(outcome.stderr.contains("lab:m: The answer was refused or held back (refusal): No."), "{}", outcome.stderr);
}

#[tokio::test]
async fn broken_answers_are_asked_for_again_while_nothing_was_visible() {
    let cohere = "{ model: 'cohere:command-b' }";
    let end = |reason: &str| json!({ "type": "message-end", "delta": { "finish_reason": reason } });
    let text = |text: &str| json!({ "type": "content-delta", "index": 0, "delta": { "message": { "content": { "text": text } } } });
    let (requests, outcome) = run(
        cohere,
        ASK,
        "",
        vec![Canned::events(&[end("TIMEOUT")]), Canned::events(&[text("Fine."), end("COMPLETE")])],
    )
    .await;
    assert_eq!((requests.len(), outcome.code, outcome.stdout.as_str()), (2, 0, "Fine.\n"), "{}", outcome.stderr);
    let (requests, outcome) = run(cohere, ASK, "", vec![Canned::events(&[text("Half"), end("TIMEOUT")])]).await;
    assert_eq!((requests.len(), outcome.code, outcome.stdout.trim()), (1, 3, "Half"));
    assert!(outcome.stderr.contains("The answer broke off (TIMEOUT)"), "{}", outcome.stderr);
}

#[tokio::test]
async fn a_call_in_an_answer_that_broke_off_is_no_step() {
    let call = |events: Vec<Value>| Canned::events(&events);
    let function = json!({ "name": "pay", "arguments": "{}" });
    let message = json!({ "tool_calls": { "id": "c1", "type": "function", "function": function } });
    let answer = call(vec![
        json!({ "type": "tool-call-start", "index": 0, "delta": { "message": message } }),
        json!({ "type": "tool-call-end", "index": 0 }),
        json!({ "type": "message-end", "delta": { "finish_reason": "TIMEOUT" } }),
    ]);
    let body = "prompt.defTool('pay', 'Pays.', { type: 'object' }, () => 1); prompt.$`Go.`;";
    let (requests, outcome) = run("{ model: 'cohere:command-b' }", body, "", vec![answer]).await;
    assert_eq!((requests.len(), outcome.code), (1, 3), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("The answer broke off (TIMEOUT)"), "{}", outcome.stderr);
}

#[tokio::test]
async fn arguments_that_may_be_cut_are_mended_in_a_whole_answer_only() {
    let body = "prompt.defTool('pay', 'Pays.', { type: 'object' }, ({ amount }) => { console.log(`paid ${amount}`); }); \
                prompt.$`Go.`;";
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c1", "function": { "name": "pay", "arguments": "{\"amount\": 12" } }] });
    for (reason, is_paid) in
        [("tool_calls", true), ("stop", true), ("length", false), ("content_filter", false), ("other", false)]
    {
        let answers = vec![lab(&call, reason), lab(&json!({ "content": "Done." }), "stop")];
        let (_, outcome) = run("{ model: 'lab:m' }", body, "", answers).await;
        let printed = format!("{}{}", outcome.stdout, outcome.stderr);
        assert_eq!(printed.contains("paid 12"), is_paid, "{reason}: {printed}");
    }
}

#[tokio::test]
async fn a_parent_agent_gets_a_refusal_as_an_error() {
    let call = json!({ "name": "child", "arguments": "{}" });
    let answers = vec![
        lab(&json!({ "tool_calls": [{ "index": 0, "id": "call_1", "function": call }] }), "tool_calls"),
        claude(""),
        lab(&json!({ "content": "Then not." }), "stop"),
    ];
    let body = "prompt.defAgent('child', 'Asks.', z.object({}), async (_, child) => { child.$`Go.`; }, \
                { model: 'anthropic:claude-opus-5' }); prompt.$`Go.`;";
    let config = "{ model: 'lab:m' };\nimport { z } from 'zod'";
    let (requests, outcome) = run(config, body, "", answers).await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Then not.\n"), "{}", outcome.stderr);
    let messages = requests[2].json()["messages"].clone();
    assert!(messages[2]["content"].as_str().unwrap().contains(REFUSED), "{messages}");
}
