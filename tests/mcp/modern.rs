//! `defMcp` with servers that know `server/discover` and no `initialize` (docs/reference/mcp-client.md).

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{
    Folder,
    mcp::{HttpServer, call, prompt, results_of},
    wait_until,
};

fn server_file() -> String {
    format!("{}/tests/support/mcp_modern_server.mjs", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a test with a server over its pipes, then with one over HTTP, both with the same settings.
fn with_both(settings: &[&str], test: impl Fn(Value)) {
    let mut args = vec![server_file()];
    settings.iter().for_each(|setting| args.extend(["--set".to_owned(), (*setting).to_owned()]));
    test(json!({ "command": "node", "args": args }));
    let mut command = Command::new("node");
    command.args(&args).arg("--http");
    let server = HttpServer::start_program(command);
    test(json!({ "url": server.url }));
}

fn folder(server: &Value, calls: &[Value]) -> Folder {
    Folder::of(&prompt(calls, &format!("defMcp('t', {server});")))
}

#[test]
fn a_server_without_initialize_is_asked_what_it_speaks() {
    // Unsupported version, unknown method, invalid parameters.
    for refusal in ["refusal=-32022", "refusal=-32601", "refusal=-32602"] {
        with_both(&[refusal], |server| {
            let calls = [call("t_sum", json!({ "a": 2, "b": 3 })), call("t_ask", json!({}))];
            let results = results_of(&folder(&server, &calls));
            assert_eq!(results[0], "5", "{refusal}");
            assert!(results[1].contains("it asks for a model, a person or folders"), "{}", results[1]);
        });
    }
}

#[test]
fn changes_of_its_tools_are_subscribed_to() {
    with_both(&[], |server| {
        // The second call gives the notification time to arrive.
        let calls = [call("t_grow", json!({})), call("t_sum", json!({ "a": 1, "b": 1 })), call("t_late", json!({}))];
        assert_eq!(results_of(&folder(&server, &calls)), ["grown", "2", "late"]);
    });
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_cancels_its_call() {
    let log = tempfile::NamedTempFile::new().expect("a file");
    with_both(&[&format!("log={}", log.path().display())], |server| {
        let logged = |line: &str| std::fs::read_to_string(log.path()).is_ok_and(|log| log.contains(line));
        let folder = folder(&server, &[call("t_slow", json!({}))]);
        let run = folder.start("run p.lmt.mjs");
        wait_until("the call has begun", || logged("tools/call"));
        run.signal("INT");
        assert_eq!(run.end().code, 130);
        wait_until("the call is cancelled", || logged("slow was cancelled"));
        std::fs::write(log.path(), "").expect("a file");
    });
}

#[test]
fn a_server_of_other_versions_is_reported_with_them() {
    with_both(&["versions=2031-01-01"], |server| {
        let outcome = folder(&server, &[]).run("run p.lmt.mjs");
        assert_eq!(outcome.code, 1);
        let words = "of the protocol it speaks 2031-01-01 only, which lmthing does not";
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    });
}
