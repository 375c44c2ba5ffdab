//! The examples with real model strings, recorded and replayed too, against a local server in the role of the
//! providers.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    http::{Request, response, serve},
    lmthing,
};

/// Plays canned answers in order and keeps the requests. Requests after the last answer get status 500.
struct Server {
    address: String,
    received: Arc<Mutex<Vec<Request>>>,
}

/// Status and body.
type Canned = (u16, String);

impl Server {
    fn play(answers: Vec<Canned>) -> Server {
        let received = Arc::new(Mutex::new(Vec::new()));
        let (stored, answers) = (received.clone(), Mutex::new(answers.into_iter()));
        let address = serve(move |request| {
            stored.lock().unwrap().push(request.clone());
            let (status, body) = answers.lock().unwrap().next().unwrap_or((500, "no answer is left".to_owned()));
            let kind = if status == 200 { "text/event-stream" } else { "application/json" };
            response(&format!("{status} X"), kind, &body)
        });
        Server { address: format!("http://{address}"), received }
    }

    fn received(&self) -> Vec<Request> {
        self.received.lock().unwrap().clone()
    }
}

/// An answer of OpenAI's Responses API with this text.
fn openai_text(text: &str) -> Canned {
    let item = json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": [] });
    events(&[
        json!({ "type": "response.created", "response": { "id": "resp_1", "model": "gpt-4o-mini", "created_at": 1 } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "delta": text }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        completed(),
    ])
}

/// An answer with a tool call.
fn openai_call(name: &str, arguments: &Value) -> Canned {
    let item = |arguments: &str| json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": arguments });
    events(&[
        json!({ "type": "response.created", "response": { "id": "resp_1", "model": "gpt-4o", "created_at": 1 } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item("") }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item(&arguments.to_string()) }),
        completed(),
    ])
}

fn completed() -> Value {
    json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 9, "output_tokens": 4 } } })
}

fn events(events: &[Value]) -> Canned {
    let lines = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    (200, events.iter().map(lines).collect())
}

const KEY: &str = "sk-test-0123456789abcdef";

/// Runs the program in the repository's folder, with both providers at the server.
fn run(arguments: &[&str], server: &Server) -> Outcome {
    let mut command = lmthing();
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear();
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", &server.address);
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", &server.address).env("USER", "Ada");
    Outcome::of(&mut command)
}

#[test]
fn hello_streams_the_answer() {
    let server = Server::play(vec![openai_text("Hello, Ada!")]);
    let output = run(&["run", "examples/hello.lmt.mjs"], &server);
    assert_eq!((output.stdout.as_str(), output.code), ("Hello, Ada!\n", 0), "{}", output.stderr);
    let [request] = <[Request; 1]>::try_from(server.received()).expect("one request");
    assert_eq!(request.path, "/responses");
    assert_eq!(request.header("authorization"), format!("Bearer {KEY}"));
    let body = request.json();
    assert_eq!(body["model"], "gpt-6-luna");
    assert_eq!(body["temperature"], 0.7);
    assert!(body["input"][0]["content"].as_str().is_some_and(|system| system.contains("<NAME>Ada</NAME>")));
}

#[test]
fn data_analysis_runs_its_tools() {
    let arguments = json!({ "column": "revenue", "region": "south" });
    let server = Server::play(vec![openai_call("total", &arguments), openai_text("South earned 6380.")]);
    let output = run(&["run", "examples/data-analysis.lmt.mjs"], &server);
    assert_eq!(output.stdout, "South earned 6380.\n", "{}", output.stderr);
    let requests = server.received();
    assert_eq!(requests.len(), 2);
    let parameters = &requests[0].json()["tools"][0]["parameters"];
    assert_eq!(parameters["additionalProperties"], false, "{parameters}");
    assert!(parameters["$schema"].as_str().is_some_and(|schema| schema.contains("draft-07")), "{parameters}");
    let answered = requests[1].json()["input"].as_array().expect("a list").last().expect("not empty").clone();
    assert_eq!(answered, json!({ "type": "function_call_output", "call_id": "call_1", "output": "6380" }));
}

#[test]
fn weather_switches_to_the_next_model_when_the_first_fails() {
    let broken =
        (400, json!({ "type": "error", "error": { "type": "invalid", "message": "no such model" } }).to_string());
    let server = Server::play(vec![broken, openai_text("Go for a walk in Lisbon.")]);
    let output = run(&["run", "examples/weather.lmt.mjs"], &server);
    assert_eq!(output.stdout, "Go for a walk in Lisbon.\n", "{}", output.stderr);
    let report = output.stderr;
    assert!(report.contains("no such model") && report.contains("openai:gpt-6-luna"), "{report}");
    let paths: Vec<_> = server.received().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/messages", "/responses"]);
}

#[test]
fn the_model_that_answered_is_named_and_not_the_first_of_the_list() {
    let source = "export const config = { model: ['anthropic:claude-tide', 'openai:gpt-4o-mini'] };\n\
                  export default ({ $ }) => { $`Hello`; };\n";
    let folder = Folder::of(source);
    let broken =
        (400, json!({ "type": "error", "error": { "type": "invalid", "message": "no such model" } }).to_string());
    let (status, whole) = openai_text("Go for");
    let cut = whole
        .replace("response.completed", "response.incomplete")
        .replace("\"usage\":", "\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"usage\":");
    let server = Server::play(vec![broken, (status, cut)]);
    let output = run(&["run", folder.path("p.lmt.mjs").to_str().unwrap()], &server);
    let report = output.stderr;
    assert!(report.contains("openai:gpt-4o-mini: the answer reached the limit"), "{report}");
}

#[test]
fn a_failing_provider_is_exit_3_with_its_message_and_without_the_key() {
    let refused = (401, json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } }).to_string());
    let server = Server::play(vec![refused]);
    let output = run(&["run", "examples/hello.lmt.mjs"], &server);
    let report = output.stderr;
    assert_eq!(output.code, 3, "{report}");
    assert!(report.starts_with("Error: ") && report.contains("Incorrect API key provided"), "{report}");
    assert!(report.contains("openai:gpt-6-luna") && report.contains("401") && !report.contains(KEY), "{report}");
}

#[test]
fn a_recorded_run_is_replayed_without_a_server_and_differs_loudly() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let recording = directory.path().join("run.json");
    let recording = recording.to_str().expect("a readable path");
    let arguments = json!({ "column": "units" });
    let server = Server::play(vec![openai_call("total", &arguments), openai_text("435 units.")]);
    let recorded = run(&["run", "--record", recording, "examples/data-analysis.lmt.mjs"], &server);
    assert_eq!(recorded.stdout, "435 units.\n", "{}", recorded.stderr);
    assert!(!std::fs::read_to_string(recording).expect("a recording").contains(KEY));

    let silent = Server::play(Vec::new());
    let replayed = run(&["run", "--replay", recording, "examples/data-analysis.lmt.mjs"], &silent);
    assert_eq!((replayed.stdout.as_str(), replayed.code), ("435 units.\n", 0), "{}", replayed.stderr);

    let other = run(&["run", "--replay", recording, "examples/hello.lmt.mjs"], &silent);
    assert_eq!(other.code, 3);
    assert!(other.stderr.contains("differ"), "{}", other.stderr);
    assert!(Path::new(recording).exists());
}

#[test]
fn models_lists_what_is_configured_and_never_a_value() {
    let output = run(&["models", "--json"], &Server::play(Vec::new()));
    let list: Value = output.object();
    let provider = |name: &str| {
        let all = list["providers"].as_array().expect("a list");
        all.iter().find(|provider| provider["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(provider("openai")["configured"], true);
    assert_eq!(provider("mistral")["configured"], false);
    assert!(!output.stdout.contains(KEY));
}

#[test]
fn a_model_that_is_not_found_is_exit_1_with_what_was_meant() {
    let source = "export const config = { model: process.env.MODEL };\nexport default ({ $ }) => { $`Hello`; };\n";
    let folder = Folder::of(source);
    for (model, hint) in [
        ("opnai:gpt-4o", "hint: Did you mean \"openai:gpt-4o\"?"),
        ("gpt-4o", "hint: Did you mean \"openai:gpt-4o\"?"),
        ("localai:llama3.2", "Set LOCALAI_API_BASE=http://localhost:8080/v1 and LOCALAI_API_TYPE=openai"),
        ("lab:m", "hint: Did you mean http://localhost:8000/v1?"),
    ] {
        let mut command = folder.bare_command("run p.lmt.mjs");
        command.env("MODEL", model);
        command.env("LAB_API_BASE", "me:hunter2@localhost:8000/v1?key=hunter2").env("LAB_API_TYPE", "openai");
        let output = Outcome::of(&mut command);
        let report = output.stderr;
        assert_eq!(output.code, 1, "{report}");
        assert!(report.contains(hint) && !report.contains("hunter2"), "{model}: {report}");
    }
}

#[test]
fn another_model_is_only_suggested_if_the_server_lacks_the_requested_one() {
    let folder = Folder::of("export default ({ $ }) => { $`Hello`; };\n");
    let refusal = |message: &str, parameter: &str| {
        json!({ "error": { "message": message, "type": "invalid_request_error", "param": parameter } }).to_string()
    };
    let suggestion = "hint: Did you mean \"openai:gpt-4o\"?";
    for (status, body, is_suggested) in [
        (404, "not found".to_owned(), true),
        (400, refusal("The model 'gpt-4oo' does not exist", "model"), true),
        (400, refusal("The tool 'model_info' was not found in the tools", "tool_choice"), false),
        (405, "method not allowed".to_owned(), false),
    ] {
        let server = Server::play(vec![(status, body)]);
        let mut command = folder.bare_command("run -m openai:gpt-4oo p.lmt.mjs");
        command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", &server.address);
        let report = Outcome::of(&mut command).stderr;
        assert_eq!(report.contains(suggestion), is_suggested, "{status}: {report}");
    }
}

#[test]
fn a_proxy_that_the_prompt_function_sets_counts() {
    let source = "export const config = { model: 'openai:gpt-4o-mini' };\n\
                  export default ({ $ }) => { process.env.HTTP_PROXY = process.env.LATER; $`Hello`; };\n";
    let folder = Folder::of(source);
    let server = Server::play(vec![openai_text("Hello through a proxy.")]);
    let mut command = folder.bare_command("run p.lmt.mjs");
    command.env("LATER", &server.address);
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", "http://model.invalid/v1");
    let output = Outcome::of(&mut command);
    assert_eq!(output.stdout, "Hello through a proxy.\n", "{}", output.stderr);
    assert_eq!(server.received()[0].path, "http://model.invalid/v1/responses");
}
