//! `lmthing run --on` and `lmthing map --on` (docs/reference/remote.md), with the real server and a worker.

use std::fs;

use serde_json::json;

use crate::{
    restate::{Lab, STEPS, final_text, server::soon, steps},
    rows::{numbers, results, results_in},
    support::resume::{
        journal::Journal,
        provider::{Conversation, Turn},
    },
};

/// Writes this many rows.
fn rows(lab: &Lab, count: usize) {
    let lines: String = (0..count).map(|n| format!("{{\"id\":\"r{n}\"}}\n")).collect();
    lab.project.folder.write("rows.jsonl", &lines);
}

fn map_words(lab: &Lab) -> String {
    format!("map p.lmt.mjs --input rows.jsonl -o out.jsonl --on {}", lab.ingress())
}

#[test]
fn a_run_on_the_server_prints_what_a_run_here_prints() {
    let Some(lab) = Lab::new("a_run_on_the_server", STEPS, steps) else { return };
    let _worker = lab.worker();
    let here = lab.project.run("run p.lmt.mjs --id a");
    let there = lab.project.run(&format!("run --on {} p.lmt.mjs --id a", lab.ingress()));
    assert_eq!((there.code, there.stdout.trim()), (0, here.stdout.trim()), "{there:?}");
    let object = lab.project.run(&format!("run --on {} -f json p.lmt.mjs --id a", lab.ingress())).object();
    assert_eq!(object["text"], final_text("a"));
    // The same key is the same run.
    let count = lab.project.provider.count();
    for _ in 0..2 {
        let outcome = lab.project.run(&format!("run --on {} --key b1 p.lmt.mjs --id b", lab.ingress()));
        assert_eq!(outcome.stdout.trim(), final_text("b"), "{outcome:?}");
    }
    assert_eq!(lab.project.provider.count(), count + 3);
}

#[test]
fn the_exit_code_is_that_of_the_run() {
    let answer = |_: &Conversation| Turn::failure(401);
    let Some(lab) = Lab::new("the_exit_code_is_that_of_the_run", STEPS, answer) else { return };
    let _worker = lab.worker();
    let outcome = lab.project.run(&format!("run --on {} p.lmt.mjs --id a", lab.ingress()));
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("Error:"), "{outcome:?}");
}

#[test]
fn a_killed_map_resumes_without_repeating_requests() {
    let Some(lab) = Lab::new("a_map_that_is_killed_goes_on", STEPS, steps) else { return };
    let worker = lab.worker();
    let port = worker.port;
    rows(&lab, 40);
    // Rows before this one end and are in the file; all others that are running wait.
    (20..40).for_each(|n| lab.gate.hold(&format!("r{n} 1")));
    let mut map = lab.project.start(&map_words(&lab));
    soon("half is done", || {
        fs::read_to_string(lab.project.folder.path("out.jsonl")).is_ok_and(|out| out.lines().count() >= 20)
    });
    lab.wait_for_request("r20 1", 1);
    map.kill().unwrap();
    map.wait().unwrap();
    worker.kill();
    let before = lab.counts();
    let answered = Journal::read(&lab.project.folder.path("worker.db")).unwrap().answered();
    (20..40).for_each(|n| lab.gate.open(&format!("r{n} 1")));
    let _again = lab.worker_at(port, "worker.db");
    let outcome = lab.project.run(&map_words(&lab));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let results = results_in(&lab.project.folder, "out.jsonl");
    assert_eq!(numbers(&results), (1..=40).collect::<Vec<_>>());
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result["text"], final_text(&format!("r{n}")), "{result}");
        assert_eq!(result["input"], json!({ "id": format!("r{n}") }));
    }
    let counts = lab.counts();
    assert_eq!(counts.len(), 120);
    let again: Vec<_> = answered.iter().filter(|name| counts[*name] > before[*name]).collect();
    assert!(again.is_empty(), "{again:?}");
    assert!(answered.len() >= 60, "{answered:?}");
}

#[test]
fn a_row_that_fails_harms_no_other() {
    let answer = |request: &Conversation| if request.who == "r3" { Turn::failure(401) } else { steps(request) };
    let Some(lab) = Lab::new("a_row_that_fails_harms_no_other", STEPS, answer) else { return };
    let _worker = lab.worker();
    rows(&lab, 8);
    let outcome = lab.project.run(&map_words(&lab).replace(" -o out.jsonl", ""));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let results = results(&outcome.stdout);
    assert_eq!(numbers(&results), (1..=8).collect::<Vec<_>>());
    let failed: Vec<u64> =
        results.iter().filter(|row| !row["error"].is_null()).map(|row| row["row"].as_u64().unwrap()).collect();
    assert_eq!(failed, [4]);
}
