//! What the program prints about failed attempts and about waits before the next one.

use std::time::{Duration, Instant};

use lmthing_base::chat::{CallSettings, ModelRequest};

use crate::{
    setup::{KEY, refusal, setup},
    steps::ask,
    support::{
        Outcome,
        canned::{Canned, Fault, run_file},
    },
};

const SAID: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"At last.\"},\"finish_reason\":\"stop\"}]}\n\n";

/// Runs a prompt file with these options against a server that gives these answers.
async fn run(options: &str, answers: Vec<Canned>) -> Outcome {
    let source = format!(
        "export const config = {{ model: 'lab:tide', options: {options} }};\nexport default async ({{ $ }}) => {{ $`Go.`; }};\n"
    );
    let variables = [("LAB_API_KEY", KEY), ("LAB_API_TYPE", "openai"), ("LAB_API_BASE", "SERVER/v1")];
    run_file(&source, &variables, answers).await.1
}

#[tokio::test]
async fn each_wait_is_one_line_with_attempt_reason_and_time() {
    let busy = |reason: &str| refusal(429, reason).header("retry-after-ms", "5");
    let output = run("{}", vec![busy("Slow\ndown."), busy("Slow down"), Canned::sse(SAID)]).await;
    let expected = "lab:tide failed (attempt 1 of 3): Slow down; trying again in 5 ms\n\
                    lab:tide failed (attempt 2 of 3): Slow down; trying again in 5 ms\n";
    assert_eq!((output.stderr.as_str(), output.stdout.as_str()), (expected, "At last.\n"));
    assert_eq!(output.code, 0);
}

#[tokio::test]
async fn a_wait_of_hours_is_code_3_at_once() {
    let output = run("{}", vec![refusal(429, "Daily limit").header("retry-after", "86400")]).await;
    let report = output.stderr;
    assert_eq!(output.code, 3, "{report}");
    let start = "Error: lab:tide (status 429): Daily limit. The provider asks to come back in 1 d, at ";
    assert!(report.starts_with(start) && report.contains("hint: "), "{report}");
}

#[tokio::test]
async fn an_empty_answer_is_code_3_with_provider_status_and_advice() {
    let mut empty = Canned::new(204, "", "");
    empty.headers.clear();
    let output = run("{ maxRetries: 0 }", vec![empty]).await;
    let report = output.stderr;
    assert_eq!(output.code, 3, "{report}");
    assert!(report.starts_with("Error: lab:tide (status 204): The server sent an empty answer."), "{report}");
    assert!(report.contains("hint: Check that the base URL"), "{report}");
}

#[tokio::test]
async fn an_abort_ends_a_wait() {
    let begun = Instant::now();
    let busy = refusal(429, "Slow down").header("retry-after", "250");
    let output = run("{ abortSignal: AbortSignal.timeout(800) }", vec![busy]).await;
    let report = output.stderr;
    assert_eq!(output.code, 1, "{report}");
    assert!(report.contains("abort"), "{report}");
    assert!(begun.elapsed() < Duration::from_secs(120), "the wait is over");
}

#[tokio::test]
async fn a_fallback_reports_once_how_often_the_model_failed() {
    let setup = setup(vec![refusal(500, "Broken."), refusal(500, "Broken."), Canned::sse(SAID)]).await;
    let model = setup.fallback(&["lab:tide", "lab:ebb"]);
    let settings = CallSettings { max_retries: Some(1), ..CallSettings::default() };
    let answer = ask(model.as_ref(), ModelRequest { settings, ..ModelRequest::default() }).await;
    assert_eq!(answer.text, "At last.");
    let last = setup.events.borrow().last().unwrap().to_string();
    assert_eq!(last, "lab:tide failed after 2 attempts. Last error: Broken; switching to lab:ebb");
}

#[tokio::test]
async fn usage_that_comes_slowly_after_the_reason_is_read() {
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n";
    let mut slow = Canned::sse(format!("{SAID}{usage}")).pieces(SAID.len() + 1).fault(Fault::StallAfter(usize::MAX));
    // In two pieces, the second one later than the total time limit.
    slow.delay = Duration::from_millis(1_200);
    slow.body.extend_from_slice(b": and more\n\n");
    let answer = setup(vec![slow]).await.ask("lab:tide").await;
    let (_, usage) = answer.finish.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(3), Some(4)));
}
