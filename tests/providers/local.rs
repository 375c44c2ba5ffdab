//! `local` and `local:NAME`: models of servers on this machine.

use std::{
    process::Command,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    http::{closed_port, response, serve},
};

const ASK: &str = "export const config = { model: 'local' };\nexport default ({ $ }) => { $`How high?`; };\n";

const VARIABLES: [&str; 5] =
    ["OLLAMA_HOST", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL", "DOCKER_BASE_URL"];

/// A server with answers by method and path; others get status 404.
struct Machine {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Machine {
    fn new(answers: Vec<(&'static str, Value)>) -> Machine {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let stored = asked.clone();
        let address = serve(move |request| {
            let line = format!("{} {}", request.method, request.path);
            stored.lock().unwrap().push(line.clone());
            let model = if request.body.is_empty() { Value::Null } else { request.json()["model"].clone() };
            let found = answers.iter().find(|(known, _)| *known == line).map(|(_, answer)| answer);
            match (line.as_str(), found) {
                ("POST /api/show", Some(shown)) => {
                    response("200 OK", "application/json", &shown[model.as_str().unwrap()].to_string())
                }
                ("POST /api/chat", _) => response("200 OK", "application/x-ndjson", &chat(&model)),
                ("POST /v1/chat/completions", _) => {
                    let chunk = json!({ "choices": [{ "delta": { "content": model }, "finish_reason": "stop" }],
                        "usage": { "prompt_tokens": 9, "completion_tokens": 4 } });
                    response("200 OK", "text/event-stream", &format!("data: {chunk}\n\ndata: [DONE]\n\n"))
                }
                (_, Some(answer)) => response("200 OK", "application/json", &answer.to_string()),
                _ => response("404 Not Found", "text/plain", "404 page not found"),
            }
        });
        Machine { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// An answer that is the name of the model.
fn chat(model: &Value) -> String {
    let text = json!({ "model": model, "message": { "role": "assistant", "content": model }, "done": false });
    let end = json!({ "model": model, "message": { "role": "assistant", "content": "" }, "done": true,
        "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 4 });
    format!("{text}\n{end}\n")
}

fn ollama(loaded: &[&str]) -> Machine {
    let loaded: Vec<Value> = loaded.iter().map(|name| json!({ "name": name, "model": name })).collect();
    Machine::new(vec![
        (
            "GET /api/tags",
            json!({ "models": [
                { "name": "small:1b", "model": "small:1b", "size": 1_000 },
                { "name": "large:8b", "model": "large:8b", "size": 8_000 },
                { "name": "mute:70b", "model": "mute:70b", "size": 70_000 },
                { "name": "vectors:latest", "model": "vectors:latest", "size": 90_000 },
            ] }),
        ),
        ("GET /api/ps", json!({ "models": loaded })),
        (
            "POST /api/show",
            json!({
                "small:1b": { "capabilities": ["completion", "tools"] },
                "large:8b": { "capabilities": ["completion", "tools", "thinking"] },
                "mute:70b": { "capabilities": ["completion"] },
                "vectors:latest": { "capabilities": ["embedding"] },
            }),
        ),
    ])
}

/// A command with all servers at ports where nothing listens, but these.
fn command(folder: &Folder, arguments: &str, running: &[(&str, &str)]) -> Command {
    let mut command = folder.bare_command(arguments);
    for name in VARIABLES {
        command.env(name, format!("http://127.0.0.1:{}/v1", closed_port()));
    }
    command.envs(running.iter().copied());
    command
}

fn run(arguments: &str, running: &[(&str, &str)]) -> Outcome {
    Outcome::of(&mut command(&Folder::of(ASK), arguments, running))
}

#[test]
fn the_loaded_model_is_taken_and_named_in_one_line() {
    let machine = ollama(&["small:1b", "vectors:latest"]);
    let outcome = run("run -f json p.lmt.mjs", &[("OLLAMA_HOST", &machine.address)]);
    let result = outcome.object();
    assert_eq!((&result["text"], &result["model"]), (&json!("small:1b"), &json!("ollama:small:1b")));
    assert_eq!(result["cost"].as_f64(), Some(0.0));
    assert_eq!(outcome.stderr, "local is ollama:small:1b, which is loaded\n");
    // No warning, neither for people nor for programs.
    let outcome = run("run -q -f events p.lmt.mjs", &[("OLLAMA_HOST", &machine.address)]);
    assert!(outcome.stderr.is_empty() && !outcome.stdout.contains("\"warning\""), "{outcome:?}");
    assert!(machine.asked()[..2].iter().all(|line| line.starts_with("GET ")), "{:?}", machine.asked());
}

#[test]
fn without_a_loaded_one_it_is_the_largest_that_can_call_tools() {
    let machine = ollama(&[]);
    let outcome = run("run p.lmt.mjs", &[("OLLAMA_HOST", &machine.address)]);
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("large:8b\n", 0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the largest that can call tools"), "{}", outcome.stderr);
    for (name, model) in [("mute", Some("mute:70b")), ("large:8b", Some("large:8b")), ("vectors", None), ("tide", None)]
    {
        let outcome = run(&format!("run -m local:{name} p.lmt.mjs"), &[("OLLAMA_HOST", &machine.address)]);
        match model {
            Some(model) => assert_eq!(outcome.stdout.trim(), model, "{}", outcome.stderr),
            None => {
                assert_eq!((outcome.code, outcome.stdout.as_str()), (3, ""), "{}", outcome.stderr);
                assert!(outcome.stderr.contains("There is ollama:small:1b, ollama:large:8b, ollama:mute:70b."));
                assert!(!outcome.stderr.contains("There is ollama:vectors"), "{}", outcome.stderr);
            }
        }
    }
}

#[test]
fn the_order_of_a_long_list_does_not_matter() {
    let mut models: Vec<Value> =
        (0..90).map(|index| json!({ "model": format!("small-{index}:1b"), "size": 1_000 + index })).collect();
    models.push(json!({ "model": "large:8b", "size": 8_000 }));
    let capabilities = || json!({ "capabilities": ["completion", "tools"] });
    let shown: Value = models.iter().map(|entry| (entry["model"].as_str().unwrap(), capabilities())).collect();
    let machine = Machine::new(vec![("GET /api/tags", json!({ "models": models })), ("POST /api/show", shown)]);
    assert_eq!(run("run p.lmt.mjs", &[("OLLAMA_HOST", &machine.address)]).stdout, "large:8b\n");
    // Its own variable says where Ollama is on this machine.
    let elsewhere = format!("http://127.0.0.1:{}", closed_port());
    let both = [("OLLAMA_HOST", machine.address.as_str()), ("OLLAMA_BASE_URL", elsewhere.as_str())];
    assert_eq!(run("run p.lmt.mjs", &both).stdout, "large:8b\n");
}

#[test]
fn servers_of_openais_protocol_are_found() {
    let list = || json!({ "object": "list", "data": [{ "id": "tide-7b", "object": "model" }, { "id": "text-embed" }] });
    for (variable, provider) in [
        ("LMSTUDIO_BASE_URL", "lmstudio"),
        ("LLAMACPP_BASE_URL", "llamacpp"),
        ("VLLM_BASE_URL", "vllm"),
        ("DOCKER_BASE_URL", "docker"),
    ] {
        let machine = Machine::new(vec![("GET /v1/models", list())]);
        let address = format!("http://{}/v1", machine.address);
        let outcome = run("run -f json p.lmt.mjs", &[(variable, &address)]);
        let result = outcome.object();
        assert_eq!(result["model"], format!("{provider}:tide-7b"), "{}", outcome.stderr);
        assert_eq!(result["cost"].as_f64(), Some(0.0));
    }
    let own = json!({ "data": [
        { "id": "a-30b", "type": "llm", "state": "not-loaded" },
        { "id": "b-3b", "type": "vlm", "state": "loaded" },
    ] });
    let machine = Machine::new(vec![("GET /v1/models", list()), ("GET /api/v0/models", own)]);
    let address = format!("http://{}/v1", machine.address);
    assert_eq!(run("run p.lmt.mjs", &[("LMSTUDIO_BASE_URL", &address)]).stdout, "b-3b\n");
}

#[test]
fn a_service_without_a_list_of_models_is_never_posted_to() {
    let machine = Machine::new(vec![("GET /v1/models", json!({ "status": "up" })), ("GET /api/tags", json!([]))]);
    let address = format!("http://{}/v1", machine.address);
    let all = VARIABLES.map(|name| (name, address.as_str()));
    let outcome = run("run p.lmt.mjs", &all);
    assert_eq!(outcome.code, 3, "{}", outcome.stderr);
    assert!(!machine.asked().is_empty());
    assert!(machine.asked().iter().all(|line| line.starts_with("GET ")), "{:?}", machine.asked());
}

#[test]
fn nothing_running_is_said_soon() {
    // A server that never answers counts as none.
    let silent = crate::support::http::serve_connections(|_| {
        std::thread::sleep(Duration::from_secs(60));
        Ok(())
    });
    let address = format!("http://127.0.0.1:{silent}/v1");
    for running in [vec![], vec![("VLLM_BASE_URL", address.as_str())]] {
        let began = Instant::now();
        let outcome = run("run p.lmt.mjs", &running);
        assert_eq!(outcome.code, 3, "{}", outcome.stderr);
        assert!(began.elapsed() < Duration::from_secs(20), "no attempt is repeated");
        for words in ["Error: local: ", "Ollama", "LM Studio", "11434"] {
            assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
        }
    }
}

#[test]
fn a_list_goes_on_and_an_alias_of_this_name_wins() {
    let machine = ollama(&[]);
    let host = [("OLLAMA_HOST", machine.address.as_str())];
    let source = ASK.replace("'local'", "['local:tide', 'local']");
    let outcome = Outcome::of(&mut command(&Folder::of(&source), "run p.lmt.mjs", &host));
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("large:8b\n", 0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("switching to local"), "{}", outcome.stderr);
    let alias = [host[0], ("LM_MODEL_LOCAL", "ollama:small:1b")];
    assert_eq!(run("run p.lmt.mjs", &alias).stdout, "small:1b\n");
    let alias = [host[0], ("LM_MODEL_MINE", "local")];
    assert_eq!(run("run -m mine p.lmt.mjs", &alias).stdout, "large:8b\n");
}

#[test]
fn a_recorded_run_is_replayed_without_a_server_and_costs_nothing() {
    let folder = Folder::of(ASK);
    let machine = ollama(&[]);
    let recorded =
        Outcome::of(&mut command(&folder, "run --record r.json p.lmt.mjs", &[("OLLAMA_HOST", &machine.address)]));
    assert_eq!((recorded.stdout.as_str(), recorded.code), ("large:8b\n", 0), "{}", recorded.stderr);
    let replayed = Outcome::of(&mut command(&folder, "run --replay r.json -f json p.lmt.mjs", &[]));
    let result = replayed.object();
    assert_eq!((&result["text"], result["cost"].as_f64()), (&json!("large:8b"), Some(0.0)), "{}", replayed.stderr);
}

#[test]
fn checks_and_tests_ask_no_server() {
    let machine = ollama(&[]);
    let host = [("OLLAMA_HOST", machine.address.as_str())];
    let folder = Folder::of(ASK);
    folder.write(
        "p.test.mjs",
        "import { test, runFile } from 'lmthing/test';\ntest('asks', async () => { await runFile('./p.lmt.mjs'); });\n",
    );
    let checked = Outcome::of(&mut command(&folder, "check p.lmt.mjs", &host));
    assert_eq!(checked.code, 0, "{} {}", checked.stdout, checked.stderr);
    let tested = Outcome::of(&mut command(&folder, "test", &host));
    assert_ne!(tested.code, 0, "{} {}", tested.stdout, tested.stderr);
    assert!(machine.asked().is_empty(), "{:?}", machine.asked());
}

#[test]
fn rows_of_a_map_share_one_answer() {
    let machine = ollama(&[]);
    let folder =
        Folder::of(&format!("import {{ z }} from 'zod';\nexport const input = z.object({{ n: z.number() }});\n{ASK}"));
    folder.write("rows.jsonl", &(0..4).map(|n| format!("{{\"n\":{n}}}\n")).collect::<String>());
    let arguments = "map --input rows.jsonl -o out.jsonl p.lmt.mjs";
    let outcome = Outcome::of(&mut command(&folder, arguments, &[("OLLAMA_HOST", &machine.address)]));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let count = |wanted: &str| machine.asked().iter().filter(|line| *line == wanted).count();
    assert_eq!((count("GET /api/tags"), count("POST /api/chat")), (1, 4));
}

#[test]
fn models_on_this_machine_are_listed() {
    let machine = ollama(&["small:1b"]);
    let host = [("OLLAMA_HOST", machine.address.as_str())];
    let text = run("models --local", &host).stdout;
    for words in ["ollama:small:1b", "loaded, tools", "only embeds", "LM Studio", "takes ollama:small:1b"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let list = run("models --local --json", &host).object();
    assert_eq!(list["local"], "ollama:small:1b");
    let ollama = &list["servers"][0];
    assert_eq!((&ollama["provider"], &ollama["running"]), (&json!("ollama"), &json!(true)));
    let first = json!({ "model": "ollama:small:1b", "size": 1_000, "loaded": true, "tools": true, "onlyEmbeds": false,
        "remote": false });
    assert_eq!(ollama["models"][0], first);
    assert_eq!(list["servers"][1]["running"], false);
}
