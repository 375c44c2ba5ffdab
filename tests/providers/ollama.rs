//! `ollama:…` through the program, against a server that speaks Ollama's protocol.

use serde_json::{Value, json};

use crate::support::canned::{Canned, Fault, run_file};

const ASK: &str = "export const config = { model: 'ollama:tide', options: { maxRetries: 0 } };
export default ({ $ }) => { $`How high?`; };\n";

fn lines(lines: &[Value]) -> Canned {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    Canned::new(200, "application/x-ndjson", text)
}

fn says(text: &str) -> Canned {
    lines(&[
        json!({ "model": "tide", "message": { "role": "assistant", "content": text }, "done": false }),
        json!({ "model": "tide", "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
            "prompt_eval_count": 12, "eval_count": 3 }),
    ])
}

fn host() -> [(&'static str, &'static str); 1] {
    [("OLLAMA_HOST", "SERVER")]
}

#[tokio::test]
async fn an_answer_streams_and_costs_nothing() {
    let (requests, outcome) = run_file(ASK, &host(), vec![says("Low water.")]).await;
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("Low water.\n", 0), "{}", outcome.stderr);
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/api/chat"));
    assert_eq!(request.header("authorization"), None, "no key is needed");
    let body = request.json();
    assert_eq!(body["messages"], json!([{ "role": "user", "content": "How high?" }]));
    assert_eq!((&body["stream"], &body["options"]), (&json!(true), &json!({ "num_ctx": 8192 })));
}

#[tokio::test]
async fn a_host_without_scheme_and_a_key_are_used() {
    for prefix in ["127.0.0.1:", "0.0.0.0:", ":"] {
        let source =
            format!("process.env.OLLAMA_HOST = process.env.AT.replace('http://127.0.0.1:', '{prefix}');\n{ASK}");
        let variables = [("AT", "SERVER"), ("OLLAMA_API_KEY", "o-0123456789abcdef")];
        let (requests, outcome) = run_file(&source, &variables, vec![says("Low.")]).await;
        assert_eq!((outcome.stdout.as_str(), outcome.code), ("Low.\n", 0), "{prefix}: {}", outcome.stderr);
        assert_eq!(requests[0].header("authorization"), Some("Bearer o-0123456789abcdef"));
    }
}

#[tokio::test]
async fn a_custom_provider_of_its_name_wins() {
    let answer = json!({ "choices": [{ "delta": { "content": "Hi." }, "finish_reason": "stop" }] });
    let variables = [("OLLAMA_API_BASE", "SERVER/v1"), ("OLLAMA_API_TYPE", "openai")];
    let (requests, outcome) = run_file(ASK, &variables, vec![Canned::events(&[answer])]).await;
    assert_eq!(outcome.stdout, "Hi.\n", "{}", outcome.stderr);
    assert!(requests[0].path.starts_with("/v1/chat/completions"), "{}", requests[0].path);
}

#[tokio::test]
async fn tools_are_called_and_their_results_sent_by_name() {
    let source = "export const config = { model: 'ollama:tide' };
export default ({ $, defTool }) => {
  defTool('tide', 'The tide', { type: 'object', properties: { port: { type: 'string' } } }, ({ port }) => `low at ${port}`);
  $`How high?`;
};\n";
    let call = json!({ "function": { "name": "tide", "arguments": { "port": "Oban" } } });
    let calls = lines(&[
        json!({ "message": { "role": "assistant", "content": "", "tool_calls": [call] }, "done": false }),
        json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop" }),
    ]);
    let (requests, outcome) = run_file(source, &host(), vec![calls, says("Low.")]).await;
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("Low.\n", 0), "{}", outcome.stderr);
    let [first, second] = [&requests[0], &requests[1]].map(|request| request.json());
    assert_eq!(first["tools"][0]["function"]["name"], "tide");
    let [called, result] = [&second["messages"][1], &second["messages"][2]];
    assert_eq!(called["tool_calls"][0]["function"], json!({ "name": "tide", "arguments": { "port": "Oban" } }));
    assert_eq!((&result["tool_name"], &result["content"]), (&json!("tide"), &json!("low at Oban")));
    assert_eq!(called["tool_calls"][0]["id"], result["tool_call_id"]);
    assert_eq!(first["options"]["num_ctx"], second["options"]["num_ctx"], "the model stays loaded");
}

#[tokio::test]
async fn thinking_that_a_model_lacks_is_left_out_with_a_warning() {
    let source = ASK.replace("maxRetries: 0", "reasoning: 'high'");
    let refused =
        Canned::new(400, "application/json", json!({ "error": "\"tide\" does not support thinking" }).to_string());
    let (requests, outcome) = run_file(&source, &host(), vec![refused, says("Low.")]).await;
    assert_eq!(outcome.stdout, "Low.\n", "{}", outcome.stderr);
    assert_eq!((&requests[0].json()["think"], requests[1].json().get("think")), (&json!(true), None));
    assert!(outcome.stderr.contains("left out"), "{}", outcome.stderr);
}

#[tokio::test]
async fn failures_say_what_to_do() {
    let refusal =
        |status: u16, message: &str| Canned::new(status, "application/json", json!({ "error": message }).to_string());
    let cut = || says("Low.").fault(Fault::CutAfter(60));
    for (answer, words) in [
        (refusal(404, "model 'tide' not found"), "ollama pull tide"),
        (refusal(400, "registry.ollama.ai/library/tide does not support tools"), "lmthing models --local"),
        (refusal(500, "model requires more system memory"), "model requires more system memory"),
        (Canned::new(404, "text/plain", "404 page not found"), "OLLAMA_HOST is the address of Ollama without /v1"),
        (lines(&[json!({ "error": "the runner has stopped" })]), "the runner has stopped"),
        (lines(&[json!({ "model": "tide", "message": { "content": "Lo" }, "done": false })]), "cut short"),
        (Canned::events(&[json!({ "choices": [] })]), "sent text/event-stream in place of lines of JSON"),
        (
            Canned::new(200, "text/plain", "Ollama is running"),
            "text/plain in place of lines of JSON: Ollama is running",
        ),
        (Canned::json(&json!({ "choices": [] })), "does not speak Ollama's protocol"),
        (Canned::new(200, "text/html", "<html><title>Log in</title></html>"), "web page titled \"Log in\""),
        (cut(), "lost"),
    ] {
        let (_, outcome) = run_file(ASK, &host(), vec![answer]).await;
        assert_eq!(outcome.code, 3, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
    }
}

#[tokio::test]
async fn a_wrong_host_names_its_variable() {
    for host in ["localhost:port", "ftp://localhost", "me:hunter2@"] {
        let (_, outcome) = run_file(ASK, &[("OLLAMA_HOST", host)], Vec::new()).await;
        assert_ne!(outcome.code, 0);
        assert!(!outcome.stderr.contains("hunter2"), "{}", outcome.stderr);
        if host != "me:hunter2@" {
            assert!(outcome.stderr.contains("(OLLAMA_HOST)"), "{host}: {}", outcome.stderr);
        }
    }
}
