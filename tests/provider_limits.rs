//! Whole runs against a server that takes only so much: so many requests at a time, and not every parameter.

#![allow(clippy::unwrap_used)]

mod provider_support;

use std::{
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use provider_support::blocking;
use serde_json::{Value, json};

/// Answers each request on a thread of its own.
fn serve(answer: impl Fn(Value) -> (u16, String) + Send + Sync + 'static) -> String {
    let address = blocking::serve(move |request| {
        let (status, body) = answer(request.json());
        let kind = if status == 200 { "text/event-stream" } else { "application/json" };
        blocking::response(&format!("{status} X\r\nretry-after: 0.2"), kind, &body)
    });
    format!("http://{address}/v1")
}

fn text(text: &str) -> (u16, String) {
    let chunk = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
    (200, format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

fn run(script: &str, base_url: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prompt.lmt.mjs");
    std::fs::write(&path, script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    command.arg("run").arg(&path).current_dir(folder.path()).env_clear();
    command.env("LAB_API_KEY", "sk-lab-0123456789").env("LAB_API_TYPE", "openai").env("LAB_API_BASE", base_url);
    command.output().unwrap()
}

#[test]
fn thirty_prompts_at_once_share_a_server_that_takes_five() {
    let inside = Arc::new(AtomicUsize::new(0));
    let refused = Arc::new(AtomicUsize::new(0));
    let count = refused.clone();
    let address = serve(move |_| {
        let answer = if inside.fetch_add(1, Ordering::SeqCst) < 5 {
            thread::sleep(Duration::from_millis(150));
            text("done")
        } else {
            count.fetch_add(1, Ordering::SeqCst);
            (429, json!({ "error": { "message": "Too many requests", "code": "rate_limit_exceeded" } }).to_string())
        };
        inside.fetch_sub(1, Ordering::SeqCst);
        answer
    });
    let script = "
        import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:tide' };
        export default async ({ $ }) => {
          const one = async (n) => (await runPrompt(({ $ }) => { $`Prompt ${n}`; }, { model: 'lab:tide' })).result.text;
          const texts = await Promise.all(Array.from({ length: 30 }, (_, n) => one(n)));
          console.log(texts.filter((text) => text === 'done').length);
          $`The end.`;
        };";
    let output = run(script, &address);
    let report = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("30\n"), "{report}");
    let refused = refused.load(Ordering::SeqCst);
    assert!((1..100).contains(&refused), "{refused}");
    assert!(report.contains("lab takes no more at a time: Too many requests"), "{report}");
}

#[test]
fn a_run_goes_on_without_what_the_server_does_not_take() {
    let refused = Arc::new(AtomicUsize::new(0));
    let count = refused.clone();
    let address = serve(move |request| {
        if request.get("temperature").is_none() {
            return text("warm");
        }
        count.fetch_add(1, Ordering::SeqCst);
        let message = "Unsupported parameter: 'temperature' is not supported with this model.";
        (
            400,
            json!({ "error": { "message": message, "param": "temperature", "code": "unsupported_parameter" } })
                .to_string(),
        )
    });
    let script = "
        import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:tide' };
        export default async ({ $ }) => {
          for (let n = 0; n < 2; n++) {
            const options = { temperature: 0.5, maxRetries: 0 };
            const { result } = await runPrompt(({ $ }) => { $`Prompt ${n}`; }, { model: 'lab:tide', options });
            const [step] = await result.steps;
            console.log(await result.text, (step.warnings ?? []).map(({ type, setting }) => `${type} ${setting}`).join());
          }
          $`The end.`;
        };";
    let output = run(script, &address);
    let report = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{report}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.starts_with("warm unsupported-setting temperature\nwarm \n"), "{told}");
    assert_eq!(refused.load(Ordering::SeqCst), 1);
}

#[test]
fn code_in_an_answer_may_ask_the_server_that_gives_the_answer() {
    let requests = Arc::new(AtomicUsize::new(0));
    let address = serve(move |request| match requests.fetch_add(1, Ordering::SeqCst) {
        0 => (429, json!({ "error": { "message": "Too many requests" } }).to_string()),
        _ if request.to_string().contains("Inner") => text("deep"),
        1 => text("<run_code>return await inner({})</run_code>"),
        _ => text("The end."),
    });
    let script = "
        import { runPrompt } from 'lmthing';
        import { z } from 'zod';
        export const config = { model: 'lab:tide' };
        export default async ({ defMethod, $ }) => {
          defMethod('inner', 'asks', z.object({}), async () =>
            (await runPrompt(({ $ }) => { $`Inner`; }, { model: 'lab:tide' })).result.text);
          $`Go.`;
        };";
    let begun = std::time::Instant::now();
    let output = run(script, &address);
    let told = String::from_utf8_lossy(&output.stdout);
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("deep") && output.status.code() == Some(0), "{told}{report}");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
