//! `defMcp` with servers over HTTP (docs/reference/mcp-client.md).

use serde_json::json;

use crate::support::{
    Folder,
    mcp::{HttpServer, call, prompt, results, results_of},
};

#[test]
fn calls_are_answered_as_json_and_as_events() {
    for settings in [&[][..], &["sse"]] {
        let server = HttpServer::start(settings);
        let calls = [
            call("t_sum", json!({ "a": 2, "b": 3 })),
            call("t_slow", json!({ "ms": 30 })),
            call("t_large", json!({ "size": 10_000_000 })),
        ];
        let results = results_of(&server.folder(json!({}), &calls));
        assert_eq!(results[..2], [r#"{"sum":5}"#, "slow"], "{settings:?}");
        assert_eq!(results[2].len(), 10_000_000);
    }
}

#[test]
fn a_changed_list_of_tools_is_fetched() {
    let server = HttpServer::start(&[]);
    // The notification arrives on a connection of its own.
    let calls = [call("t_grow", json!({})), call("t_slow", json!({ "ms": 200 })), call("t_late", json!({}))];
    assert_eq!(results_of(&server.folder(json!({}), &calls))[2], "late");
}

#[test]
fn a_session_that_is_forgotten_is_begun_again() {
    let server = HttpServer::start(&["forgets"]);
    let calls = [call("t_echo", json!({ "text": "1" })), call("t_echo", json!({ "text": "2" }))];
    assert_eq!(results_of(&server.folder(json!({}), &calls)), ["1", "2"]);
}

#[test]
fn a_server_that_requires_a_token_gets_it_or_its_refusal_is_shown() {
    let server = HttpServer::start(&["token=t0ken-value"]);
    let calls = [call("t_echo", json!({ "text": "1" }))];
    assert_eq!(results_of(&server.folder(json!({ "Authorization": "Bearer t0ken-value" }), &calls)), ["1"]);
    let outcome = server.folder(json!({ "Authorization": "Bearer wr0ng-value" }), &calls).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("HTTP 401: it wants to know who asks; give it a token"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("wr0ng-value"), "{}", outcome.stderr);
}

#[test]
fn a_server_that_is_not_there_is_named_without_its_key() {
    let source = prompt(&[], "defMcp('t', { url: 'http://127.0.0.1:9/mcp?key=s3cret-key' });");
    let outcome = Folder::of(&source).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("the MCP server 't' (http://127.0.0.1:9): cannot connect"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("s3cret-key"), "{}", outcome.stderr);
}

#[test]
fn an_address_without_a_server_is_explained() {
    for (settings, words) in [
        (
            "status=404",
            "HTTP 404 Not Found: nothing there speaks streamable HTTP (the transport before it, HTTP with SSE,",
        ),
        (
            "status=307",
            "HTTP 307 Temporary Redirect: it says that it is elsewhere; give the address of the server itself",
        ),
        ("status=200", "it answered with text/html, which is neither JSON nor a stream of events"),
    ] {
        let server = HttpServer::start(&[settings]);
        let outcome = server.folder(json!({}), &[]).run("run p.lmt.mjs");
        assert_eq!(outcome.code, 1);
        assert!(outcome.stderr.contains(words) && !outcome.stderr.contains("<html>"), "{}", outcome.stderr);
    }
}

#[test]
fn a_session_is_ended_with_the_run() {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let server = HttpServer::start(&[&format!("log={}", log.path().display())]);
    let folder = server.folder(json!({}), &[call("t_echo", json!({ "text": "1" }))]);
    assert_eq!(results(&folder.run("run -f events p.lmt.mjs")), ["1"]);
    let log = std::fs::read_to_string(log.path()).expect("the log");
    assert!(log.lines().any(|line| line.starts_with("DELETE s")), "{log}");
}
