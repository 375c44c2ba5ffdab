//! Warnings that a server has cut a prompt.

use serde_json::json;

use crate::support::canned::{Canned, run_file};

const LAB: [(&str, &str); 2] = [("LAB_API_BASE", "SERVER/v1"), ("LAB_API_TYPE", "openai")];

/// A file whose prompt is this JavaScript expression.
fn file(model: &str, prompt: &str) -> String {
    format!("export const config = {{ model: '{model}' }};\nexport default ({{ $ }}) => {{ $`${{{prompt}}}`; }};\n")
}

fn chat(read: u64, cached: u64) -> Canned {
    let choice = json!({ "delta": { "content": "Done." }, "finish_reason": "stop" });
    let usage = json!({ "prompt_tokens": read, "completion_tokens": 4,
        "prompt_tokens_details": { "cached_tokens": cached } });
    Canned::events(&[json!({ "choices": [choice], "usage": usage })])
}

async fn stderr(model: &str, prompt: &str, variables: &[(&str, &str)], answer: Canned) -> String {
    let (_, outcome) = run_file(&file(model, prompt), variables, vec![answer]).await;
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("Done.\n", 0), "{}", outcome.stderr);
    outcome.stderr
}

#[tokio::test]
async fn a_server_that_read_much_less_is_named_with_the_setting() {
    for prompt in ["'word '.repeat(20_000)", "'x'.repeat(100_000)", "'水'.repeat(100_000)"] {
        let report = stderr("lab:m", prompt, &LAB, chat(2_050, 0)).await;
        for words in ["Warning: lab:m read 2050 tokens of a prompt of 100000 characters", "num_ctx", "contextLength"] {
            assert!(report.contains(words), "{prompt}: {report}");
        }
    }
    let variables = [("LMSTUDIO_BASE_URL", "SERVER/v1")];
    let report = stderr("lmstudio:m", "'word '.repeat(20_000)", &variables, chat(4_096, 0)).await;
    assert!(report.contains("larger contextLength"), "{report}");
}

#[tokio::test]
async fn there_are_no_false_alarms() {
    for (prompt, read, cached) in [
        ("'word '.repeat(20_000)", 20_010, 0),
        ("'word '.repeat(20_000)", 12_000, 0),
        // Cached tokens may be counted apart.
        ("'word '.repeat(20_000)", 10, 20_000),
        ("'水'.repeat(100_000)", 60_000, 0),
        ("'-'.repeat(100_000)", 3_200, 0),
        ("' '.repeat(100_000) + 'x'", 900, 0),
        ("'short'", 1, 0),
    ] {
        assert_eq!(stderr("lab:m", prompt, &LAB, chat(read, cached)).await, "", "{prompt} {read}");
    }
}

#[tokio::test]
async fn a_filled_window_of_ollama_is_reported_once_a_run() {
    let line = |read: u64, reason: &str| {
        let end = json!({ "model": "m", "message": { "role": "assistant", "content": "Done." }, "done": true,
            "done_reason": reason, "prompt_eval_count": read, "eval_count": 96 });
        Canned::new(200, "application/x-ndjson", format!("{end}\n"))
    };
    let source = "export const config = { model: 'ollama:m' };
import { runPrompt } from 'lmthing';
export default async ({ $ }) => {
  await (await runPrompt(({ $ }) => { $`one`; }, { model: 'ollama:m', options: { providerOptions: { ollama: { numCtx: 2048 } } } })).result.text;
  $`two`;
};\n";
    let answers = vec![line(1_952, "stop"), line(8_096, "stop")];
    let (requests, outcome) = run_file(source, &[("OLLAMA_HOST", "SERVER")], answers).await;
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(requests[0].json()["options"]["num_ctx"], 2_048);
    let warnings: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("window")).collect();
    assert_eq!(warnings.len(), 1, "{}", outcome.stderr);
    assert!(warnings[0].contains("filled its context window of 2048 tokens"), "{}", outcome.stderr);
    assert!(warnings[0].contains("numCtx (num_ctx)"), "{}", outcome.stderr);
}
