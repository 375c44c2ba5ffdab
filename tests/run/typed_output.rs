//! The export `output`: the schema is sent natively or in the prompt, an answer that does not match is requested
//! again, and only the validated JSON is printed.

use serde_json::{Value, json};

use crate::support::{
    Outcome,
    canned::{Canned, ReceivedRequest, run_file},
};

const FILE: &str = r#"
import { z } from 'zod';
export const config = { model: 'MODEL', options: { OPTIONS } };
export const output = z.object({ summary: z.string(), celsius: z.number() });
export default async ({ $, defTool }) => {
  TOOLS
  $`How is the weather?`;
};
"#;

const TOOL: &str = "defTool('look', 'Looks.', z.object({}), () => 'a blue sky');";
const GOOD: &str = r#"{"summary":"fine","celsius":21.5}"#;
const WARM: &str = r#"{"summary":"fine","celsius":"warm"}"#;
const LAB: &[(&str, &str)] = &[("LAB_API_BASE", "SERVER"), ("LAB_API_TYPE", "openai"), ("LAB_API_KEY", "key")];

async fn run_lab(options: &str, tools: &str, answers: Vec<Canned>) -> (Vec<ReceivedRequest>, Outcome) {
    run_file(&file("lab:m", options, tools), LAB, answers).await
}

fn file(model: &str, options: &str, tools: &str) -> String {
    FILE.replace("MODEL", model).replace("OPTIONS", options).replace("TOOLS", tools)
}

fn says(text: &str) -> Canned {
    says_in(&[text])
}

fn says_in(pieces: &[&str]) -> Canned {
    let choice = |delta: Value, finish: Value| json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let chunk = |choice: Value| json!({ "id": "c", "model": "m", "choices": [choice] });
    let mut events: Vec<Value> =
        pieces.iter().map(|text| chunk(choice(json!({ "content": text }), Value::Null))).collect();
    events.push(chunk(choice(json!({}), json!("stop"))));
    Canned::events(&events)
}

/// A chat completion with this finish reason.
fn chat(delta: Value, finish: &str) -> Canned {
    Canned::events(&[
        json!({ "id": "c", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] }),
    ])
}

fn calls_look() -> Canned {
    let call = json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "look", "arguments": "{}" } });
    chat(json!({ "content": "I will look.", "tool_calls": [call] }), "tool_calls")
}

fn claude(pieces: &[&str]) -> Canned {
    let delta = |text: &&str| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } });
    let mut events = vec![
        json!({ "type": "message_start", "message": { "id": "m", "model": "c", "usage": { "input_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ];
    events.extend(pieces.iter().map(delta));
    events.extend([
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ]);
    Canned::events(&events)
}

fn gemini(pieces: &[&str]) -> Canned {
    let content = |text: &str| json!({ "role": "model", "parts": [{ "text": text }] });
    let mut events: Vec<Value> =
        pieces.iter().map(|text| json!({ "candidates": [{ "content": content(text), "index": 0 }] })).collect();
    events.push(json!({ "candidates": [{ "content": content(""), "finishReason": "STOP", "index": 0 }] }));
    Canned::events(&events)
}

/// An answer of the Responses API.
fn response(pieces: &[&str]) -> Canned {
    let text = pieces.concat();
    let item = |content: Value| json!({ "id": "i", "type": "message", "role": "assistant", "content": content });
    let part = json!({ "type": "output_text", "text": text, "annotations": [] });
    let whole = json!({ "id": "r", "status": "completed", "model": "m", "output": [item(json!([part]))] });
    let delta = |text: &&str| json!({ "type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text });
    let mut events = vec![
        json!({ "type": "response.created", "response": { "id": "r", "model": "m", "created_at": 1 } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item(json!([])) }),
    ];
    events.extend(pieces.iter().map(delta));
    events.extend([
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item(json!([part])) }),
        json!({ "type": "response.completed", "response": whole }),
    ]);
    Canned::events(&events)
}

/// A model, its variables, how its provider answers, and where the request has the schema.
type Native<'a> = (&'a str, &'a [(&'a str, &'a str)], fn(&[&str]) -> Canned, &'a str);

const PROVIDERS: &[Native<'_>] = &[
    ("lab:m", LAB, says_in, "/response_format/json_schema/schema"),
    (
        "mistral:large",
        &[("MISTRAL_BASE_URL", "SERVER"), ("MISTRAL_API_KEY", "k")],
        says_in,
        "/response_format/json_schema/schema",
    ),
    ("openai:gpt-5", &[("OPENAI_BASE_URL", "SERVER"), ("OPENAI_API_KEY", "k")], response, "/text/format/schema"),
    (
        "anthropic:claude-sonnet-4-5",
        &[("ANTHROPIC_BASE_URL", "SERVER"), ("ANTHROPIC_API_KEY", "k")],
        claude,
        "/output_config/format/schema",
    ),
    (
        "google:gemini-2.5-flash",
        &[("GOOGLE_GENERATIVE_AI_BASE_URL", "SERVER"), ("GOOGLE_GENERATIVE_AI_API_KEY", "k")],
        gemini,
        "/generationConfig/responseSchema",
    ),
];

#[tokio::test]
async fn the_schema_is_sent_natively_and_a_mismatch_is_requested_again() {
    for (model, variables, answer, place) in PROVIDERS {
        let (asked, output) = run_file(&file(model, "", ""), variables, vec![answer(&[WARM]), answer(&[GOOD])]).await;
        assert_eq!((output.stdout, output.stderr), (format!("{GOOD}\n"), String::new()), "{model}");
        assert_eq!(asked.len(), 2, "{model}");
        for asked in &asked {
            let body = asked.json();
            let kind = body.pointer(&format!("{place}/properties/celsius/type")).and_then(Value::as_str);
            assert!(kind.is_some_and(|kind| kind.eq_ignore_ascii_case("number")), "{model}: {body}");
        }
        let again = String::from_utf8_lossy(&asked[1].body).into_owned();
        assert!(again.contains("celsius: Invalid input: expected number, received string"), "{model}: {again}");
    }
}

#[tokio::test]
async fn the_output_of_each_provider_comes_in_pieces() {
    let fenced = format!("Here {{it}} is:\n```json\n{GOOD}\n```");
    for text in [GOOD, &fenced] {
        let pieces: Vec<&str> = text.split_inclusive(|_| true).collect();
        for (model, variables, answer, _) in PROVIDERS {
            let read = "
                import { runPrompt } from 'lmthing';
                import { z } from 'zod';
                export const config = { model: 'mock' };
                export const mock = [];
                const output = z.object({ summary: z.string(), celsius: z.number() });
                export default async () => {
                  const { result } = await runPrompt(({ $ }) => { $`x`; }, { model: 'MODEL', output });
                  for await (const part of result.partialOutputStream) console.log(JSON.stringify(part));
                };";
            let (_, output) = run_file(&read.replace("MODEL", model), variables, vec![answer(&pieces)]).await;
            let summary = |length: usize| format!("{{\"summary\":\"{}\"}}\n", &"fine"[..length]);
            let growing: String = (0..=4).map(summary).collect();
            assert_eq!(output.stdout, format!("{{}}\n{growing}{GOOD}\n"), "{model}: {output:?}");
        }
    }
}

#[tokio::test]
async fn a_model_without_schema_support_gets_the_schema_as_text() {
    let variables = [("ANTHROPIC_BASE_URL", "SERVER"), ("ANTHROPIC_API_KEY", "k")];
    let fenced = format!("Here it is:\n```json\n{GOOD}\n```\nAnything else?");
    let (asked, output) =
        run_file(&file("anthropic:claude-3-haiku", "", ""), &variables, vec![claude(&[&fenced])]).await;
    assert_eq!(output.stdout, format!("{GOOD}\n"));
    let body = asked[0].json();
    assert_eq!(body.get("output_config"), None);
    let system = body["system"].to_string();
    assert!(system.contains("<responseFormat>") && system.contains("celsius"), "{system}");
}

#[tokio::test]
async fn tools_are_called_first_and_only_the_answer_is_printed() {
    let (asked, output) = run_lab("", TOOL, vec![calls_look(), says(GOOD)]).await;
    assert_eq!((output.stdout, asked.len()), (format!("{GOOD}\n"), 2));
}

#[tokio::test]
async fn an_answer_that_never_fits_ends_with_3_and_nothing_on_standard_output() {
    for (options, requests) in [("", 3), ("outputRetries: 0", 1), ("outputRetries: 4", 5)] {
        let (asked, output) = run_lab(options, "", vec![says(WARM); requests]).await;
        assert_eq!((asked.len(), output.code), (requests, 3), "{options}");
        assert_eq!(output.stdout, "");
        let reported = output.stderr;
        for words in ["celsius: Invalid input", "outputRetries", "\"warm\""] {
            assert!(reported.contains(words), "{reported}");
        }
    }
}

#[tokio::test]
async fn attempts_count_as_steps() {
    let (asked, output) = run_lab("maxSteps: 2", "", vec![says(WARM); 2]).await;
    assert_eq!((asked.len(), output.code, output.stdout), (2, 4, String::new()));
    assert!(
        output.stderr.contains("ended after 2 steps, and the last answer did not match output"),
        "{}",
        output.stderr
    );
}

#[tokio::test]
async fn a_limit_after_tool_calls_does_not_blame_an_earlier_answer() {
    let (_, output) = run_lab("maxSteps: 2", TOOL, vec![says(WARM), calls_look()]).await;
    assert_eq!((output.code, output.stdout.as_str()), (4, ""));
    assert!(output.stderr.contains("ended after 2 steps, and the model still called tools"), "{}", output.stderr);
}

#[tokio::test]
async fn a_run_without_a_final_answer_explains_why() {
    let refusal = || chat(json!({ "refusal": "I will not." }), "stop");
    let cut = || chat(json!({ "content": "{\"summary\":\"f" }), "length");
    let held = || chat(json!({ "content": "{" }), "content_filter");
    let cases: Vec<(&str, Vec<Canned>, &str)> = vec![
        ("", vec![refusal()], "(refusal): I will not."),
        ("", vec![held()], "finish reason content-filter"),
        ("", vec![cut(), cut(), cut()], "cut off at the limit on tokens"),
        ("stopWhen: () => true", vec![calls_look()], "stopWhen ended the run after a step that called tools"),
        ("stopWhen: () => true", vec![says(WARM)], "does not match output, and stopWhen ended the run"),
        ("", vec![says(""), says(""), says("")], "the answer is empty"),
    ];
    for (options, answers, words) in cases {
        let requests = answers.len();
        let (asked, output) = run_lab(options, TOOL, answers).await;
        assert_eq!((asked.len(), output.code, output.stdout), (requests, 3, String::new()), "{words}");
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
    let (asked, output) = run_lab("", "", vec![cut(), says(GOOD)]).await;
    assert_eq!(output.stdout, format!("{GOOD}\n"));
    assert!(String::from_utf8_lossy(&asked[1].body).contains("Answer again, shorter"));
}

const AGENT: &str = r#"
import { z } from 'zod';
export const config = { model: 'lab:m', options: { outputRetries: 5 } };
export default async ({ defAgent, $ }) => {
  const responseSchema = z.object({ celsius: z.number() });
  defAgent('look', 'Looks up.', z.object({}), async (args, { $ }) => $`Look.`, { responseSchema OPTIONS });
  $`Ask.`;
};
"#;

#[tokio::test]
async fn agents_retry_only_if_configured() {
    let warm = || says(r#"{"celsius":"warm"}"#);
    let answers = vec![calls_look(), warm(), says("Done.")];
    let (asked, _) = run_file(&AGENT.replace("OPTIONS", ""), LAB, answers).await;
    let result = asked[2].json()["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result.contains("validationError"), "{result}");
    let answers = vec![calls_look(), warm(), says("It is {\"celsius\":4}."), says("Done.")];
    let (asked, _) = run_file(&AGENT.replace("OPTIONS", ", outputRetries: 1"), LAB, answers).await;
    let last =
        |request: &ReceivedRequest| request.json()["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert!(last(&asked[2]).to_string().contains("celsius: Invalid input"), "{}", last(&asked[2]));
    assert_eq!(last(&asked[3]), r#"{"celsius":4}"#);
}

#[tokio::test]
async fn output_of_the_script_goes_to_stderr() {
    let (_, output) = run_lab("", "console.log('hello');", vec![says(GOOD)]).await;
    assert_eq!((output.stdout, output.stderr), (format!("{GOOD}\n"), "hello\n".into()));
}
