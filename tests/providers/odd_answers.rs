//! Answers and refusals of odd servers, through the binary: JSON that is nearly right, refused combinations, `{}`
//! before the arguments, thinking without a signature, halves of characters.

use serde_json::{Value, json};

use crate::support::{
    Outcome,
    canned::{Canned, ReceivedRequest, run_file},
};

const LAB: &[(&str, &str)] = &[("LAB_API_BASE", "SERVER/v1"), ("LAB_API_TYPE", "openai")];

const TOOL: &str = r#"
import { z } from 'zod';
export const config = { model: 'lab:m' };
export default async ({ defTool, $ }) => {
  defTool('t', 'd', z.object({ city: z.string(), n: z.number().optional() }), async (args) => `got ${JSON.stringify(args)}`);
  $`Go.`;
};
"#;

const OUTPUT: &str = r#"
import { z } from 'zod';
export const output = z.object({ n: z.number(), note: z.string().optional() });
export const config = { model: 'lab:m', options: { outputRetries: 1 } };
export default async ({ defTool, $ }) => {
  TOOL
  $`Go.`;
};
"#;

fn delta(delta: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn ends(mut deltas: Vec<Value>, reason: &str) -> Canned {
    deltas.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }));
    Canned::events(&deltas)
}

fn text(text: &str, reason: &str) -> Canned {
    ends(vec![delta(json!({ "content": text }))], reason)
}

fn call(pieces: &[&str], reason: &str) -> Canned {
    let piece = |(index, text): (usize, &&str)| {
        let mut call = json!({ "index": 0, "function": { "arguments": text } });
        if index == 0 {
            call["id"] = "c1".into();
            call["function"]["name"] = "t".into();
        }
        delta(json!({ "tool_calls": [call] }))
    };
    ends(pieces.iter().enumerate().map(piece).collect(), reason)
}

/// Runs the file with the tool; returns the arguments and the result as they are sent back.
async fn called(answer: Canned) -> (String, String, Outcome) {
    let (asked, outcome) = run_file(TOOL, LAB, vec![answer, text("done", "stop")]).await;
    assert_eq!((outcome.code, asked.len()), (0, 2), "{outcome:?}");
    let messages = asked[1].json()["messages"].clone();
    let arguments = messages[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap().to_owned();
    assert!(serde_json::from_str::<Value>(&arguments).is_ok(), "{arguments}");
    (arguments, messages[2]["content"].as_str().unwrap().to_owned(), outcome)
}

#[tokio::test]
async fn arguments_that_are_nearly_json_are_mended_with_a_warning() {
    for (pieces, reason, arguments, result) in [
        (vec!["{city: 'Rome',", "}"], "tool_calls", r#"{"city": "Rome"}"#, r#"got {"city":"Rome"}"#),
        (vec!["```json\n{\"city\": \"Rome\"}\n```"], "stop", "{\"city\": \"Rome\"}\n", r#"got {"city":"Rome"}"#),
        (
            vec!["{\"city\": \"Rome\", \"n\": 12"],
            "tool_calls",
            r#"{"city": "Rome", "n": 12}"#,
            r#"got {"city":"Rome","n":12}"#,
        ),
        (vec!["{\"city\": \"Rome\""], "length", r#"{"city": "Rome"}"#, r#"got {"city":"Rome"}"#),
    ] {
        let (sent, got, outcome) = called(call(&pieces, reason)).await;
        assert_eq!((sent.as_str(), got.as_str()), (arguments, result));
        assert!(outcome.stderr.contains("the arguments for t were not JSON and were mended ("), "{}", outcome.stderr);
    }
    let (_, got, outcome) = called(call(&["{\"city\": \"Rome\", \"n\": 12"], "length")).await;
    assert_eq!(got, "Invalid input for tool t: the arguments are not a JSON object");
    assert!(!outcome.stderr.contains("mended"), "{}", outcome.stderr);
    // The schema refuses what was mended.
    let (_, got, _) = called(call(&["{city: 1,}"], "tool_calls")).await;
    assert!(got.starts_with("Invalid input for tool t: city: "), "{got}");
    let (sent, _, outcome) = called(call(&["{ \"city\" : \"\\ud83d\\ude00\" }"], "tool_calls")).await;
    assert_eq!((sent.as_str(), outcome.stderr.as_str()), ("{ \"city\" : \"\\ud83d\\ude00\" }", ""));
}

#[tokio::test]
async fn an_empty_object_before_the_arguments_is_not_the_call() {
    for pieces in [vec!["{}", "{\"city\": \"Rome\"}"], vec!["{}", "{\"city\"", ": \"Rome\"}"]] {
        let (sent, got, _) = called(call(&pieces, "tool_calls")).await;
        assert_eq!((sent.as_str(), got.as_str()), (r#"{"city": "Rome"}"#, r#"got {"city":"Rome"}"#));
    }
}

async fn answered(answers: Vec<Canned>) -> (Vec<ReceivedRequest>, Outcome) {
    run_file(&OUTPUT.replace("TOOL", ""), LAB, answers).await
}

#[tokio::test]
async fn an_output_that_is_nearly_json_costs_no_second_request() {
    for answer in ["{'n': 1,}", "Here:\n```json\n{\n  n: 1, // one\n}\n```\n", "{\"n\": 1, \"note\": \"x\""] {
        let (asked, outcome) = answered(vec![text(answer, "stop")]).await;
        assert_eq!((asked.len(), outcome.code), (1, 0), "{answer}: {outcome:?}");
        assert!(outcome.stderr.contains("the answer was not JSON and was mended ("), "{}", outcome.stderr);
    }
    let right = || text("{\"n\": 2}", "stop");
    for (answer, reason) in [("{\"n\": 1", "length"), ("{\"n\": 1, \"note\": \"x", "length"), ("{n: 'x'}", "stop")] {
        let (asked, outcome) = answered(vec![text(answer, reason), right()]).await;
        assert_eq!((asked.len(), outcome.code), (2, 0), "{answer}: {outcome:?}");
        assert!(!outcome.stderr.contains("mended"), "{}", outcome.stderr);
    }
    let (_, outcome) = answered(vec![right()]).await;
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
}

#[tokio::test]
async fn an_agents_answer_is_mended() {
    let source = r#"
import { z } from 'zod';
export const config = { model: 'lab:m' };
export default async ({ defAgent, $ }) => {
  defAgent('t', 'd', z.object({}), async (args, { $ }) => $`Look.`, { responseSchema: z.object({ sky: z.string() }) });
  $`Go.`;
};
"#;
    let answers = vec![call(&["{}"], "tool_calls"), text("{sky: 'blue'}", "stop"), text("done", "stop")];
    let (asked, outcome) = run_file(source, LAB, answers).await;
    assert_eq!((asked.len(), outcome.code), (3, 0), "{outcome:?}");
    assert_eq!(asked[2].json()["messages"][2]["content"], r#"{"sky": "blue"}"#);
    assert!(
        outcome.stderr.contains("the answer of agent t was not JSON and was mended (single quotes, unquoted keys)")
    );
}

#[tokio::test]
async fn a_refused_combination_is_asked_again_without_the_format() {
    let source = OUTPUT.replace("TOOL", "defTool('t', 'd', z.object({}), async () => 'ok');");
    let refusal = json!({ "error": { "message": "json mode cannot be combined with tool/function calling" } });
    let answers = vec![
        Canned::new(400, "application/json", refusal.to_string()),
        call(&["{}"], "tool_calls"),
        text("{\"n\": 1}", "stop"),
    ];
    let (asked, outcome) = run_file(&source, LAB, answers).await;
    assert_eq!((asked.len(), outcome.code), (3, 0), "{outcome:?}");
    let has = |request: &ReceivedRequest, key: &str| request.json().get(key).is_some();
    let formats: Vec<bool> = asked.iter().map(|request| has(request, "response_format")).collect();
    assert_eq!((formats, asked.iter().all(|request| has(request, "tools"))), (vec![true, false, false], true));
    let warned = outcome.stderr.matches("the server refused response_format together with tools").count();
    assert_eq!(warned, 1, "{}", outcome.stderr);
}

#[tokio::test]
async fn halves_of_a_character_are_printed_as_one() {
    let stream = r#"data: {"choices":[{"delta":{"content":"a \ud83d"}}]}

data: {"choices":[{"delta":{"content":"\ude00 b"},"finish_reason":"stop"}]}

data: [DONE]

"#;
    let (_, outcome) = run_file(TOOL, LAB, vec![Canned::sse(stream)]).await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "a 😀 b\n"));
}

#[tokio::test]
async fn unsigned_thinking_goes_back_to_a_service_that_demands_it() {
    let start =
        |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let end = |reason: &str| {
        [json!({ "type": "message_delta", "delta": { "stop_reason": reason } }), json!({ "type": "message_stop" })]
    };
    let mut first = vec![
        start(0, json!({ "type": "thinking", "thinking": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "Hm." })),
        stop(0),
        start(1, json!({ "type": "tool_use", "id": "c1", "name": "t", "input": {} })),
        delta(1, json!({ "type": "input_json_delta", "partial_json": "{\"city\":\"Rome\"}" })),
        stop(1),
    ];
    first.extend(end("tool_use"));
    let mut second = vec![start(0, json!({ "type": "text", "text": "done" })), stop(0)];
    second.extend(end("end_turn"));
    let variables = [("ANTHROPIC_BASE_URL", "SERVER"), ("ANTHROPIC_API_KEY", "key")];
    let source = TOOL.replace("lab:m", "anthropic:thinker-2");
    let (asked, outcome) = run_file(&source, &variables, vec![Canned::events(&first), Canned::events(&second)]).await;
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let content = asked[1].json()["messages"][1]["content"].clone();
    assert_eq!((&content[0]["type"], &content[0]["thinking"]), (&json!("thinking"), &json!("Hm.")), "{content}");
    assert_eq!(content[1]["type"], "tool_use");
}
