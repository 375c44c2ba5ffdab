//! Runs with MCP servers that are killed and resumed (docs/reference/mcp-client.md, docs/reference/resume.md).

use serde_json::json;

use crate::support::{
    Folder,
    mcp::{call, prompt, results, server},
    wait_until,
};

/// Kills a run in its second MCP call and resumes it; returns the results since then, and the calls that the servers
/// got in both.
fn killed_in_a_call(options: &str) -> (Vec<String>, String) {
    let calls = [
        call("t_echo", json!({ "text": "1" })),
        call("t_slow", json!({ "ms": 900 })),
        call("t_echo", json!({ "text": "2" })),
    ];
    let folder = Folder::of(&prompt(&calls, &format!("defMcp('t', 'files', {options});")));
    folder.write("mine.json", &json!({ "mcpServers": { "files": server(&["log=calls.log"]) } }).to_string());
    let log = || std::fs::read_to_string(folder.path("calls.log")).unwrap_or_default();
    let run = folder.start("run --journal --mcp-config mine.json p.lmt.mjs");
    wait_until("the call has begun", || log().contains("call slow"));
    run.signal("KILL");
    drop(run);
    let outcome = folder.run("resume last -f events");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    (results(&outcome), log())
}

#[test]
fn servers_are_restarted_and_answered_calls_are_not_repeated() {
    let (results, log) = killed_in_a_call("{}");
    assert_eq!(results, ["slow", "2"]);
    assert_eq!((log.matches("call echo").count(), log.matches("call slow").count()), (2, 2), "{log}");
}

#[test]
fn a_call_that_must_not_be_repeated_is_not() {
    let (results, log) = killed_in_a_call("{ repeat: false }");
    assert!(results[0].contains("The call of t_slow was interrupted"), "{}", results[0]);
    assert_eq!((results[1].as_str(), log.matches("call slow").count()), ("2", 1), "{log}");
}
