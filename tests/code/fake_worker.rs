//! The sandbox with a program in the place of the worker that breaks the protocol, is slow, or does not read.

use std::{cell::RefCell, fs, os::unix::fs::symlink, time::Duration};

use futures_util::future::LocalBoxFuture;
use lmthing_base::checkpoint::CallError;
use lmthing_typescript::{
    code::{Declaration, Declarations, FunctionSignature},
    sandbox::{HostFunctions, Sandbox, SandboxConfig},
};
use serde_json::{Value, json, value::RawValue};

use crate::helpers::{block_on, ends_within};

/// Far above every limit of a run.
const TIME: Duration = Duration::from_secs(20);

/// `get` returns 8 MiB, more than a pipe holds; `wait` never returns.
#[derive(Default)]
struct Host {
    lines: RefCell<usize>,
}

impl HostFunctions for Host {
    fn call<'a>(
        &'a self,
        name: &'a str,
        _: Option<Box<RawValue>>,
    ) -> LocalBoxFuture<'a, Result<Box<RawValue>, CallError>> {
        if name == "wait" {
            return Box::pin(std::future::pending());
        }
        let text = serde_json::to_string(&"x".repeat(8 * 1024 * 1024)).unwrap();
        Box::pin(async move { Ok(RawValue::from_string(text).unwrap()) })
    }

    fn console(&self, _: &lmthing_typescript::sandbox::LogLine) {
        *self.lines.borrow_mut() += 1;
    }
}

fn declarations() -> Declarations {
    let function = |name: &str| {
        Declaration::Function(FunctionSignature {
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({}),
            output_schema: None,
        })
    };
    Declarations::new(&[function("get"), function("wait")]).unwrap()
}

/// Frames by their names.
fn frames(names: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for name in names.split_whitespace() {
        let frame = match name {
            "ready" => json!({"ready": {"confinement": []}}),
            "started" => json!({"started": {"warnings": [], "notice": null}}),
            "refused" => json!({"refused": {"errors": [], "notice": null}}),
            "call" => json!({"call": {"id": 1, "name": "get", "args": null}}),
            "wait" => json!({"call": {"id": 2, "name": "wait", "args": null}}),
            "unknown" => json!({"call": {"id": 1, "name": "other", "args": null}}),
            "large" => json!({"call": {"id": 1, "name": "get", "args": "x".repeat(2 * 1024 * 1024)}}),
            "log" => json!({"log": {"level": "log", "text": ""}}),
            "returned" => json!({"returned": {"result": 7}}),
            "failed" => json!({"failed": {"error": "no", "message": "no"}}),
            unit => json!(unit),
        };
        let frame = frame.to_string().into_bytes();
        bytes.extend(u32::try_from(frame.len()).unwrap().to_le_bytes());
        bytes.extend(frame);
    }
    bytes
}

struct Ended {
    outcome: Value,
    starts: usize,
    lines: usize,
}

/// Runs code in a worker that is a shell script, and expects that every process it was is gone afterwards, unless the
/// run succeeds and the worker is kept. `$F` is a file with the bytes.
fn run(script: &str, bytes: &[u8], is_kept: bool) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("bytes"), bytes).unwrap();
    fs::write(path("script"), script).unwrap();
    // A program that is written here could be busy: other tests start processes at the same time.
    symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code/fake_worker.sh"), path("worker")).unwrap();
    block_on(async {
        let config = SandboxConfig { cpu_ms: 200, check_ms: 200, console_bytes: 1000, ..SandboxConfig::default() };
        let (sandbox, host) = (Sandbox::with_program(config, path("worker")), Host::default());
        let outcome = tokio::time::timeout(TIME, sandbox.run("return await get();", &declarations(), &host)).await;
        let outcome = outcome.unwrap_or_else(|_| panic!("the worker was not ended: {script}")).to_value();
        let idle = sandbox.idle_workers();
        assert_eq!(is_kept, outcome["success"] == json!(true), "{script}: {outcome}");
        let processes = fs::read_to_string(path("processes")).unwrap();
        let processes: Vec<u32> = processes.lines().map(|process| process.parse().unwrap()).collect();
        for process in processes.iter().filter(|process| !idle.contains(process)) {
            assert!(ends_within(*process, TIME).await, "{script}: {process} lives on");
        }
        Ended { outcome, starts: processes.len(), lines: host.lines.take() }
    })
}

/// The error of a worker that writes these bytes and then lives on, without reading.
fn error_after(bytes: &[u8]) -> String {
    let ended = run("/bin/cat $F; exec /bin/sleep 1000", bytes, false);
    ended.outcome["error"].as_str().unwrap_or_default().to_owned()
}

const PROTOCOL: &str = "broke its protocol";
const CHECK: &str = "Checking the code took longer than 200 ms";
const RUN: &str = "ran longer than 200 ms";

#[test]
fn frames_out_of_order_end_the_worker() {
    for (before, wrong) in [
        ("ready checking", "ready checking call idle log returned unknown"),
        ("ready checking started", "ready checking started refused idle unknown large"),
        (
            "ready checking started wait idle",
            "ready checking started refused call idle log returned failed unknown large",
        ),
    ] {
        for wrong in wrong.split(' ') {
            let error = error_after(&frames(&format!("{before} {wrong}")));
            assert!(error.contains(PROTOCOL), "{before} {wrong}: {error}");
        }
    }
}

#[test]
fn a_worker_that_starts_wrongly_is_replaced_once() {
    for first in ["checking", "started", "idle", "returned", "ready ready", "ready log"] {
        let ended = run("/bin/cat $F; exec /bin/sleep 1000", &frames(first), false);
        let error = ended.outcome["error"].as_str().unwrap();
        assert!(error.contains("could not be started") && ended.starts == 2, "{first}: {error}");
    }
}

#[test]
fn a_silent_worker_ends_at_the_limit_of_its_state() {
    for (sent, expected) in [
        ("ready checking", CHECK),
        ("ready checking started", RUN),
        ("ready checking started log", RUN),
        // Does not read the reply.
        ("ready checking started call", RUN),
        ("ready checking started call idle", RUN),
    ] {
        let error = error_after(&frames(sent));
        assert!(error.contains(expected), "{sent}: {error}");
    }
}

#[test]
fn bytes_that_are_no_frame_end_the_worker() {
    let cases: [(&str, &[u8], &str); 6] = [
        ("ready checking", &[2, 0, 0, 0, b'{', b'x'], PROTOCOL),
        ("ready checking", &[0, 0, 0, 0], PROTOCOL),
        ("ready checking started", &[255, 255, 255, 255], PROTOCOL),
        // Less than the length says, and than a length.
        ("ready checking", &[9, 0, 0, 0, b'"'], CHECK),
        ("ready checking started", &[0, 0, 0, 1, b'"'], RUN),
        ("ready checking started", &[9], RUN),
    ];
    for (sent, rest, expected) in cases {
        let error = error_after(&[&frames(sent), rest].concat());
        assert!(error.contains(expected), "{sent} {rest:?}: {error}");
    }
}

#[test]
fn output_that_is_closed_ends_a_worker_that_lives_on() {
    for (sent, expected) in [
        ("ready checking", "could not be checked"),
        ("ready checking started", "died while the code ran"),
        ("ready checking started wait idle", "died while the code ran"),
    ] {
        let ended = run("/bin/cat $F; exec /bin/sleep 1000 >&-", &frames(sent), false);
        let error = ended.outcome["error"].as_str().unwrap();
        assert!(error.contains(expected), "{sent}: {error}");
    }
    let half = [&frames("ready checking started")[..], &[9, 0, 0, 0, b'"']].concat();
    let error = run("/bin/cat $F; exec /bin/sleep 1000 >&-", &half, false).outcome["error"].to_string();
    assert!(error.contains(PROTOCOL), "{error}");
}

#[test]
fn endless_output_ends() {
    let begin = "/bin/cat $F; while :; do";
    let log = r#"printf '\050\0\0\0{"log":{"level":"log","text":"          "}}'; done"#;
    let ended = run(&format!("{begin} {log}"), &frames("ready checking started"), false);
    let error = ended.outcome["error"].to_string();
    assert!(error.contains(PROTOCOL) || error.contains(RUN), "{error}");
    // Empty lines count as well.
    let empty = frames(&format!("ready checking started {}", "log ".repeat(10_000)));
    let ended = run("/bin/cat $F; exec /bin/sleep 1000", &empty, false);
    assert!(ended.lines < 10_000 && ended.outcome["error"].to_string().contains(PROTOCOL), "{}", ended.lines);
    assert!(error_after(&vec![0; 1 << 20]).contains("could not be started"));
}

#[test]
fn the_right_order_is_a_run() {
    let ended = run("/bin/cat $F; exec /bin/sleep 1000", &frames("ready checking started log returned"), true);
    assert_eq!(ended.outcome, json!({"success": true, "result": 7, "logs": [""]}));
}
