//! MCP servers that are slow, crash or misbehave (docs/reference/mcp-client.md): a run reports that, continues where
//! possible, and leaves no process running.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{
    Folder,
    mcp::{call, folder, prompt, results, results_of, server},
    processes::is_alive,
    wait_until,
};

#[test]
fn lines_that_are_no_messages_are_passed_over() {
    assert_eq!(results_of(&folder(&["noise"], "{}", &[call("t_echo", json!({ "text": "x" }))])), ["x"]);
}

#[test]
fn a_tool_without_a_schema_is_skipped_and_reported_once() {
    let calls = [call("t_echo", json!({ "text": "x" })), call("t_grow", json!({})), call("t_late", json!({}))];
    let outcome = folder(&["odd"], "{}", &calls).run("run -f events p.lmt.mjs");
    assert_eq!(results(&outcome), ["x", "grown", "late"]);
    for words in [
        "its tool no-schema is left out: the inputSchema is not a JSON Schema of an object",
        "its tool bad-type is left out",
        "a tool without a name",
    ] {
        assert_eq!(outcome.stderr.matches(words).count(), 1, "{words}: {}", outcome.stderr);
    }
}

#[test]
fn a_server_that_cannot_be_started_ends_the_run() {
    let source = prompt(&[], "defMcp('t', { command: 'no-such-program' });");
    let outcome = Folder::of(&source).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    let words =
        "the MCP server 't' (no-such-program): it cannot be started: no-such-program cannot be started: No such file";
    assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
}

#[test]
fn a_server_that_ends_at_once_is_quoted() {
    let outcome = folder(&["say=no database", "exit=3"], "{}", &[]).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    let words = "it ended before it answered initialize (exit code 3). It said: no database";
    assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let start = Instant::now();
    let outcome = folder(&["mute=initialize"], "{ timeout: 300 }", &[]).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.stderr.contains("it did not answer initialize within 0.3 s; options.timeout lets it take longer"),
        "{}",
        outcome.stderr
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_call_without_progress_is_given_up_and_one_with_progress_is_not() {
    let calls = [call("t_slow", json!({ "ms": 1200 }))];
    assert_eq!(results_of(&folder(&[], "{ callTimeout: 800 }", &calls)), ["slow"]);
    let results = results_of(&folder(&[], "{ callTimeout: 100 }", &calls));
    assert!(results[0].contains("no answer within 0.1 s"), "{}", results[0]);
}

#[test]
fn a_server_that_dies_in_a_call_is_started_again() {
    let calls = [call("t_pid", json!({})), call("t_die", json!({})), call("t_pid", json!({}))];
    let results = results_of(&folder(&[], "{}", &calls));
    assert!(results[1].contains("the MCP server 't' (node): it ended before it answered"), "{}", results[1]);
    assert!(results[0] != results[2] && results[2].parse::<u32>().is_ok(), "{results:?}");
}

#[test]
fn ten_megabytes_and_two_thousand_tools_are_taken() {
    let calls = [call("t_large", json!({ "size": 10_000_000 })), call("t_tool_1999", json!({ "field1999": "x" }))];
    let results = results_of(&folder(&["many=2000", "page=150"], "{}", &calls));
    assert_eq!(results[0].len(), 10_000_000);
    assert_eq!(results[1], r#"{"result1999":1999}"#);
}

#[test]
fn a_server_that_logs_much_is_read_to_the_end() {
    let outcome = folder(&[], "{}", &[call("t_tell", json!({ "count": 50_000 }))]).run("run -f events p.lmt.mjs");
    assert_eq!((results(&outcome), outcome.stderr.as_str()), (vec!["told".to_owned()], ""));
}

#[test]
fn secrets_of_a_server_are_redacted() {
    let mut server = server(&["say=my key is k3y-secret", "exit=1"]);
    server["env"] = json!({ "KEY": "k3y-secret" });
    let outcome = Folder::of(&prompt(&[], &format!("defMcp('t', {server});"))).run("run p.lmt.mjs");
    assert!(outcome.stderr.contains("It said: my key is [redacted]"), "{}", outcome.stderr);
}

#[test]
fn an_aborted_run_cancels_the_call() {
    let source =
        prompt(&[call("t_slow", json!({ "ms": 20_000 }))], &format!("defMcp('t', {});", server(&["log=calls.log"])));
    let source = source.replace(
        "config = { model: 'mock' }",
        "config = { model: 'mock', options: { abortSignal: AbortSignal.timeout(1500) } }",
    );
    let folder = Folder::of(&source);
    let start = Instant::now();
    assert_ne!(folder.run("run p.lmt.mjs").code, 0);
    assert!(start.elapsed() < Duration::from_secs(10));
    let log = std::fs::read_to_string(folder.path("calls.log")).expect("the log");
    assert!(log.contains("call slow") && log.contains("notifications/cancelled"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_does_not_read_is_given_up_and_ended() {
    let calls = [call("t_echo", json!({ "text": "x".repeat(2_000_000) })), call("t_pid", json!({}))];
    for kill in [false, true] {
        let options = format!("{{ callTimeout: {} }}", if kill { 60_000 } else { 500 });
        let folder = folder(&["deaf", "pidfile=pid"], &options, &calls);
        let pid = || std::fs::read_to_string(folder.path("pid")).unwrap_or_default();
        let start = Instant::now();
        if kill {
            let mut run = folder.start("run -f events p.lmt.mjs");
            run.wait_for("tool-call", 1);
            // Gives the pipes time to fill.
            std::thread::sleep(Duration::from_millis(300));
            run.signal("KILL");
            drop(run);
        } else {
            let results = results_of(&folder);
            assert!(results.iter().all(|result| result.contains("no answer within 0.5 s")), "{results:?}");
        }
        wait_until("the server has ended", || !is_alive(&pid()));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_server_outlives_its_run() {
    for (settings, kill) in
        [(&["pidfile=pid"][..], false), (&["pidfile=pid", "stubborn"], false), (&["pidfile=pid", "stubborn"], true)]
    {
        let mut folder = folder(settings, "{}", &[call("t_slow", json!({ "ms": if kill { 60_000 } else { 3 } }))]);
        let pid = || std::fs::read_to_string(folder.path("pid")).unwrap_or_default();
        if kill {
            let run = folder.start("run p.lmt.mjs");
            wait_until("the server is started", || !pid().is_empty() && is_alive(&pid()));
            run.signal("KILL");
            drop(run);
        } else {
            assert_eq!(folder.run("run p.lmt.mjs").code, 0);
            assert!(!is_alive(&pid()), "{settings:?}");
        }
        wait_until("the server has ended", || !is_alive(&pid()));
        folder.write("pid", "");
        let _ = &mut folder;
    }
}

#[cfg(unix)]
#[test]
fn the_time_that_servers_take_to_end_is_not_that_of_the_run() {
    let folder = folder(&["stubborn"], "{}", &[call("t_slow", json!({ "ms": 3 }))]);
    // The server takes more than a second to end. The first limit that is long enough for the run is too short for
    // both.
    let outcome = (2..).map(|limit| folder.run(&format!("run --timeout {}ms p.lmt.mjs", limit * 200)));
    let outcome = outcome.take(50).find(|outcome| outcome.stdout.contains("done")).expect("a run that says it is done");
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_a_server_started_end_with_it() {
    let script = "sleep 300 & echo $! > pid; setsid sleep 300 & echo $! >> pid; exec node \"$@\"";
    let mut server = server(&[]);
    let mut args = vec![json!("-c"), json!(script), json!("sh")];
    args.extend(server["args"].as_array().cloned().unwrap_or_default());
    server = json!({ "command": "sh", "args": args });
    let source = prompt(&[call("t_slow", json!({ "ms": 60_000 }))], &format!("defMcp('t', {server});"));
    let folder = Folder::of(&source);
    let run = folder.start("run p.lmt.mjs");
    let pids = || std::fs::read_to_string(folder.path("pid")).unwrap_or_default();
    wait_until("the server is started", || pids().lines().count() == 2);
    let pids: Vec<String> = pids().lines().map(str::to_owned).collect();
    run.signal("KILL");
    drop(run);
    wait_until("all have ended", || pids.iter().all(|pid| !is_alive(pid)));
}
