//! `lmthing ask`: the question, the model that is chosen, files, typed answers.

use std::{
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::support::{Folder, Outcome, Running, http};

/// A server that speaks chat completions, and what it was sent.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    fn answering(answer: &'static str) -> Self {
        let requests: Arc<Mutex<Vec<Value>>> = Arc::default();
        let received = requests.clone();
        let address = http::serve(move |request| {
            received.lock().unwrap().push(request.json());
            let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": answer } }] });
            let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
            http::response("200 OK", "text/event-stream", &format!("data: {chunk}\n\ndata: {end}\n\ndata: [DONE]\n\n"))
        });
        Server { address: format!("http://{address}"), requests }
    }

    /// The command with a key of Groq, whose requests come here.
    fn command(&self, folder: &Folder, arguments: &[&str]) -> Command {
        let mut command = folder.bare_command("ask");
        command.args(arguments).env("GROQ_API_KEY", "secret-of-groq").env("GROQ_BASE_URL", &self.address);
        command
    }

    fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn ask(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let mut command = folder.bare_command("ask");
    Outcome::of(command.args(arguments).envs(variables.iter().copied()))
}

#[test]
fn the_question_is_asked_with_the_input_and_the_system_prompt() {
    let (server, folder) = (Server::answering("Fine."), Folder::new(&[]));
    let mut command = server.command(&folder, &["-s", "Be 'brief'.\n`${x}`", "Sum", "up:"]);
    let outcome = Outcome::with_input(&mut command, "one\ntwo\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Fine.\n"), "{}", outcome.stderr);
    assert_eq!(outcome.stderr, "model: groq:openai/gpt-oss-120b\n");
    let [request] = &server.requests()[..] else { panic!("one request") };
    assert_eq!(request["model"], "openai/gpt-oss-120b");
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages[0]["content"], "Be 'brief'.\n`${x}`");
    assert_eq!(messages[1]["content"], "Sum up:\n\none\ntwo\n");
    assert_eq!(messages.len(), 2);
    assert!(!folder.path(".lmthing").exists());
}

#[test]
fn the_input_alone_is_a_question_and_nothing_is_wrong_usage() {
    let (server, folder) = (Server::answering("Fine."), Folder::new(&[]));
    let outcome = Outcome::with_input(&mut server.command(&folder, &["-q"]), "\u{feff}What?");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert_eq!(server.requests()[0]["messages"][0]["content"], "What?");
    let outcome = Outcome::of(&mut server.command(&folder, &[]));
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("there is nothing to ask"), "{}", outcome.stderr);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_named_model_wins_over_the_variable_and_that_over_keys() {
    let (server, folder) = (Server::answering("Fine."), Folder::new(&[(".env", "LMTHING_MODEL=groq:of-variable\n")]));
    for (arguments, model, told) in
        [(&["Hi"][..], "of-variable", "model: groq:of-variable\n"), (&["-m", "groq:of-option", "Hi"], "of-option", "")]
    {
        let outcome = Outcome::of(server.command(&folder, arguments).env("OPENAI_API_KEY", "secret-of-openai"));
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, told));
        assert_eq!(server.requests().last().unwrap()["model"], model);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn variables_may_come_from_a_pipe() {
    let (server, folder) = (Server::answering("Fine."), Folder::new(&[]));
    // The pipe is the third descriptor, as standard input belongs to the question.
    let line = format!(
        "printf 'LAB_API_BASE={}\\nLAB_API_TYPE=openai\\n' | {} ask -q -m lab:m --env-file /dev/fd/3 Hi 3<&0 < /dev/null",
        server.address,
        env!("CARGO_BIN_EXE_lmthing")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder.path("."));
    let outcome = Outcome::of(&mut shell);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Fine.\n"), "{}", outcome.stderr);
}

#[test]
fn a_wrong_variable_is_named() {
    let outcome = ask(&Folder::new(&[]), &["Hi"], &[("LMTHING_MODEL", "opnai:x"), ("OPENAI_API_KEY", "secret")]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.starts_with("Error: LMTHING_MODEL opnai:x: Unknown provider"), "{}", outcome.stderr);
}

#[test]
fn several_keys_need_a_name_and_without_any_it_is_local() {
    let folder = Folder::new(&[(".env", "OPENAI_API_KEY=secret-one\n")]);
    let outcome = ask(&folder, &["Hi"], &[("ANTHROPIC_API_KEY", "secret-two")]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    for part in ["openai, anthropic", "-m", "LMTHING_MODEL"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("secret"), "{}", outcome.stderr);
    let nowhere = format!("http://127.0.0.1:{}", http::closed_port());
    let hosts = ["OLLAMA", "LMSTUDIO", "LLAMACPP", "VLLM", "DOCKER"].map(|host| format!("{host}_BASE_URL"));
    let variables: Vec<(&str, &str)> = hosts.iter().map(|name| (name.as_str(), nowhere.as_str())).collect();
    let outcome = ask(&Folder::new(&[]), &["Hi"], &variables);
    assert_eq!(outcome.code, 3, "{}", outcome.stderr);
    assert!(outcome.stderr.starts_with("model: local\n"), "{}", outcome.stderr);
}

#[test]
fn a_schema_makes_the_answer_json() {
    let folder =
        Folder::new(&[("age.json", r#"{ "type": "object", "properties": { "age": { "type": "integer" } } }"#)]);
    for schema in ["name, age int: in years", "age.json", r#"{"type":"object"}"#] {
        let server = Server::answering("Here: {\"name\": \"Ada\", \"age\": 36}");
        let outcome = Outcome::of(&mut server.command(&folder, &["-q", "--schema", schema, "Invent a person."]));
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (0, "{\"name\":\"Ada\",\"age\":36}\n"),
            "{}",
            outcome.stderr
        );
        assert!(server.requests()[0].to_string().contains("object"), "{schema}");
    }
    // Names that JavaScript reads as something else.
    let odd = r#"{"type":"object","properties":{"__proto__":{"type":"string","description":"the odd one"}}}"#;
    let server = Server::answering("{}");
    let outcome = Outcome::of(&mut server.command(&folder, &["--schema", odd, "Invent a person."]));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "{}\n"), "{}", outcome.stderr);
    assert!(server.requests()[0].to_string().contains("the odd one"), "{}", server.requests()[0]);
    let server = Server::answering("{\"name\": \"Ada\"}");
    let outcome = Outcome::of(&mut server.command(&folder, &["--schema", "name, age int", "Invent a person."]));
    assert_eq!((outcome.code, outcome.stdout.as_str(), server.requests().len()), (3, "", 3), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("config"), "{}", outcome.stderr);
}

#[test]
fn wrong_schemas_are_marked_before_any_request() {
    let (server, folder) = (
        Server::answering("no"),
        Folder::new(&[("list.json", "[1]"), ("torn.json", "{\n  \"a\": }"), ("cut.json", "{\"type\":\n\"arr\n")]),
    );
    for (schema, parts) in [
        ("name, age integer", &["integer is no type", "--schema:1:11", "did you mean 'int'?"][..]),
        ("list.json", &["list.json is no JSON Schema"]),
        ("torn.json", &["torn.json:2:8", "not JSON"]),
        ("cut.json", &["cut.json:2:5", "2 | \"arr"]),
        ("lost.json", &["cannot read lost.json", "Did you mean 'list.json'?"]),
        (r#"{"type": "objct"}"#, &["not a valid JSON Schema"]),
        ("person.jsn", &["cannot read person.jsn"]),
        ("[1]", &["is no JSON Schema"]),
        ("a;b", &["cannot be named a;b"]),
        (" , ", &["names no field"]),
    ] {
        let outcome = Outcome::of(&mut server.command(&folder, &["--schema", schema, "Hi"]));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{schema}: {}", outcome.stderr);
        for part in parts {
            assert!(outcome.stderr.contains(part), "{schema}: {}", outcome.stderr);
        }
    }
    assert_eq!(server.requests(), [json!(null); 0]);
}

#[test]
fn files_are_sent_or_refused_before_the_request() {
    let (server, folder) = (Server::answering("Seen."), Folder::new(&[("note.txt", "the note")]));
    let png = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 24]].concat();
    std::fs::write(folder.path("dot.png"), &png).unwrap();
    std::fs::write(folder.path("odd.bin"), [0, 159, 146, 150]).unwrap();
    let arguments = ["-q", "-a", "note.txt", "-a", "dot.png", "-m", "groq:meta-llama/llama-4-scout", "What is it?"];
    let outcome = Outcome::of(&mut server.command(&folder, &arguments));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Seen.\n"), "{}", outcome.stderr);
    let sent = server.requests()[0]["messages"].to_string();
    for part in ["note.txt", "the note", "data:image/png;base64,", "What is it?"] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    for (file, part) in [("lost.png", "lost.png: there is no such file"), (".", "folder"), ("odd.bin", "odd.bin")] {
        let outcome = Outcome::of(&mut server.command(&folder, &["-a", file, "Hi"]));
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn formats_limits_and_mocks_are_those_of_run() {
    let folder = Folder::new(&[("mock.json", r#"[{ "type": "text", "text": "Mocked." }]"#)]);
    let outcome = ask(&folder, &["--mock", "mock.json", "-f", "json", "Hi"], &[]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert_eq!(outcome.object()["text"], "Mocked.");
    let outcome = ask(&folder, &["--mock", "mock.json", "--schema", "name", "--max-steps", "1", "Hi"], &[]);
    assert_eq!(outcome.code, 4, "{}", outcome.stderr);
    let outcome = ask(&folder, &["-f", "json"], &[("GROQ_API_KEY", "secret")]);
    assert_eq!((outcome.code, outcome.object()["error"]["kind"].as_str()), (2, Some("usage")));
}

#[test]
fn limits_are_those_of_the_command_and_hold_for_standard_input() {
    let (server, folder) = (Server::answering("no JSON"), Folder::new(&[]));
    let outcome = Outcome::of(&mut server.command(&folder, &["--schema", "name", "--max-steps", "1", "Hi"]));
    assert_eq!(outcome.code, 4, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("Set --max-steps higher to let it go further."), "{}", outcome.stderr);
    let key = [("OPENAI_API_KEY", "secret")];
    let outcome = ask(&folder, &["-m", "openai:none", "--max-cost", "1", "Hi"], &key);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("LMTHING_PRICES") && !outcome.stderr.contains("config"), "{}", outcome.stderr);
    let mut command = server.command(&folder, &["--timeout", "200ms", "Hi"]);
    // A pipe that stays open.
    let running = Running::of(command.stdin(Stdio::piped()));
    let outcome = running.end();
    assert_eq!(outcome.code, 4, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("time limit of 0.2 s before standard input had ended"), "{}", outcome.stderr);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn verbose_shows_the_step_and_an_alias_the_model_behind_it() {
    let (server, folder) = (Server::answering("Fine."), Folder::new(&[]));
    let mut command = server.command(&folder, &["-v", "Hi"]);
    let outcome = Outcome::of(command.env("LMTHING_MODEL", "fast").env("LM_MODEL_FAST", "groq:small"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Fine.\n"));
    assert!(outcome.stderr.starts_with("model: groq:small\nstep 0 · groq:small · "), "{}", outcome.stderr);
    for (arguments, variables, named) in [
        (&["-m", "mock", "Hi"][..], &[][..], "-m, --model mock"),
        (&["Hi"], &[("LMTHING_MODEL", "mock")], "LMTHING_MODEL mock"),
    ] {
        let outcome = ask(&folder, arguments, variables);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(named) && outcome.stderr.contains("--mock FILE"), "{}", outcome.stderr);
    }
}
