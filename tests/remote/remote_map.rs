//! `lmthing map --on URL` (docs/reference/remote.md, "`map --on`"): rows run there once each, however often the
//! command is interrupted.

use std::{collections::BTreeSet, fs, thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    ingress::{ELSEWHERE, Ingress},
    rows::{lines, numbers, results, results_in},
    support::{Folder, Outcome, Running},
};

fn folder(rows: &[&str]) -> Folder {
    Folder::new(&[("p.lmt.mjs", ELSEWHERE), ("rows.jsonl", &lines(rows))])
}

fn command(server: &Ingress, rest: &str) -> String {
    format!("map p.lmt.mjs --input rows.jsonl --on {} {rest}", server.url())
}

fn map(folder: &Folder, server: &Ingress, rest: &str) -> Outcome {
    folder.run(&command(server, rest))
}

fn keys(server: &Ingress) -> usize {
    server.world().runs.iter().map(|run| run.key.clone()).collect::<BTreeSet<_>>().len()
}

fn texts(results: &[Value]) -> Vec<&str> {
    results.iter().map(|result| result["text"].as_str().unwrap()).collect()
}

#[test]
fn rows_are_checked_here_and_run_there() {
    let (folder, server) = (folder(&["ada", "x", "typed", "bad", "odd"]), Ingress::start());
    let outcome = map(&folder, &server, "");
    let results = results(&outcome.stdout);
    assert_eq!((outcome.code, numbers(&results)), (1, vec![1, 2, 3, 4, 5]), "{outcome:?}");
    assert_eq!((&results[0]["text"], &results[0]["cost"]), (&json!("hello ada"), &json!(0.25)));
    assert_eq!((&results[0]["durationMs"], &results[0]["finishReason"]), (&json!(7), &json!("stop")));
    assert!(results[0]["invocation"].as_str().unwrap().starts_with("inv_1"));
    assert_eq!(results[1]["error"]["kind"], "input");
    assert_eq!(results[2]["output"]["name"], "typed");
    assert_eq!(
        results[3]["error"],
        json!({ "code": 3, "kind": "model", "message": "no luck with bad", "hint": "try later" })
    );
    assert_eq!(results[4]["error"]["kind"], "server");
    let mut names = server.names();
    names.sort();
    assert_eq!(names, ["ada", "bad", "odd", "typed"]);
    // Without stored results they are run again.
    map(&folder, &server, "");
    assert_eq!(keys(&server), 8);
    let outcome = map(&folder, &server, "-m a:b");
    assert!(outcome.code == 2 && outcome.stderr.contains("give it to lmthing worker"), "{outcome:?}");
    let outcome = map(&folder, &server, "--service other");
    assert!(outcome.code == 2 && outcome.stderr.contains("has no service other"), "{outcome:?}");
    let outcome = map(&folder, &server, "--service handlers");
    assert!(outcome.code == 2 && outcome.stderr.contains("is a worker registered"), "{outcome:?}");
}

#[test]
fn only_what_failed_is_run_again_and_by_another_key() {
    let (folder, server) = (folder(&["ada", "once", "bad"]), Ingress::start());
    let outcome = map(&folder, &server, "-o out.jsonl");
    assert_eq!((outcome.code, keys(&server)), (1, 3), "{outcome:?}");
    let outcome = map(&folder, &server, "-o out.jsonl");
    assert_eq!((outcome.code, keys(&server)), (1, 5), "{outcome:?}");
    let results = results_in(&folder, "out.jsonl");
    assert_eq!((numbers(&results), &results[1]["text"]), (vec![1, 2, 3], &json!("hello once")));
    assert!(results[1].get("error").is_none() && results[2].get("error").is_some());
    let outcome = map(&folder, &server, "-o out.jsonl --retries 2");
    assert_eq!((outcome.code, keys(&server)), (1, 8), "{outcome:?}");
    let count = |name: &str| server.names().iter().filter(|known| *known == name).count();
    assert_eq!((count("ada"), count("once"), count("bad")), (1, 2, 5));
    map(&folder, &server, "-o out.jsonl --fresh");
    assert_eq!((count("ada"), keys(&server)), (2, 11));
}

#[test]
fn equal_rows_that_fail_are_run_once_each() {
    let (folder, server) = (folder(&["bad"; 30]), Ingress::start());
    let outcome = map(&folder, &server, "-o out.jsonl --jobs 30");
    assert_eq!((outcome.code, server.count(), keys(&server)), (1, 30, 30), "{outcome:?}");
    let outcome = map(&folder, &server, "-o out.jsonl --jobs 30");
    assert_eq!((outcome.code, server.count(), keys(&server)), (1, 60, 60), "{outcome:?}");
}

#[test]
fn a_row_that_the_server_has_lost_fails() {
    let (folder, server) = (folder(&["ada", "gone", "eve"]), Ingress::start());
    let outcome = map(&folder, &server, "-o out.jsonl");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let results = results_in(&folder, "out.jsonl");
    let error = &results[1]["error"];
    assert!(error["kind"] == "server" && error["message"].as_str().unwrap().contains("does not know it"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("the same command"), "{error}");
    assert_eq!((&results[0]["text"], &results[2]["text"]), (&json!("hello ada"), &json!("hello eve")));
    let submissions = server.world().runs.iter().find(|run| run.input["name"] == "gone").unwrap().submissions;
    assert_eq!(submissions, 2);
}

#[test]
fn a_file_that_is_read_here_has_the_rights_that_are_given() {
    let server = Ingress::start();
    let writes = format!(
        "import {{ writeFileSync }} from 'node:fs';\nwriteFileSync('seen.txt', `${{Object.keys(process.env).includes('RESTATE_AUTH_TOKEN')}}`);\n{ELSEWHERE}"
    );
    let folder = Folder::new(&[("p.lmt.mjs", &writes), ("rows.jsonl", &lines(&["ada"]))]);
    let with_token = |options: &str| {
        let mut command = folder.command(&command(&server, options));
        Outcome::of(command.env("RESTATE_AUTH_TOKEN", "geheim"))
    };
    let outcome = with_token("--restrict --allow-env=RESTATE_AUTH_TOKEN");
    assert!(outcome.code == 1 && outcome.stderr.contains("--allow-write"), "{outcome:?}");
    assert!(!folder.path("seen.txt").exists() && server.count() == 0);
    let outcome = with_token("--allow-write=. --allow-env=RESTATE_AUTH_TOKEN");
    assert_eq!((outcome.code, server.names()), (0, vec!["ada".to_owned()]), "{outcome:?}");
    assert_eq!(with_token("").code, 0);
    assert_eq!(fs::read_to_string(folder.path("seen.txt")).unwrap(), "false");
}

#[test]
fn rows_that_are_killed_with_the_map_are_taken_by_the_next() {
    // More of them are held than may run at once: however long the kill takes, some rows are left.
    let names: Vec<String> =
        (0..80).map(|row| if row % 5 == 2 { "held".to_owned() } else { format!("row{row}") }).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (folder, server) = (folder(&names), Ingress::start());
    let out = "-o out.jsonl --jobs 12";
    for runs in [10, 12, 14] {
        let running = Running::of(&mut folder.command(&command(&server, out)));
        server.wait_for_runs(runs);
        running.signal("KILL");
        running.end();
    }
    let before = server.count();
    assert!(before < 80, "{before} runs");
    server.world().is_released = true;
    server.world().lose = 3;
    let outcome = map(&folder, &server, out);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let results = results_in(&folder, "out.jsonl");
    assert_eq!(numbers(&results), (1..=80).collect::<Vec<_>>());
    let expected: Vec<String> = names.iter().map(|name| format!("hello {name}")).collect();
    assert_eq!(texts(&results), expected);
    // Each row has a run of its own, which ran once.
    let runs: BTreeSet<&str> = results.iter().map(|result| result["invocation"].as_str().unwrap()).collect();
    assert_eq!((runs.len(), server.count(), keys(&server)), (80, 80, 80));
    let outcome = map(&folder, &server, out);
    assert!(outcome.code == 0 && server.count() == 80, "{outcome:?}");
}

#[test]
fn a_failure_lost_in_a_kill_is_run_again_once() {
    let (folder, server) = (folder(&["held", "once", "once"]), Ingress::start());
    let running = Running::of(&mut folder.command(&command(&server, "-o out.jsonl")));
    server.wait_for_runs(3);
    running.signal("KILL");
    running.end();
    server.world().is_released = true;
    let outcome = map(&folder, &server, "-o out.jsonl");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(texts(&results_in(&folder, "out.jsonl")), ["hello held", "hello once", "hello once"]);
    assert!(keys(&server) <= 4, "{:?}", server.names());
}

#[test]
fn a_server_that_restarts_costs_no_row() {
    let names: Vec<String> = (0..60).map(|row| format!("row{row}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (folder, server) = (folder(&names), Ingress::start());
    let running = Running::of(&mut folder.command(&command(&server, "-o out.jsonl --jobs 4")));
    server.wait_for_runs(8);
    server.world().is_away = true;
    thread::sleep(Duration::from_millis(700));
    server.change(|world| (world.is_away, world.refuse) = (false, 5));
    let outcome = running.end();
    assert_eq!((outcome.code, keys(&server)), (0, 60), "{outcome:?}");
    assert_eq!(numbers(&results_in(&folder, "out.jsonl")), (1..=60).collect::<Vec<_>>());
}

#[test]
fn limits_count_what_comes_in() {
    let names: Vec<String> = (0..30).map(|row| format!("row{row}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (folder, server) = (folder(&names), Ingress::start());
    let outcome = map(&folder, &server, "-o out.jsonl --jobs 2 --max-cost 1");
    assert!(outcome.code == 4 && outcome.stderr.contains("--max-cost"), "{outcome:?}");
    let runs = server.count();
    assert!((4..=6).contains(&runs), "{runs} runs");
    assert_eq!(results_in(&folder, "out.jsonl").len(), runs, "those under way are waited for");
    let outcome = map(&folder, &server, "-o out.jsonl --jobs 2 --max-tokens 30");
    assert!(outcome.code == 4 && server.count() < 20, "{outcome:?}");
    assert_eq!(map(&folder, &server, "-o out.jsonl").code, 0);
    assert_eq!((server.count(), keys(&server)), (30, 30));
    fs::write(folder.path("rows.jsonl"), lines(&["held"])).unwrap();
    let outcome = map(&folder, &server, "-o late.jsonl --timeout 300ms");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    server.world().is_released = true;
    assert_eq!(map(&folder, &server, "-o late.jsonl").code, 0);
    assert_eq!(keys(&server), 31);
}
